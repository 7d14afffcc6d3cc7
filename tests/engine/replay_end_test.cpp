// What becomes of replays that are pending when the process ends, or forks.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "engine/replay.h"
#include "engine/scenario.h"
#include "engine/template.h"
#include "engine/testing.h"

namespace stretto {
namespace {

using Value = std::int64_t;

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

}  // namespace
}  // namespace stretto
