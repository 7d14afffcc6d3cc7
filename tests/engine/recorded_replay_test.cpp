// Replays on lanes that are launched as they were recorded.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "engine/launcher.h"
#include "engine/replay_section.h"
#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

EngineDevice& device0() { return Engine::get().scheduler().devices().at(sim0); }
std::uint64_t launches() { return device0().launcher->recorded_launches(); }

/// Without the overflow that numbers with a sign must not have: how often a section runs is not known beforehand.
void triple(Value& value) { value = static_cast<Value>(3 * static_cast<std::uint64_t>(value)); }
void increase(Value& value, Value by) {
  value = static_cast<Value>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(by));
}

class RecordedReplays : public testing::Test {
 protected:
  void SetUp() override {
    if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
    wait_all();
    launches_before_ = launches();
  }

  std::uint64_t launched() const { return launches() - launches_before_; }
  /// Whether, once what recurs is recorded, all replays are launched but for a few: what else runs on the machine may
  /// hold some thread up for long, and change the order in which memory comes back.
  template <typename Call>
  static bool nearly_all_are_launched(Call call) {
    constexpr std::uint64_t calls = 100;
    return eventually([&] {
      const std::uint64_t before = launches();
      for (std::uint64_t i = 0; i < calls; ++i) call();
      wait_all();
      return launches() - before >= calls - calls / 10;
    });
  }
  static BufferReference filled(Value value) {
    const Array<Value> made(1, sim0);
    fill(made, value, sim0);
    return made.buffer;
  }
  /// result = 3 * argument + 1, by way of two branches.
  static Section branches(const BufferReference& argument) {
    return Section({argument}, [&] {
      const Array<Value> twice(1, sim0), more(1, sim0), result(1, sim0);
      submit({.name = "twice", .device = sim0}, {access(argument, AccessMode::read), write(twice)},
             [](BodyContext& context) { *data<Value>(context, 1) = 2 * *data<Value>(context, 0); });
      submit({.name = "more", .device = sim0}, {access(argument, AccessMode::read), write(more)},
             [](BodyContext& context) {
               if (*data<Value>(context, 0) == 13) throw Error("thirteen");
               *data<Value>(context, 1) = *data<Value>(context, 0) + 1;
             });
      submit({.name = "both", .device = sim0}, {read(twice), read(more), write(result)}, [](BodyContext& context) {
        *data<Value>(context, 2) = *data<Value>(context, 0) + *data<Value>(context, 1);
      });
      return std::vector{result};
    });
  }

  std::uint64_t launches_before_ = 0;
};

TEST_F(RecordedReplays, OneAfterTheOtherAreLaunched) {
  const BufferReference argument = filled(5);
  const Section section = branches(argument);
  BufferReference last;
  EXPECT_TRUE(nearly_all_are_launched([&] {
    last = section({argument}).front();
    EXPECT_EQ(value_of(last), 16);
  }));
}

TEST_F(RecordedReplays, PendingOnesAreLaunchedWhileTheLastResultIsHeld) {
  const BufferReference argument = filled(7);
  const Section section = branches(argument);
  BufferReference last;
  EXPECT_TRUE(nearly_all_are_launched([&] { last = section({argument}).front(); }));
  EXPECT_EQ(value_of(last), 22);
}

TEST_F(RecordedReplays, ResultsThatBecomeArgumentsRecur) {
  BufferReference x = filled(1);
  const Section section({x}, [&] {
    const Array<Value> half(1, sim0), result(1, sim0);
    submit(sim0, {access(x, AccessMode::read), write(half)},
           [](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0) ^ 5; });
    submit(sim0, {read(half), write(result)},
           [](BodyContext& context) { *data<std::uint64_t>(context, 1) = 3 * *data<std::uint64_t>(context, 0); });
    return std::vector{result};
  });
  std::uint64_t expected = 1;
  EXPECT_TRUE(nearly_all_are_launched([&] {
    x = section({x}).front();
    expected = 3 * (expected ^ 5);
  }));
  EXPECT_EQ(static_cast<std::uint64_t>(value_of(x)), expected);
}

TEST_F(RecordedReplays, OtherArgumentsAreNotTakenForThoseRecorded) {
  const BufferReference first = filled(0);
  const Section section = branches(first);
  std::vector<BufferReference> arguments;
  for (Value i = 0; i < 9; ++i) arguments.push_back(filled(i));
  ASSERT_TRUE(eventually([&] {
    std::vector<BufferReference> results;
    for (const BufferReference& argument : arguments) results.push_back(section({argument}).front());
    for (Value i = 0; i < 9; ++i) EXPECT_EQ(value_of(results[static_cast<std::size_t>(i)]), 3 * i + 1);
    return launched() >= 20;
  }));
}

TEST_F(RecordedReplays, FailuresAreThoseOfTheNodesAndGoNoFurther) {
  const BufferReference argument = filled(1);
  const Section section = branches(argument);
  BufferReference last;
  ASSERT_TRUE(eventually([&] {
    last = section({argument}).front();
    EXPECT_EQ(value_of(last), 4);
    return launched() > 2;
  }));
  const auto put = [&](Value value) {
    submit(sim0, {access(argument, AccessMode::write)},
           [value](BodyContext& context) { *data<Value>(context, 0) = value; });
  };
  for (int i = 0; i < 5; ++i) {
    put(13);
    last = section({argument}).front();
    EXPECT_EQ(error_of([&] { value_of(last); }), "[more] thirteen");
    put(2);
    last = section({argument}).front();
    EXPECT_EQ(value_of(last), 7);
  }
  // What comes in has failed: nothing that reads it runs.
  const auto fail_argument = [&] {
    submit({.name = "breaks", .device = sim0}, {access(argument, AccessMode::write)},
           [](BodyContext&) { throw Error("broken"); });
  };
  fail_argument();
  last = section({argument}).front();
  EXPECT_EQ(error_of([&] { value_of(last); }), "[breaks] broken");
  fail_argument();
  error_of([] { wait_all(); });
  last = section({argument}).front();
  EXPECT_EQ(error_of([&] { value_of(last); }), "[breaks] broken");
  put(3);
  last = section({argument}).front();
  EXPECT_EQ(value_of(last), 10);
}

TEST_F(RecordedReplays, GoWithTheirTemplate) {
  // Those of the test before go when the launcher has let go of them.
  ASSERT_TRUE(eventually([&] { return device0().recorded_nodes.load() == 0; }));
  {
    const BufferReference argument = filled(1);
    const Section section = branches(argument);
    ASSERT_TRUE(eventually([&] {
      value_of(section({argument}).front());
      return launched() > 0;
    }));
    EXPECT_GE(device0().recorded_nodes.load(), 3u);
    wait_all();
  }
  EXPECT_TRUE(eventually([&] { return device0().recorded_nodes.load() == 0; }));
}

const Scenario short_of_memory("recordings where memory is short", [] {
  const Array<Value> x(1, sim0);
  fill<Value>(x, 0, sim0);
  const Section section({}, [&] {
    for (int i = 0; i < 2; ++i)
      submit(sim0, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 1; });
  });
  Value calls = 1;
  const auto call = [&] {
    section({});
    wait_all();
    ++calls;
  };
  if (!eventually([&] {
        call();
        return launches() > 0;
      }))
    return 1;
  const Array<char> held(std::size_t{5} << 20, sim0), more(std::size_t{5} << 20, sim0);
  fill<char>(held, 1, sim0);
  fill<char>(more, 1, sim0);
  std::printf("%s, ", error_of([] { wait_all(); }).find("out of memory") != std::string::npos ? "short" : "enough");
  std::printf("%zu nodes left, ", device0().recorded_nodes.load());
  const std::uint64_t before = launches();
  if (!eventually([&] {
        call();
        return launches() > before;
      }))
    return 1;
  std::printf("%s", x.item() == 2 * calls ? "right" : "wrong");
  return 0;
});

TEST_F(RecordedReplays, AreGivenBackWhereMemoryIsShort) {
  EXPECT_SCENARIO("recordings where memory is short", (Variables{{"STRETTO_MEMORY_LIMIT", "8M"}}),
                  "short, 0 nodes left, right");
}

TEST_F(RecordedReplays, LaunchesKeepTheOrderOfWhatIsAround) {
  const Array<Value> x(1, sim0), y(1, sim0);
  fill<Value>(x, 1, sim0);
  fill<Value>(y, 0, sim0);
  const Section section({}, [&] {
    submit(sim0, {read_write(x)}, [](BodyContext& context) { triple(*data<Value>(context, 0)); });
    submit(sim0, {read(x), read_write(y)},
           [](BodyContext& context) { increase(*data<Value>(context, 1), *data<Value>(context, 0)); });
  });
  std::uint64_t expected_x = 3, expected_y = 3;
  ASSERT_TRUE(eventually([&] {
    for (int i = 0; i < 10; ++i) {
      submit(sim0, {read_write(x)}, [](BodyContext& context) { increase(*data<Value>(context, 0), 1); });
      section({});
      submit(sim0, {read_write(y)}, [](BodyContext& context) { *data<Value>(context, 0) ^= 12345; });
      expected_x = 3 * (expected_x + 1);
      expected_y = (expected_y + expected_x) ^ 12345;
    }
    EXPECT_EQ(static_cast<std::uint64_t>(y.item()), expected_y);
    EXPECT_EQ(static_cast<std::uint64_t>(x.item()), expected_x);
    return launched() >= 30;
  }));
}

const Scenario without("replays without recordings", [] {
  const Array<Value> x(1, sim0);
  fill<Value>(x, 0, sim0);
  const Section section({}, [&] {
    for (int i = 0; i < 2; ++i)
      submit(sim0, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 1; });
  });
  for (int i = 0; i < 20; ++i) {
    section({});
    wait_all();
  }
  std::printf("%lld %s", static_cast<long long>(x.item()), launches() == 0 ? "none" : "some");
  return 0;
});

TEST(RecordedReplaysOff, NothingIsLaunchedWhereGraphsAreOff) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  EXPECT_SCENARIO("replays without recordings", (Variables{{"STRETTO_GRAPHS", "0"}}), "42 none");
}

const Scenario lost_in_launch("a device that is lost in a launch", [] {
  const Array<Value> a(1, sim0), b(1, sim0);
  fill<Value>(a, 1, sim0);
  fill<Value>(b, 2, sim0);
  const Section section({}, [&] {
    for (int i = 0; i < 2; ++i) {
      submit({.name = "grow", .device = sim0}, {read_write(a)},
             [](BodyContext& context) { triple(*data(context, 0)); });
      submit({.name = "shift", .device = sim0}, {read_write(b)},
             [](BodyContext& context) { increase(*data(context, 0), 1); });
    }
    submit({.name = "meet", .device = sim0}, {read(a), read_write(b)},
           [](BodyContext& context) { increase(*data(context, 1), *data(context, 0)); });
  });
  // By the third it is launched, once it is ready.
  for (int i = 0; i < 4; ++i) {
    section({});
    error_of([&] { a.wait(); });
    sleep_for_milliseconds(20);
  }
  section({});
  Value expected_a = 1, expected_b = 2;
  for (int i = 0; i < 6; ++i) {
    expected_a *= 9;
    expected_b += 2 + expected_a;
  }
  tell_if_lost(a, expected_a);
  tell_if_lost(b, expected_b);
  std::printf("%s", launches() > 0 ? "launched" : "issued");
  error_of([] { wait_all(); });
  return 0;
});

TEST(Loss, ALaunchIsLostWithItsDevice) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  // Two fills, the captured call and five replays of five kernels.
  for (int point = 22; point <= 33; ++point) {
    const Ended ended = run_scenario("a device that is lost in a launch",
                                     {{"STRETTO_SIM_MODEL", "sim:0.lost_at=" + std::to_string(point)}}, 20);
    EXPECT_EQ(ended.code, 0) << point << " printed " << ended.output;
    EXPECT_EQ(ended.output, point <= 32 ? "lost lost launched" : "right right launched") << point;
  }
}

}  // namespace
}  // namespace stretto
