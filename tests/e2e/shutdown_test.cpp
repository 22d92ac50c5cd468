// The program that ships, ended by signals.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

std::vector<std::string> arguments() {
  return {"serve",    "--models", support::shipped_models(), "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0",
          "--device", "cpu"};
}

TEST(Shutdown, sigterm_in_the_middle_of_a_thousand_requests_loses_none) {
  constexpr std::size_t clients = 50;
  constexpr std::size_t pipelined = 20;  // of each client in flight when the signal comes
  support::Process process(arguments());
  const auto address = process.address("http");
  const std::vector<float> rows(64 * 20, 1.0F);
  std::string burst;
  for (std::size_t i = 0; i < pipelined; ++i) burst += support::binary_infer_text({}, rows);
  std::atomic<std::size_t> answered{0};
  std::atomic<std::size_t> refused{0};
  std::barrier sent(clients + 1);
  std::vector<std::jthread> threads;
  for (std::size_t c = 0; c < clients; ++c) {
    threads.emplace_back([&] {
      support::HttpClient client(address);
      client.send(burst);
      sent.arrive_and_wait();
      // The service answers in order and says when it will take no more; what follows that was never accepted.
      for (std::size_t i = 0; i < pipelined; ++i) {
        const auto answer = client.receive();
        if (!answer || answer->status != 200) {
          ++refused;
          break;
        }
        ++answered;
        const auto connection = answer->headers.find("connection");
        if (connection != answer->headers.end() && connection->second == "close") break;
      }
    });
  }
  sent.arrive_and_wait();
  process.signal(SIGTERM);
  threads.clear();
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(refused, 0U);
  EXPECT_GE(answered, clients);
}

TEST(Shutdown, a_thousand_requests_that_wait_when_sigterm_comes_are_all_answered) {
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;  // the program inherits it
  setrlimit(RLIMIT_NOFILE, &descriptors);
  constexpr std::size_t clients = 1000;
  const auto models = std::filesystem::path(testing::TempDir()) / "held_models";
  std::filesystem::create_directories(models / "held");
  std::ofstream(models / "held" / "model.yaml") << "inputs: [{name: x, datatype: FP32, shape: [4]}]\n"
                                                   "steps: [{op: affine, scale: 2, shift: 1}]\n"
                                                   "outputs: [{name: y}]\n"
                                                   "batching: {max_queue_delay_us: 2000000}\n";
  auto words = arguments();
  words[2] = models;
  support::Process process(words);
  support::HttpClient admin(process.address("admin"));
  std::vector<support::HttpClient> waiting;
  waiting.reserve(clients);
  for (std::size_t c = 0; c < clients; ++c) {
    waiting.emplace_back(process.address("http"));
    const std::vector<float> row(4, static_cast<float>(c));
    waiting.back().send(support::binary_infer_text({.model = "held", .input = "x", .columns = 4}, row));
  }
  // The first of them are held for two seconds; by then the last has come, or has gone into the next batch.
  while (admin.get("/metrics").body.find("headrace_inflight_requests 1000\n") == std::string::npos) {
    if (admin.get("/metrics").body.find("code=\"200\"} 0\n") == std::string::npos) break;
  }
  process.signal(SIGTERM);
  for (std::size_t c = 0; c < clients; ++c) {
    const auto answer = waiting[c].receive().value_or(support::HttpAnswer{});
    ASSERT_EQ(support::answered_floats(answer), std::vector<float>(4, 2 * static_cast<float>(c) + 1)) << c;
  }
  EXPECT_EQ(process.wait(), 0);
}

TEST(Shutdown, ready_turns_503_at_once_while_requests_are_still_served) {
  auto words = arguments();
  words.insert(words.end(), {"--drain-delay", "60s"});
  support::Process process(words);
  support::HttpClient early(process.address("http"));
  EXPECT_EQ(early.get("/v2/health/ready").status, 200);
  support::HttpClient admin(process.address("admin"));
  process.signal(SIGTERM);
  while (admin.get("/v2/health/ready").status == 200) std::this_thread::yield();
  support::HttpClient late(process.address("http"));
  late.send(support::binary_infer_text({}, std::vector<float>(64, 1.0F)));
  const auto answer = late.receive().value_or(support::HttpAnswer{});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(late.closed_by_peer());
  process.signal(SIGTERM);  // the second one ends it at once
  EXPECT_EQ(process.wait(), 128 + SIGTERM);
}

TEST(Shutdown, an_address_in_use_and_a_wrong_folder_are_start_failures) {
  support::Process process(arguments());
  auto words = arguments();
  words[4] = process.address("http");
  EXPECT_THROW(support::Process second(words), std::runtime_error);
  words = arguments();
  words[2] = "/nowhere";
  EXPECT_THROW(support::Process third(words), std::runtime_error);
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace headrace
