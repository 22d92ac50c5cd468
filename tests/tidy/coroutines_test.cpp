#include "tests/tidy/coroutines.hpp"

#include <gtest/gtest.h>

namespace headrace::tidy {
namespace {

std::size_t awaits_found(const std::string& line) {
  return check_awaits(Source("a.cpp", "awaitable<void> f() {\n  " + line + "\n}\n")).size();
}
std::size_t lambdas_found(const std::string& line) {
  return check_lambda_coroutines(Source("a.cpp", "void f() {\n  " + line + "\n}\n")).size();
}

TEST(TidyCoroutines, AwaitsThatAreStatements) {
  for (const std::string line : {
           "co_await f();",
           "auto x = co_await f();",
           "const auto [error, n] = co_await socket.async_read_some(buffer(a, n), token);",
           "x = co_await channel.receive();",
           "co_return co_await f();",
           "(void)co_await f();",
           "if (more) co_await f();",
           "while (more) co_await f(a, [](int n) { return n > 0 ? 1 : 2; });",
           "auto&& x = co_await f();",
           "co_await f(a && b, c ? d : e);",
           "case 1: co_await f();",
           "// f(co_await g());",
           "int co_awaited = f(co_awaited);",
       }) {
    EXPECT_EQ(awaits_found(line), 0U) << line;
  }
}

TEST(TidyCoroutines, AwaitsWithinExpressionsAreFound) {
  for (const std::string line : {
           "f(co_await g());",
           "f(1, co_await g(), 2);",
           "if (co_await g()) return;",
           "while (!co_await g()) {}",
           "for (auto x : co_await g()) {}",
           "Agg a{co_await g(), 1};",
           "auto x = c ? co_await g() : y;",
           "auto x = co_await g() ? 1 : 2;",
           "auto x = co_await g() || y;",
           "auto x = co_await g() && y;",
           "auto x = co_await g() + co_await h();",
           "auto x = co_await g(co_await h());",
           "a[co_await g()] = 1;",
           "auto x = (co_await g()).size();",
       }) {
    EXPECT_EQ(awaits_found(line), 1U) << line;
  }
  EXPECT_EQ(awaits_found("v.push_back({co_await g(), co_await h()});"), 2U);
}

TEST(TidyCoroutines, CapturingLambdaCoroutinesAreFound) {
  for (const std::string line : {
           "auto l = [x]() -> awaitable<void> { co_await f(x); };",
           "auto l = [&]() -> awaitable<void> { co_return; };",
           "spawn(e, [this]() -> awaitable<int> { co_return 1; }());",
           "spawn(e, [this, y = std::move(y)](int a) mutable noexcept -> awaitable<void, E> { co_await f(); }, name);",
           "return [=] { co_yield 1; };",
           "auto l = [x]<class T>(T t) -> awaitable<void> { co_await f(t); };",
           "auto o = [] { auto i = [&]() -> awaitable<void> { co_return; }; };",
           "co_await f([x]() -> awaitable<void> { if (x) { g(); } co_return; });",
       }) {
    EXPECT_EQ(lambdas_found(line), 1U) << line;
  }
}

TEST(TidyCoroutines, OtherLambdasAndBracketsAreNot) {
  for (const std::string line : {
           "auto l = [](int x) -> awaitable<void> { co_await f(x); };",
           "auto l = [ ]() -> awaitable<void> { co_return; };",
           "auto l = [x] { return x; };",
           "auto o = [x] { auto i = []() -> awaitable<void> { co_return; }; return x; };",
           "const auto [a, b] = f(); { co_await g(); }",
           "for (auto& [a, b] : m) { co_await g(); }",
           "if (a[i]) { co_await g(); }",
           "int b[4]{}; { co_return; }",
           "[[maybe_unused]] int x = 1; { co_return; }",
           "delete[] x; { co_return; }",
           "v = {a[0], b[1]}; { co_return; }",
           "auto x = f()[0]; { co_await g(); }",
       }) {
    EXPECT_EQ(lambdas_found(line), 0U) << line;
  }
}

TEST(TidyCoroutines, FindingsNameTheLine) {
  EXPECT_EQ(check_awaits(Source("a.cpp", "\n\nf(co_await g());")).at(0).line, 3U);
  EXPECT_EQ(check_lambda_coroutines(Source("a.cpp", "\nauto l =\n[x] { co_return; };")).at(0).line, 3U);
}

}  // namespace
}  // namespace headrace::tidy
