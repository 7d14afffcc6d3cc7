// What becomes of replays that are pending when the process ends, or forks.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "engine/replay.h"
#include "engine/replay_section.h"
#include "engine/scenario.h"
#include "engine/template.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// A section without arguments and results.
template <typename Submit>
std::shared_ptr<Replays> capture(Submit submit) {
  Capture capture({});
  submit();
  capture.close();
  return std::make_shared<Replays>(Engine::get().scheduler(), Template::make(capture.take(), {}));
}

void replay(const std::shared_ptr<Replays>& section) {
  if (!section->submit({.name = "replay", .site = {}, .arguments = {}, .results = {}, .seed = {}}))
    std::printf("no replay\n");
}

const Scenario exit_with_replays("exit with replays", [] {
  const Array<Value> x(1);
  fill<Value>(x, 0);
  const auto section = capture([&] {
    for (int i = 0; i < 3; ++i)
      submit({.name = "count", .outside_effect = true}, {read_write(x)}, [](BodyContext& context) {
        sleep_for_milliseconds(5);
        if (++*data<Value>(context, 0) == 12) std::printf("counted\n");
      });
  });
  for (int i = 0; i < 3; ++i) replay(section);
  return 0;
});

TEST(ReplayEnd, PendingReplaysRunBeforeTheProcessEnds) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  EXPECT_SCENARIO("exit with replays", {}, "counted\n");
}

const Scenario fork_with_replays("fork with replays", [] {
  const Array<Value> x(1), y(1);
  fill<Value>(x, 1);
  fill<Value>(y, 1);
  const auto section = capture([&] {
    submit(cpu0, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 1; });
    submit(cpu0, {read(x), read_write(y)},
           [](BodyContext& context) { *data<Value>(context, 1) += *data<Value>(context, 0); });
  });
  wait_all();
  Gate gate;
  submit(cpu0, {read_write(x)}, [gate](BodyContext&) { gate.pass(); });
  for (int i = 0; i < 3; ++i) replay(section);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::printf("%s\n", error_of([&] { x.item(); }).c_str());
    const Array<Value> fresh(1);
    fill<Value>(x, 10);
    fill<Value>(y, 100);
    for (int i = 0; i < 5; ++i) replay(section);
    std::printf("child %lld\n", static_cast<long long>(y.item()));
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  gate.open();
  std::printf("parent %lld\n", static_cast<long long>(y.item()));
  return status;
});

TEST(Fork, AChildReplaysAnewAndTheParentGoesOn) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  EXPECT_SCENARIO("fork with replays", {},
                  "the value was still being computed when the process forked; only the parent has it\n"
                  "child 165\nparent 15\n");
}

const Scenario fork_with_lanes("fork with replays on lanes", [] {
  const Array<Value> x(1, sim0);
  fill<Value>(x, 1, sim0);
  const auto section =
      capture([&] { submit(sim0, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 1; }); });
  wait_all();
  Gate gate;
  submit(sim0, {read_write(x)}, [gate](BodyContext&) { gate.pass(); });
  for (int i = 0; i < 2; ++i) replay(section);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::printf("%s\n", error_of([&] { x.item(); }).c_str());
    for (int i = 0; i < 5; ++i) replay(section);
    std::printf("%s\n", error_of([] { wait_all(); }).c_str());
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  gate.open();
  std::printf("parent %lld\n", static_cast<long long>(x.item()));
  return status;
});

TEST(Fork, AChildHasNoReplaysOnLanesAndTheParentGoesOn) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  EXPECT_SCENARIO("fork with replays on lanes", {},
                  "the value was still being computed when the process forked; only the parent has it\n"
                  "[replay] sim:0 cannot be used in a forked child\nparent 4\n");
}

const Scenario loss_in_replays("a device that is lost in a replay", [] {
  // Two chains that meet, on streams of their own, three times: first plainly, then replayed.
  const Array<Value> a(1, sim0), b(1, sim0), other(1, sim1);
  fill<Value>(a, 1, sim0);
  fill<Value>(b, 2, sim0);
  fill<Value>(other, 3, sim1);
  const auto section = capture([&] {
    for (int i = 0; i < 3; ++i) {
      submit({.name = "grow", .device = sim0}, {read_write(a)}, [](BodyContext& context) { *data(context, 0) *= 3; });
      submit({.name = "shift", .device = sim0}, {read_write(b)}, [](BodyContext& context) { *data(context, 0) += 1; });
    }
    submit({.name = "meet", .device = sim0}, {read(a), read_write(b)},
           [](BodyContext& context) { *data(context, 1) += *data(context, 0); });
  });
  for (int i = 0; i < 2; ++i) replay(section);
  // b: (2 + 3 + 27), then + 3 + 729, then + 3 + 19683.
  tell_if_lost(a, 19683);
  tell_if_lost(b, 2 + 3 + 27 + 3 + 729 + 3 + 19683);
  tell_if_lost(other, 3);
  error_of([] { wait_all(); });
  return 0;
});

TEST(Loss, AReplayIsLostWithItsDevice) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  // Two fills and three times seven kernels.
  for (int point = 1; point <= 24; ++point) {
    const Ended ended = run_scenario("a device that is lost in a replay",
                                     {{"STRETTO_SIM_MODEL", "sim:0.lost_at=" + std::to_string(point)}}, 20);
    EXPECT_EQ(ended.code, 0) << point << " printed " << ended.output;
    EXPECT_EQ(ended.output, point <= 23 ? "lost lost right " : "right right right ") << point;
  }
}

}  // namespace
}  // namespace stretto
