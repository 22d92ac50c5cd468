#include "service/pipeline/backlog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "service/pipeline/channel.hpp"
#include "tests/service/pipeline/support.hpp"

namespace headrace::pipeline {
namespace {

using namespace std::chrono_literals;
using telemetry::Clock;

struct Request {
  std::uint32_t number = 0;
  bool left = false;
};
using Handle = std::shared_ptr<Request>;
using Waiting = Backlog<Handle>;
using Item = Waiting::Item;

constexpr Clock::time_point start{1h};
constexpr BatchLimits limits{.rows_max = 64, .segments_max = 8};
constexpr BacklogOptions options{.requests_max = 40, .rows_max = 500, .request_rows_max = 64, .quantum_rows = 16};

constexpr auto any = [](Handle&) { return true; };
constexpr auto still_there = [](Handle& request) { return !request->left; };

Item item(std::uint32_t number, BacklogEntry entry) {
  return {.request = std::make_shared<Request>(Request{number, false}), .entry = entry};
}
std::vector<std::uint32_t> numbers(const std::vector<Item>& items) {
  std::vector<std::uint32_t> result;
  for (const Item& each : items) result.push_back(each.request->number);
  return result;
}
std::vector<std::uint32_t> take(Waiting& backlog, BatchLimits batch = limits) {
  std::vector<Item> taken;
  std::vector<Item> dropped;
  backlog.take(batch, any, taken, dropped);
  return numbers(taken);
}

TEST(Backlog, BoundedInRequestsAndRows) {
  Waiting backlog({.requests_max = 3, .rows_max = 10, .request_rows_max = 10});
  EXPECT_TRUE(backlog.empty());
  backlog.push(item(0, {.rows = 8, .bytes = 100}));
  EXPECT_FALSE(backlog.has_room(item(9, {.rows = 3})));
  EXPECT_TRUE(backlog.has_room(item(9, {.rows = 2})));
  backlog.push(item(1, {.rows = 1, .bytes = 10}));
  backlog.push(item(2, {.rows = 1, .bytes = 1}));
  EXPECT_EQ(backlog.rows(), 10u);
  EXPECT_EQ(backlog.bytes(), 111u);
  EXPECT_FALSE(backlog.has_room(item(9, {.rows = 0}))) << "three requests are the most";
  EXPECT_EQ(backlog.pop().request->number, 0u);
  EXPECT_EQ(backlog.rows(), 2u);
  EXPECT_TRUE(backlog.has_room(item(9, {.rows = 8})));
}

TEST(Backlog, OneClientIsFirstInFirstOutAndNoRequestIsSplit) {
  Waiting backlog(options);
  for (const std::uint32_t rows : {30u, 30u, 10u, 1u}) backlog.push(item(rows, {.rows = rows}));
  EXPECT_EQ(take(backlog), (std::vector{30u, 30u})) << "the 1 row would fit, but the 10 came first";
  EXPECT_EQ(take(backlog), (std::vector{10u, 1u}));
  EXPECT_TRUE(take(backlog).empty());
}

TEST(Backlog, OneBatchHoldsOneRowShape) {
  Waiting backlog(options);
  for (const std::uint64_t shape : {1u, 1u, 2u, 1u}) {
    backlog.push(item(static_cast<std::uint32_t>(backlog.size()), {.rows = 1, .shape = shape}));
  }
  EXPECT_EQ(take(backlog), (std::vector{0u, 1u}));
  EXPECT_EQ(take(backlog), (std::vector{2u}));
  EXPECT_EQ(take(backlog), (std::vector{3u}));
}

TEST(Backlog, SegmentsAreLimited) {
  Waiting backlog(options);
  for (std::uint32_t i = 0; i < 10; ++i) backlog.push(item(i, {.rows = 1}));
  EXPECT_EQ(take(backlog).size(), 8u);
  EXPECT_EQ(take(backlog).size(), 2u);
}

TEST(Backlog, WhoLeftIsDroppedWhenItsTurnComesAndTakesNoPlace) {
  Waiting backlog(options);
  for (std::uint32_t i = 0; i < 4; ++i) {
    Item each = item(i, {.rows = 32});
    each.request->left = i == 0 || i == 2;
    backlog.push(std::move(each));
  }
  std::vector<Item> taken;
  std::vector<Item> dropped;
  backlog.take(limits, still_there, taken, dropped);
  EXPECT_EQ(numbers(taken), (std::vector{1u, 3u}));
  EXPECT_EQ(numbers(dropped), (std::vector{0u, 2u}));
  EXPECT_TRUE(backlog.empty());
}

TEST(Backlog, LowerLevelsGoFirst) {
  Waiting backlog(options);
  backlog.push(item(0, {.rows = 40, .level = 2}));
  backlog.push(item(1, {.rows = 40, .level = 1}));
  backlog.push(item(2, {.rows = 20, .level = 5}));
  backlog.push(item(3, {.rows = 20, .level = 0}));
  EXPECT_EQ(take(backlog), (std::vector{3u, 1u}));
  EXPECT_EQ(take(backlog), (std::vector{0u, 2u}));
}

TEST(Backlog, ClientsShareTheRowsWhateverTheirRequestSizes) {
  Waiting backlog({.requests_max = 4000, .rows_max = 1'000'000, .request_rows_max = 64, .quantum_rows = 16});
  // Client 0 sends 60 rows at a time, client 1 single rows, client 2 has twenty times as much waiting.
  for (std::uint32_t i = 0; i < 100; ++i) backlog.push(item(0, {.rows = 60, .client = 0}));
  for (std::uint32_t i = 0; i < 2000; ++i) backlog.push(item(1, {.rows = 1, .client = 1}));
  for (std::uint32_t i = 0; i < 1800; ++i) backlog.push(item(2, {.rows = 64, .client = 2}));
  std::map<std::uint64_t, std::uint64_t> rows;
  for (int batch = 0; batch < 60; ++batch) {
    std::vector<Item> taken;
    std::vector<Item> dropped;
    backlog.take({.rows_max = 64, .segments_max = 64}, any, taken, dropped);
    for (const Item& each : taken) rows[each.entry.client] += each.entry.rows;
  }
  const auto [least, most] = std::minmax({rows[0], rows[1], rows[2]});
  EXPECT_LE(most - least, 2u * 64 + 16) << rows[0] << " " << rows[1] << " " << rows[2];
}

TEST(Backlog, WorkAloneIsNotHeldAgainstAClientLater) {
  Waiting backlog({.requests_max = 4000, .rows_max = 1'000'000, .request_rows_max = 64, .quantum_rows = 16});
  for (std::uint32_t i = 0; i < 1000; ++i) backlog.push(item(0, {.rows = 16, .client = 0}));
  for (int batch = 0; batch < 100; ++batch) take(backlog, {.rows_max = 64, .segments_max = 64});
  for (std::uint32_t i = 0; i < 1000; ++i) backlog.push(item(1, {.rows = 16, .client = 1}));
  const auto batch = take(backlog, {.rows_max = 64, .segments_max = 64});
  EXPECT_EQ(std::count(batch.begin(), batch.end(), 0u), 2);
}

TEST(Backlog, WhoDidNotFitIsFirstInTheNextBatch) {
  BacklogOptions generous = options;
  generous.quantum_rows = 64;
  Waiting backlog(generous);
  backlog.push(item(60, {.rows = 60, .client = 1}));
  backlog.push(item(61, {.rows = 60, .client = 1}));
  backlog.push(item(64, {.rows = 64, .client = 2}));
  for (std::uint32_t i = 0; i < 10; ++i) backlog.push(item(i, {.rows = 1, .client = 3}));
  EXPECT_EQ(take(backlog), (std::vector{60u, 0u, 1u, 2u, 3u})) << "others fill what the 64 rows cannot use";
  EXPECT_EQ(take(backlog), (std::vector{64u}));
  EXPECT_EQ(take(backlog), (std::vector{4u, 5u, 6u, 7u, 8u, 9u}));
  EXPECT_EQ(take(backlog), (std::vector{61u}));
}

TEST(Backlog, ABigRequestIsServedAfterItsShareOfTurns) {
  Waiting backlog(options);
  backlog.push(item(1, {.rows = 1, .client = 1}));
  backlog.push(item(100, {.rows = 64, .client = 2}));
  std::uint32_t rows_before = 0;
  for (std::uint32_t i = 2;; ++i) {
    if (backlog.size() < 20) backlog.push(item(i, {.rows = 1, .client = 1}));
    const auto batch = take(backlog);
    if (std::count(batch.begin(), batch.end(), 100u) == 1) break;
    rows_before += static_cast<std::uint32_t>(batch.size());
    ASSERT_LE(rows_before, 64u + 2 * options.quantum_rows);
  }
}

TEST(Backlog, DeadlinesExpireEarliestFirstAndOnlyThose) {
  Waiting backlog(options);
  for (const std::uint32_t at : {50u, 10u, 30u, 20u, 40u}) {
    backlog.push(item(at, {.rows = 1, .deadline = start + std::chrono::microseconds(at)}));
  }
  backlog.push(item(0, {.rows = 1}));
  EXPECT_EQ(backlog.view().deadline, start + 10us);
  std::vector<Item> expired;
  std::vector<Item> dropped;
  backlog.expire(start + 9us, any, expired, dropped);
  EXPECT_TRUE(expired.empty());
  backlog.expire(start + 30us, any, expired, dropped);
  EXPECT_EQ(numbers(expired), (std::vector{10u, 20u, 30u}));
  EXPECT_EQ(backlog.view().deadline, start + 40us);
  EXPECT_EQ(take(backlog), (std::vector{50u, 40u, 0u}));
  EXPECT_FALSE(backlog.view().deadline);
}

TEST(Backlog, FreesWhatItHandsOut) {
  Waiting backlog(options);
  auto request = std::make_shared<Request>();
  backlog.push({.request = request, .entry = {.rows = 1}});
  EXPECT_EQ(request.use_count(), 2);
  take(backlog);
  EXPECT_EQ(request.use_count(), 1);
}

// ---- against a simple model, in random sequences ----

struct Shape {
  std::uint32_t clients;
  std::uint32_t levels;
  std::uint32_t shapes;
  bool leaving;
};

// What waits, in order of arrival, looked through from the front for everything.
class Model {
 public:
  explicit Model(Shape shape) : shape_(shape) {}

  bool has_room(const BacklogEntry& entry) const {
    return waiting_.size() < options.requests_max && rows() + entry.rows <= options.rows_max;
  }
  std::uint64_t rows() const {
    std::uint64_t sum = 0;
    for (const Item& each : waiting_) sum += each.entry.rows;
    return sum;
  }
  void push(const Item& each) { waiting_.push_back(each); }
  const std::deque<Item>& waiting() const { return waiting_; }

  void check_take(const std::vector<Item>& taken, const std::vector<Item>& dropped) {
    std::uint64_t rows = 0;
    const bool had_any = !waiting_.empty();
    const bool alone = shape_.clients == 1 && shape_.levels == 1;
    if (alone) {
      EXPECT_EQ(numbers(taken), prefix());
    }
    std::uint8_t lowest = 255;
    for (const Item& each : waiting_) {
      if (!each.request->left) lowest = std::min(lowest, each.entry.level);
    }
    for (const Item& each : taken) {
      EXPECT_FALSE(each.request->left);
      EXPECT_EQ(each.entry.shape, taken.front().entry.shape);
      rows += each.entry.rows;
    }
    EXPECT_LE(rows, limits.rows_max);
    EXPECT_LE(taken.size(), limits.segments_max);
    EXPECT_TRUE(!had_any || !taken.empty() || !dropped.empty());
    if (!taken.empty()) {
      EXPECT_EQ(taken.front().entry.level, lowest);
    }
    for (const Item& each : dropped) EXPECT_TRUE(each.request->left);
    remove_in_order(taken, dropped);
  }

  void check_expired(Clock::time_point now, const std::vector<Item>& expired, const std::vector<Item>& dropped) {
    EXPECT_TRUE(std::is_sorted(expired.begin(), expired.end(),
                               [](const Item& a, const Item& b) { return a.entry.deadline < b.entry.deadline; }));
    const auto is_due = [now](const Item& each) {
      return each.entry.deadline != Clock::time_point{} && each.entry.deadline <= now;
    };
    std::set<std::uint32_t> due;
    for (const Item& each : waiting_) {
      if (is_due(each)) due.insert(each.request->number);
    }
    std::set<std::uint32_t> gone;
    for (const auto* list : {&expired, &dropped}) {
      for (const Item& each : *list) gone.insert(each.request->number);
    }
    EXPECT_EQ(gone, due);
    std::erase_if(waiting_, is_due);
  }

 private:
  // What one client's batch must be: from the front, without gaps, while shape, rows and segments allow.
  std::vector<std::uint32_t> prefix() const {
    std::vector<std::uint32_t> result;
    std::uint32_t rows = 0;
    std::optional<std::uint64_t> shape;
    for (const Item& each : waiting_) {
      if (result.size() == limits.segments_max || rows + each.entry.rows > limits.rows_max) break;
      if (shape && each.entry.shape != *shape) break;
      if (each.request->left) continue;
      shape = each.entry.shape;
      rows += each.entry.rows;
      result.push_back(each.request->number);
    }
    return result;
  }

  // Each client's requests left in order of arrival, each once.
  void remove_in_order(const std::vector<Item>& taken, const std::vector<Item>& dropped) {
    for (const auto* list : {&taken, &dropped}) {
      std::map<std::pair<std::uint8_t, std::uint64_t>, std::uint32_t> last;
      for (const Item& each : *list) {
        auto& before = last[{each.entry.level, each.entry.client}];
        EXPECT_LE(before, each.request->number);
        before = each.request->number;
      }
    }
    std::set<std::uint32_t> gone;
    for (const auto* list : {&taken, &dropped}) {
      for (const Item& each : *list) EXPECT_TRUE(gone.insert(each.request->number).second);
    }
    for (const Item& each : waiting_) {
      if (gone.contains(each.request->number)) continue;
      for (const Item& other : waiting_) {
        const bool same = other.entry.level == each.entry.level && other.entry.client == each.entry.client;
        const bool overtook = gone.contains(other.request->number) && other.request->number > each.request->number;
        EXPECT_FALSE(same && overtook) << other.request->number << " overtook " << each.request->number;
      }
    }
    const std::size_t before = waiting_.size();
    std::erase_if(waiting_, [&gone](const Item& each) { return gone.contains(each.request->number); });
    EXPECT_EQ(waiting_.size() + gone.size(), before);
  }

  Shape shape_;
  std::deque<Item> waiting_;
};

class BacklogProperty : public testing::TestWithParam<Shape> {};

TEST_P(BacklogProperty, AgreesWithTheModel) {
  const Shape shape = GetParam();
  for (std::uint32_t seed = 1; seed <= test::rounds(40); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::minstd_rand engine(seed);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine() >> 3); };
    Waiting backlog(options);
    Model model(shape);
    Clock::time_point now = start;
    for (std::uint32_t step = 1; step < 1'000 && !testing::Test::HasFailure(); ++step) {
      now += std::chrono::microseconds(random() % 10);
      std::vector<Item> taken;
      std::vector<Item> dropped;
      const auto what = random() % 16;
      if (what < 11) {
        BacklogEntry entry{.rows = random() % 4 == 0 ? random() % 65 : random() % 8,
                           .bytes = random() % 1000,
                           .shape = random() % shape.shapes,
                           .level = static_cast<std::uint8_t>(random() % shape.levels * 3),
                           .client = random() % shape.clients * 0x100000001u,
                           .enqueued = now};
        if (random() % 3 == 0) entry.deadline = now + std::chrono::microseconds(random() % 300);
        Item each = item(step, entry);
        ASSERT_EQ(backlog.has_room(each), model.has_room(entry));
        if (model.has_room(entry)) {
          model.push(each);
          backlog.push(std::move(each));
        }
      } else if (what < 13) {
        backlog.take(limits, still_there, taken, dropped);
        model.check_take(taken, dropped);
      } else if (what < 15) {
        backlog.expire(now, still_there, taken, dropped);
        model.check_expired(now, taken, dropped);
      } else if (shape.leaving && !model.waiting().empty()) {
        model.waiting()[random() % model.waiting().size()].request->left = true;
      }
      ASSERT_EQ(backlog.size(), model.waiting().size());
      ASSERT_EQ(backlog.rows(), model.rows());
      ASSERT_EQ(backlog.view().requests, model.waiting().size());
      if (!model.waiting().empty()) {
        ASSERT_EQ(backlog.view().oldest, model.waiting().front().entry.enqueued);
      }
    }
    while (!backlog.empty()) {
      std::vector<Item> taken;
      std::vector<Item> dropped;
      backlog.take(limits, still_there, taken, dropped);
      model.check_take(taken, dropped);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    ASSERT_TRUE(model.waiting().empty());
    ASSERT_EQ(backlog.bytes(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BacklogProperty,
                         testing::Values(Shape{1, 1, 1, false}, Shape{1, 1, 3, true}, Shape{2, 1, 1, false},
                                         Shape{7, 1, 2, true}, Shape{30, 3, 1, true}, Shape{3, 4, 2, true}));

TEST(Backlog, IsAChannelsStore) {
  Channel<Item, Waiting> queue(BacklogOptions{.requests_max = 2, .rows_max = 10, .request_rows_max = 10});
  Item first = item(1, {.rows = 6});
  Item second = item(2, {.rows = 6});
  EXPECT_EQ(queue.try_push(first), PushStatus::ok);
  EXPECT_EQ(queue.try_push(second), PushStatus::full);
  EXPECT_TRUE(second.request);
  EXPECT_EQ(queue.try_pop()->request->number, 1u);
  EXPECT_EQ(queue.try_push(second), PushStatus::ok);
}

}  // namespace
}  // namespace headrace::pipeline
