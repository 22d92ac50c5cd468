// As with a GPU: a request that finds the service idle is submitted by its own I/O thread, which looks for its landing.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

constexpr std::size_t columns = 4;

std::string infer_text(int i) {
  const std::vector<float> row(columns, static_cast<float>(i));
  return support::binary_infer_text({.model = "m", .input = "x", .columns = columns}, row);
}

/// Sends `requests` one after the other on a connection of its own; how many were answered with 200.
int answered(const std::string& address, int requests) {
  support::HttpClient client(address);
  int good = 0;
  for (int i = 0; i < requests; ++i) {
    client.send(infer_text(i));
    good += client.receive().value_or(support::HttpAnswer{}).status == 200 ? 1 : 0;
  }
  return good;
}

TEST(Express, OneClientAfterTheOtherRequestIsAnsweredByItsOwnThread) {
  auto puppet = std::make_unique<support::PuppetDevice>();
  puppet->land_on_look(true);
  support::Service service(std::move(puppet), support::affine_repository("m", columns, {}), {.express = true});
  EXPECT_EQ(answered(service.address(), 200), 200);
  EXPECT_GE(service.puppet().looks(), 200U) << "nobody else ends these flights";
}

TEST(Express, ManyClientsShareTheServiceWithIt) {
  auto puppet = std::make_unique<support::PuppetDevice>(support::PuppetOptions{.auto_complete = true});
  support::Service service(std::move(puppet), support::affine_repository("m", columns, {}), {.express = true});
  std::vector<std::thread> clients;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i) clients.emplace_back([&] { good += answered(service.address(), 100); });
  for (auto& client : clients) client.join();
  EXPECT_EQ(good, 800);
}

}  // namespace
}  // namespace headrace
