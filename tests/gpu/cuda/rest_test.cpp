#include "gpu/cuda/rest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace headrace::gpu::cuda {
namespace {

using std::chrono::hours;

TEST(Rest, AWaitEndsByAWakeWhateverTheOrder) {
  // The waker changes what is asked first; however the two meet, the one that waits sees it.
  for (int round = 0; round < 2000; ++round) {
    Rest rest;
    std::atomic<bool> done{false};
    std::thread rester([&] { rest.wait([&] { return done.load(); }); });
    done.store(true);
    rest.wake();
    rester.join();
  }
}

TEST(Rest, ANapEndsByAWakeForSomethingSooner) {
  for (int round = 0; round < 500; ++round) {
    Rest rest;
    std::atomic<bool> done{false};
    std::thread rester([&] { rest.nap(Rest::Clock::now() + hours(1), [&] { return done.load(); }); });
    done.store(true);
    rest.wake(Rest::Clock::now());
    rester.join();
  }
}

TEST(Rest, ANapEndsByItself) {
  Rest rest;
  rest.nap(Rest::Clock::now(), [] { return false; });
  rest.nap(Rest::Clock::now() + std::chrono::microseconds(50), [] { return false; });
}

TEST(Rest, WhatIsDoneAlreadyIsNotWaitedFor) {
  Rest rest;
  rest.wait([] { return true; });
  rest.nap(Rest::Clock::now() + hours(1), [] { return true; });
}

}  // namespace
}  // namespace headrace::gpu::cuda
