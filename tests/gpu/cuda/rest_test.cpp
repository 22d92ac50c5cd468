#include "gpu/cuda/rest.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace headrace::gpu::cuda {
namespace {

using std::chrono::hours;

TEST(Rest, ASleepEndsByAWakeWhateverTheOrder) {
  // The waker changes what is asked first; however the two meet, the sleeper sees it.
  for (int round = 0; round < 2000; ++round) {
    Rest rest;
    std::atomic<bool> done{false};
    std::thread sleeper([&] { rest.sleep([&] { return done.load(); }); });
    done.store(true);
    rest.wake();
    sleeper.join();
  }
}

TEST(Rest, ANapEndsByAWakeForSomethingSooner) {
  for (int round = 0; round < 500; ++round) {
    Rest rest;
    std::atomic<bool> done{false};
    std::thread sleeper([&] { rest.nap(Rest::Clock::now() + hours(1), [&] { return done.load(); }); });
    done.store(true);
    rest.wake(Rest::Clock::now());
    sleeper.join();
  }
}

TEST(Rest, ANapEndsByItself) {
  Rest rest;
  rest.nap(Rest::Clock::now(), [] { return false; });
  rest.nap(Rest::Clock::now() + std::chrono::microseconds(50), [] { return false; });
}

TEST(Rest, WhatIsDoneAlreadyIsNotSleptOn) {
  Rest rest;
  rest.sleep([] { return true; });
  rest.nap(Rest::Clock::now() + hours(1), [] { return true; });
}

}  // namespace
}  // namespace headrace::gpu::cuda
