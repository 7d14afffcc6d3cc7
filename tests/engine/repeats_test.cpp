#include "engine/repeats.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/testing.h"

namespace stretto {
namespace {

using Value = std::int64_t;

class Repeating : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (Engine::get().scheduler().repeats() == nullptr)
      GTEST_SKIP() << "only STRETTO_REPLAY=on looks for repeats: engine.repeats";
    wait_all();
    Engine::get().scheduler().repeats()->look_for(true);
    before_ = statistics();
  }

  static Repeats::Statistics statistics() { return Engine::get().scheduler().repeats()->statistics(); }
  std::uint64_t replays() const { return statistics().replays - before_.replays; }

  const Device device = GetParam();

  Array<Value> array() const { return Array<Value>(1, device); }
  Array<Value> filled(Value value) const {
    const Array<Value> made = array();
    submit({.name = "filled", .device = device}, {write(made)},
           [value](BodyContext& context) { *data<Value>(context, 0) = value; });
    return made;
  }
  /// x + y + number, in two tasks with a temporary between them.
  Array<Value> sum(const Array<Value>& x, const Array<Value>& y, Value number) const {
    const Array<Value> temporary = array(), result = array();
    submit({.name = "add", .device = device}, {read(x), read(y), write(temporary)}, [](BodyContext& context) {
      *data<Value>(context, 2) = *data<Value>(context, 0) + *data<Value>(context, 1);
    });
    submit({.name = "add number", .device = device}, {read(temporary), write(result)},
           [number](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0) + number; });
    return result;
  }
  /// A body of a loop with 40 tasks.
  Array<Value> step(const Array<Value>& x, const Array<Value>& y, Value number) const {
    Array<Value> result = sum(x, y, number);
    for (int i = 1; i < 20; ++i) result = sum(result, y, number + i);
    return result;
  }
  static Value step_value(Value x, Value y, Value number) { return x + 20 * y + 20 * number + 190; }

 private:
  Repeats::Statistics before_;
};

TEST_P(Repeating, ALoopIsReplayed) {
  Array<Value> x = filled(1);
  const Array<Value> y = filled(2);
  Value expected = 1;
  for (Value i = 0; i < 100; ++i) {
    x = step(x, y, i);
    expected = step_value(expected, 2, i);
  }
  EXPECT_EQ(x.item(), expected);
  EXPECT_GT(replays(), 0u);
  // The bodies are a person's: nobody knows whether they do the same each time.
  EXPECT_EQ(statistics().launched, 0u);
}

TEST_P(Repeating, ALoopThatReadsAValueEachTimeIsReplayed) {
  Array<Value> x = filled(1);
  const Array<Value> y = filled(2);
  Value expected = 1;
  for (Value i = 0; i < 60; ++i) {
    x = step(x, y, i);
    expected = step_value(expected, 2, i);
    ASSERT_EQ(x.item(), expected);
  }
  EXPECT_GT(replays(), 0u);
}

TEST_P(Repeating, WhatWasReferredToForOnceDoesNotKeepALoopFromReplays) {
  // At first the thread loses its core behind each body, before the locals go: as if all of them were results, each of
  // which would cost what a task does.
  const Array<Value> x = filled(1);
  const auto body = [&](Value i) {
    std::vector<Array<Value>> locals;
    for (Value k = 0; k < 20; ++k) {
      locals.push_back(array());
      submit({.name = "next", .device = device}, {read(k == 0 ? x : locals[locals.size() - 2]), write(locals.back())},
             [i](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0) + i; });
    }
    const SteadyClock::time_point until = SteadyClock::now() + std::chrono::microseconds(i < 30 ? 200 : 0);
    while (SteadyClock::now() < until) {
    }
    return locals.back();
  };
  for (Value i = 0; i < 100; ++i) {
    const Array<Value> last = body(i);
    ASSERT_EQ(last.item(), 1 + 20 * i);
  }
  EXPECT_GT(replays(), 0u);
}

TEST_P(Repeating, WhatIsKeptNowAndThenHasItsValue) {
  const Array<Value> x = filled(1), y = filled(2);
  std::vector<std::pair<Array<Value>, Value>> kept;
  for (Value i = 0; i < 200; ++i) {
    const Array<Value> middle = step(x, y, i);
    const Array<Value> end = step(middle, y, i);
    if (i % 17 == 3) kept.emplace_back(middle, step_value(1, 2, i));
    if (i % 23 == 5) kept.emplace_back(end, step_value(step_value(1, 2, i), 2, i));
  }
  for (const auto& [array, value] : kept) EXPECT_EQ(array.item(), value);
  EXPECT_GT(replays(), 0u);
}

TEST_P(Repeating, WhatIsLeftInTheMiddleIsSubmittedAsItIs) {
  Array<Value> x = filled(1);
  const Array<Value> y = filled(2), z = filled(3);
  Value expected = 1;
  // At first nothing disturbs the loop: so it is held when something does.
  for (Value i = 0; i < 100; ++i) {
    x = step(x, y, i);
    expected = step_value(expected, 2, i);
  }
  EXPECT_GT(replays(), 0u);
  for (Value i = 0; i < 200; ++i) {
    x = step(x, i % 13 == 12 ? z : y, i);
    expected = step_value(expected, i % 13 == 12 ? 3 : 2, i);
    if (i % 31 == 30) {
      x = sum(x, z, i);
      expected += 3 + i;
    }
    if (i % 41 == 40) {
      x = sum(x, y, 1);
      ASSERT_EQ(x.item(), expected += 3);
    }
  }
  EXPECT_EQ(x.item(), expected);
}

TEST_P(Repeating, ABufferInTwoRolesIsNotTakenForTwo) {
  // In some rounds what is written is what is read otherwise.
  const Array<Value> a = filled(0), b = filled(0);
  Value of_a = 0, of_b = 0;
  for (Value i = 0; i < 300; ++i) {
    const bool same = i % 50 > 45;
    const Array<Value>& other = same ? a : b;
    for (int j = 0; j < 16; ++j) {
      submit({.name = "count", .device = device}, {read_write(a)},
             [](BodyContext& context) { ++*data<Value>(context, 0); });
      submit({.name = "double", .device = device}, {read_write(other)},
             [](BodyContext& context) { *data<Value>(context, 0) = 2 * *data<Value>(context, 0) % 1000; });
      ++of_a;
      Value& changed = same ? of_a : of_b;
      changed = 2 * changed % 1000;
    }
  }
  EXPECT_EQ(a.item(), of_a);
  EXPECT_EQ(b.item(), of_b);
}

TEST_P(Repeating, OfWhatIsHeldOthersSeeAll) {
  // The other thread is told of each round, and goes on with what it made.
  const Array<Value> y = filled(2);
  for (Value round = 0; round < 20; ++round) {
    Array<Value> x = filled(1);
    Value expected = 1;
    for (Value i = 0; i < 20; ++i) {
      x = step(x, y, i);
      expected = step_value(expected, 2, i);
    }
    x = sum(x, y, round);
    expected += 2 + round;
    std::thread([&] {
      const Array<Value> result = sum(x, y, 1);
      EXPECT_EQ(result.item(), expected + 3);
    }).join();
  }
  EXPECT_GT(replays(), 0u);
}

TEST_P(Repeating, WhatIsHeldRunsThoughNobodyAsks) {
  const Array<Value> y = filled(2);
  Array<Value> x = filled(1);
  for (Value i = 0; i < 50; ++i) x = step(x, y, i);
  const auto ran = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < 7; ++i) submit({.name = "tell", .device = device}, {read(x)}, [ran](BodyContext&) { ++*ran; });
  for (int i = 0; i < 100; ++i)
    submit({.name = "tell again", .device = device}, {read(x)}, [ran](BodyContext&) { ++*ran; });
  EXPECT_TRUE(eventually([&] { return *ran == 107; }));
}

TEST_P(Repeating, WhatOthersReleaseComesBeforeWhatIsSubmittedMeanwhile) {
  Array<Value> x = filled(1);
  const Array<Value> y = filled(2);
  Value expected = 1;
  std::atomic<bool> over{false};
  std::thread releases([&] {
    while (!over) {
      Engine::get().scheduler().repeats()->release_idle();
      pause(64);
    }
  });
  for (Value i = 0; i < 1000; ++i) {
    x = step(x, y, i);
    expected = step_value(expected, 2, i);
  }
  EXPECT_EQ(x.item(), expected);
  over = true;
  releases.join();
}

TEST_P(Repeating, AFailureIsThatOfItsTask) {
  const Array<Value> y = filled(2);
  const CallSite site = std::source_location::current();
  for (Value i = 0; i < 50; ++i) {
    Array<Value> x = filled(1);
    for (int j = 0; j < 30; ++j) {
      const Array<Value> next = array();
      submit({.name = "next", .device = device, .site = site}, {read(x), read(y), write(next)},
             [fails = i == 40 && j == 7](BodyContext& context) {
               if (fails) throw Error("it was asked to");
               *data<Value>(context, 2) = *data<Value>(context, 0) + *data<Value>(context, 1);
             });
      x = next;
    }
    if (i == 40) {
      EXPECT_EQ(error_of([&] { x.item(); }), "[next] it was asked to (at " + to_string(site) + ")");
    } else if (i % 10 == 0) {
      EXPECT_EQ(x.item(), 61);
    }
  }
  wait_all();
  EXPECT_GT(replays(), 0u);
}

TEST_P(Repeating, ABodyIsGoneOnceItHasRun) {
  const auto alive = std::make_shared<int>(0);
  const Array<Value> x = filled(0);
  for (int i = 0; i < 500; ++i)
    submit({.name = "change", .device = device}, {read_write(x)},
           [alive](BodyContext& context) { ++*data<Value>(context, 0); });
  EXPECT_EQ(x.item(), 500);
  wait_all();
  EXPECT_TRUE(eventually([&] { return alive.use_count() == 1; }));
  EXPECT_GT(replays(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Devices, Repeating, testing::Values(cpu0, sim0),
                         [](const auto& info) { return info.param == cpu0 ? "Cpu" : "Sim"; });

}  // namespace
}  // namespace stretto
