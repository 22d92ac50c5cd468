#include "service/telemetry/label_table.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headrace::telemetry {
namespace {

TEST(LabelTable, KnownNamesAreThereFromTheStart) {
  LabelTable table{"queue_full", "draining"};
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.number("draining"), 1U);
  EXPECT_EQ(table.name(0), "queue_full");
}

TEST(LabelTable, ANewNameIsAddedOnce) {
  LabelTable table{"queue_full"};
  EXPECT_EQ(table.number("odd"), 1U);
  EXPECT_EQ(table.number("odd"), 1U);
  EXPECT_EQ(table.size(), 2U);
}

TEST(LabelTable, NamesBeyondTheBoundAreOther) {
  LabelTable table{"first"};
  for (int i = 0; i < 1000; ++i) table.number("name" + std::to_string(i));
  EXPECT_EQ(table.size(), LabelTable::size_max);
  EXPECT_EQ(table.name(table.number("name999")), "other");
  EXPECT_EQ(table.name(table.number("name0")), "name0");
}

TEST(LabelTable, ThreadsThatAddAtOnceAgree) {
  LabelTable table{"first"};
  std::vector<std::vector<std::size_t>> numbers(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : numbers) {
      threads.emplace_back([&] {
        for (int i = 0; i < 16; ++i) mine.push_back(table.number("name" + std::to_string(i)));
      });
    }
  }
  for (const auto& mine : numbers) EXPECT_EQ(mine, numbers.front());
}

}  // namespace
}  // namespace headrace::telemetry
