// A device that is lost in the middle of a program: what was under way there fails and says so, everything else goes
// on.

#include <cstdio>
#include <string>

#include "engine/launcher.h"
#include "engine/scenario.h"
#include "engine/scheduler.h"
#include "engine/testing.h"

namespace stretto {
namespace {

CallSite program(const char* file, std::uint32_t line) { return {file, "", line}; }

const Scenario chain("a chain on a device that is lost", [] {
  // The third of four kernels is the one. The first waits until all are issued, so that they are under way together.
  const Array<> x(1, sim0), other(1, sim1), here(1, cpu0);
  Gate gate;
  const auto add = [&](const char* name, std::uint32_t line, bool first) {
    submit({.name = name, .device = sim0, .site = program("program.cpp", line)}, {first ? write(x) : read_write(x)},
           [gate, first](BodyContext& context) {
             if (first) gate.pass();
             *data(context, 0) += 1;
           });
  };
  add("first", 1, true);
  add("second", 2, false);
  add("third", 3, false);
  add("third", 3, false);
  submit(sim1, {write(other)}, [](BodyContext& context) { *data(context, 0) = 5; });
  submit({.name = "copy", .device = sim1, .role = LaneRole::to_host}, {read(other), write(here)},
         [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
  const Launcher& launcher = *Engine::get().scheduler().devices().at(sim0).launcher;
  if (!serial_engine() && !eventually([&] { return launcher.in_flight() == 4; })) return 1;
  gate.open();
  std::printf("%s\n", error_of([&] { x.wait(); }).c_str());
  std::printf("%d\n", static_cast<int>(here.item()));
  std::printf("%s\n", error_of([] { wait_all(); }).c_str());
  std::printf("%s\n", error_of([] { wait_all(); }).c_str());
  const Array<> late(1, sim0);
  submit({.name = "late", .device = sim0, .site = program("program.cpp", 9)}, {write(late)},
         [](BodyContext& context) { *data(context, 0) = 1; });
  std::printf("%s\n", error_of([&] { late.wait(); }).c_str());
  return 0;
});

constexpr const char* cause = "STRETTO_SIM_MODEL has it lost at its kernel or copy number 3";

TEST(Loss, WhatIsUnfinishedFailsAndTheRestGoesOn) {
  if (serial_engine()) GTEST_SKIP() << "there one task is under way at a time";
  const std::string lost =
      std::string("sim:0 was lost: ") + cause + "; unfinished there: third at program.cpp:3 (2 times)";
  EXPECT_SCENARIO(
      "a chain on a device that is lost", (Variables{{"STRETTO_SIM_MODEL", "sim:0.lost_at=3"}}),
      "[third] " + lost + " (at program.cpp:3)\n5\nnothing\nnothing\n[late] " + lost + " (at program.cpp:9)\n");
}

const Scenario alone("one kernel of many is the one that loses the device", [] {
  const Array<> x(1, sim0);
  fill<std::int64_t>(x, 0, sim0);
  for (std::uint32_t line = 1; line < 5; ++line)
    submit({.name = "step", .device = sim0, .site = program("program.cpp", line)}, {read_write(x)},
           [](BodyContext& context) { ++*data(context, 0); });
  std::printf("%s\n", error_of([&] { x.wait(); }).c_str());
  return 0;
});

TEST(Loss, TheSerialEngineNamesTheOne) {
  EXPECT_SCENARIO("one kernel of many is the one that loses the device",
                  (Variables{{"STRETTO_ENGINE", "serial"}, {"STRETTO_SIM_MODEL", "sim:0.lost_at=3"}}),
                  std::string("[step] sim:0 was lost: ") + cause +
                      "; unfinished there: step at program.cpp:2 (at program.cpp:2)\n");
}

const Scenario through("a program over all devices", [] {
  // Chains on each device that meet now and then; each result is either right or fails with the loss.
  constexpr int steps = 12;
  const Array<> a(1, sim0), b(1, sim1), c(1, cpu0), from_a(1, cpu0), from_b(1, cpu0), mixed(1, sim1);
  fill<std::int64_t>(a, 1, sim0);
  fill<std::int64_t>(b, 2, sim1);
  fill<std::int64_t>(c, 3, cpu0);
  const auto grow = [](BodyContext& context) { *data(context, 0) = *data(context, 0) * 3 + 1; };
  for (int i = 0; i < steps; ++i) {
    submit(sim0, {read_write(a)}, grow);
    submit(sim1, {read_write(b)}, grow);
    submit(cpu0, {read_write(c)}, grow);
  }
  const auto copy = [](BodyContext& context) { *data(context, 1) = *data(context, 0); };
  submit({.name = "copy", .device = sim0, .role = LaneRole::to_host}, {read(a), write(from_a)}, copy);
  submit({.name = "copy", .device = sim1, .role = LaneRole::to_host}, {read(b), write(from_b)}, copy);
  submit({.name = "copy", .device = sim0, .role = LaneRole::peer}, {read(a), write(mixed)}, copy);
  for (int i = 0; i < steps; ++i) submit(sim1, {read_write(mixed)}, grow);
  const auto grown = [](std::int64_t value, int times) {
    for (int i = 0; i < times; ++i) value = value * 3 + 1;
    return value;
  };
  const auto tell = [](const Array<>& array, std::int64_t expected) {
    const std::string error = error_of([&] { array.wait(); });
    if (error != "nothing") {
      std::printf("%s", error.find("sim:0 was lost") != std::string::npos ? "lost " : error.c_str());
    } else {
      std::printf("%s", array.item() == expected ? "right " : "wrong ");
    }
  };
  tell(from_a, grown(1, steps));
  tell(from_b, grown(2, steps));
  tell(mixed, grown(grown(1, steps), steps));
  tell(c, grown(3, steps));
  error_of([] { wait_all(); });
  return 0;
});

TEST(Loss, AtEveryPointTheRestIsRightAndNothingHangs) {
  // sim:0 does a fill, 12 steps and two copies: 15 pieces of work.
  for (int point = 1; point <= 16; ++point) {
    const Ended ended = run_scenario("a program over all devices",
                                     {{"STRETTO_SIM_MODEL", "sim:0.lost_at=" + std::to_string(point)}}, 20);
    EXPECT_EQ(ended.code, 0) << point << " printed " << ended.output;
    const bool all = ended.output == "right right right right ";
    const bool some = ended.output == "lost right right right " || ended.output == "right right lost right ";
    if (point <= 13) {
      EXPECT_EQ(ended.output, "lost right lost right ") << point;
    } else if (point <= 15) {
      EXPECT_TRUE(some || ended.output == "lost right lost right ") << point << " printed " << ended.output;
    } else {
      EXPECT_TRUE(all) << ended.output;
    }
  }
}

TEST(Loss, StreamsAndEventsThatCannotBeMadeAreALossToo) {
  for (const char* fault : {"no_stream_at=1", "no_stream_at=2", "no_event_at=1", "no_event_at=7"}) {
    const Ended ended =
        run_scenario("a program over all devices", {{"STRETTO_SIM_MODEL", std::string("sim:0.") + fault}}, 20);
    EXPECT_EQ(ended.code, 0) << fault << " printed " << ended.output;
    EXPECT_TRUE(ended.output == "lost right lost right " || ended.output == "right right lost right " ||
                ended.output == "lost right right right ")
        << fault << " printed " << ended.output;
  }
}

TEST(Loss, ABlockThatIsRefusedOnceIsAskedForAgain) {
  const Ended ended =
      run_scenario("a program over all devices", {{"STRETTO_SIM_MODEL", "sim:0.no_memory_at=1,sim:1.no_memory_at=1"}});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, "right right right right ");
}

const Scenario exit_after_loss("the end of a process after a loss", [] {
  const Array<> x(1, sim0);
  fill<std::int64_t>(x, 0, sim0);
  for (int i = 0; i < 10; ++i)
    submit({.name = "step", .device = sim0, .outside_effect = true}, {read_write(x)},
           [](BodyContext& context) { ++*data(context, 0); });
  return 0;
});

TEST(Loss, TheProcessEndsAndSaysWhatNobodyRead) {
  const Ended ended = run_scenario("the end of a process after a loss", {{"STRETTO_SIM_MODEL", "sim:0.lost_at=4"}}, 20);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output.find("stretto: a failure was never read: [step] sim:0 was lost: "), 0u) << ended.output;
}

}  // namespace
}  // namespace stretto
