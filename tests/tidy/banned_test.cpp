#include "tests/tidy/banned.hpp"

#include <gtest/gtest.h>

namespace headrace::tidy {
namespace {

struct Planted {
  std::string path;
  std::string line;
};

TEST(TidyBanned, EveryPlantedWordIsFound) {
  for (const auto& [path, line] : std::vector<Planted>{
           {"gpu/cuda/a.cpp", "cudaMemcpyAsync(a, b, n, kind, cudaStreamLegacy);"},
           {"gpu/cuda/a.cpp", "auto s = cudaStreamPerThread;"},
           {"gpu/cuda/a.cpp", "cudaDeviceSynchronize();"},
           {"gpu/cuda/a.cpp", "check(cudaStreamSynchronize(stream));"},
           {"tests/gpu/a.cu", "cudaDeviceSynchronize();"},
           {"proto/a.hpp", "using namespace std;"},
           {"tests/a.hpp", "using  namespace std::literals;"},
           {"proto/a.cpp", "auto* p = new int[4];"},
           {"proto/a.cpp", "return new std::string(x);"},
           {"proto/a.cpp", "f(new Thing{});"},
           {"proto/a.cpp", "std::unique_ptr<T> p(f(new T()));"},
           {"proto/a.cpp", "std::shared_ptr<T> p(new T());"},
           {"proto/a.cpp", "p.reset(new T());"},
           {"proto/a.cpp", "delete pointer;"},
           {"proto/a.cpp", "delete[] pointer;"},
           {"proto/a.cpp", "std::cout << x;"},
           {"gpu/a.cpp", "std::cerr << x;"},
           {"service/http/a.cpp", "printf(x);"},
           {"tests/a.cpp", "std::this_thread::sleep_for(1ms);"},
           {"tests/a.cpp", "std::this_thread::sleep_until(t);"},
           {"tests/a.cpp", "usleep(10);"},
           {"tests/a.cpp", "sleep(1);"},
           {"service/http/a.cpp", "co_spawn(context, run(), asio::detached);"},
           {"load/a.cpp", "co_spawn(context, run(), boost::asio::detached);"},
           {"tests/a.cpp", "co_spawn(context, run(), asio::detached);"},
       }) {
    const Findings findings = check_banned_words(Source(path, "\n" + line + "\n"));
    ASSERT_EQ(findings.size(), 1U) << path << ": " << line;
    EXPECT_EQ(findings[0].path, path);
    EXPECT_EQ(findings[0].line, 2U);
  }
}

TEST(TidyBanned, WhatIsAllowedIsNotFound) {
  for (const auto& [path, line] : std::vector<Planted>{
           {"gpu/cuda/a.cpp", "cudaEventQuery(event);"},
           {"proto/a.cpp", "using namespace std::literals;"},
           {"proto/a.hpp", "using std::string;"},
           {"proto/a.cpp", "A(const A&) = delete;  // a new one"},
           {"proto/a.cpp", "::new (place) Thing(); new (place) Thing();"},
           {"proto/a.cpp", "void* operator new(std::size_t); void operator delete(void*);"},
           {"proto/a.cpp", "std::unique_ptr<Thing> thing(\n    new Thing(1));"},
           {"proto/a.cpp", "return std::unique_ptr<a::Thing>(new a::Thing());"},
           {"proto/a.cpp", "int renewed = new_rows; call(\"new thing\");"},
           {"proto/a.cpp", "std::snprintf(text, n, x); fprintf(file, x);"},
           {"service/app/main.cpp", "std::cout << ready;"},
           {"load/main.cpp", "std::cout << json;"},
           {"service/http/a.cpp", "std::this_thread::sleep_for(t);"},
           {"tests/a.cpp", "bool asleep(int); timer.expires_after(1ms);"},
           {"service/pipeline/spawn.hpp", "co_spawn(context, run(), asio::detached);"},
       }) {
    const Findings findings = check_banned_words(Source(path, line));
    EXPECT_TRUE(findings.empty()) << to_string(findings) << line;
  }
}

TEST(TidyBanned, LaunchesNameTheirStream) {
  const auto found = [](const std::string& line) { return check_launches(Source("gpu/ops/a/a.cu", line)).size(); };
  EXPECT_EQ(found("k<<<grid, block, 0, stream>>>(x);"), 0U);
  EXPECT_EQ(found("k<float, 4><<<dim3(a, b), dim3(c, d), f(a, b),\n  slot.stream()>>>(x);"), 0U);
  EXPECT_EQ(found("k<<<grid, block>>>(x);"), 1U);
  EXPECT_EQ(found("k<<<dim3(a, b), dim3(c, d)>>>(x);"), 1U);
  EXPECT_EQ(found("k<<<grid, block, 64>>>(x);"), 1U);
  EXPECT_EQ(found("k<<<grid, block, 0, 0>>>(x);"), 1U);
  EXPECT_EQ(found("k<<<grid, block, 0, nullptr>>>(x); k<<<1, 1>>>();"), 2U);
  EXPECT_EQ(found("// k<<<1, 1>>>()"), 0U);
}

}  // namespace
}  // namespace headrace::tidy
