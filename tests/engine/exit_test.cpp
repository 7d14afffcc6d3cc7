// Case E4 and its kind: what happens to work when the process ends.

#include <cstdlib>
#include <fstream>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// The scenario ends with code 0 within five seconds, and prints `expected`.
void expect_end(const char* name, const std::string& expected, Variables variables = {}) {
  for (const char* engine : {"parallel", "serial"}) {
    variables.emplace_back("STRETTO_ENGINE", engine);
    const Ended ended = run_scenario(name, variables);
    EXPECT_EQ(ended.code, 0) << name << ", " << engine;
    EXPECT_EQ(ended.output, expected) << name << ", " << engine;
    EXPECT_LT(ended.seconds, 5) << name << ", " << engine;
    variables.pop_back();
  }
}
void expect_parallel_end(const char* name, int code, const std::string& expected, Variables variables = {}) {
  variables.emplace_back("STRETTO_ENGINE", "parallel");
  const Ended ended = run_scenario(name, variables);
  EXPECT_EQ(ended.code, code) << name;
  EXPECT_EQ(ended.output, expected) << name;
  EXPECT_LT(ended.seconds, 5) << name;
}

const Scenario pending("500 slow operations are pending", [] {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x(1, device);
    for (int i = 0; i < 500; ++i) submit(device, {read_write(x)}, [](BodyContext&) { sleep_for_milliseconds(20); });
  }
  return 0;
});
TEST(Exit, DropsPendingValues) { expect_parallel_end("500 slow operations are pending", 0, ""); }

const Scenario at_once("start and exit", [] {
  Engine::get();
  return 0;
});
TEST(Exit, AtOnce) { expect_end("start and exit", ""); }

const Scenario no_use("nothing at all", [] { return 0; });
TEST(Exit, WithoutAnyUse) { expect_end("nothing at all", ""); }

std::optional<Array<>> global;
thread_local std::optional<Array<>> local;
const Scenario globals("an array in a global and in a thread_local", [] {
  global.emplace(10, sim0);
  local.emplace(10);
  fill<std::int64_t>(*global, 1, sim0);
  fill<std::int64_t>(*local, 1);
  std::thread([] {
    local.emplace(10, sim0);
    fill<std::int64_t>(*local, 2, sim0);
  }).join();
  return 0;
});
TEST(Exit, WithArraysInGlobals) { expect_end("an array in a global and in a thread_local", ""); }

const Scenario effects("effects are pending", [] {
  // Each effect reads a value, which is needed then; the others are not.
  Array<> x(1), unused(1);
  fill<std::int64_t>(x, 0);
  for (int i = 0; i < 10; ++i) {
    submit(i % 2 ? cpu0 : sim0, {read_write(x)}, [](BodyContext& context) {
      sleep_for_milliseconds(2);
      ++*data(context, 0);
    });
    submit({.name = "print", .device = i % 3 ? cpu0 : sim1, .outside_effect = true}, {read(x)},
           [](BodyContext& context) {
             std::printf("%d\n", static_cast<int>(*data(context, 0)));
             std::fflush(stdout);
           });
  }
  for (int i = 0; i < 1000; ++i) submit(cpu0, {read_write(unused)}, [](BodyContext&) { sleep_for_milliseconds(5); });
  return 0;
});
TEST(Exit, CompletesEffectsAndWhatTheyNeed) {
  expect_parallel_end("effects are pending", 0, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
}

const Scenario nested("an effect works on", [] {
  // While the process ends, the task still makes values and more tasks with effects, and reads.
  const Array<> x(1);
  submit({.name = "outer", .outside_effect = true}, {write(x)}, [](BodyContext&) {
    sleep_for_milliseconds(100);
    const Array<> y(1), z(1, sim0);
    fill<std::int64_t>(y, 4);
    submit(sim0, {read(y), write(z)}, [](BodyContext& context) { *data(context, 1) = *data(context, 0) + 1; });
    std::printf("outer %d\n", static_cast<int>(z.item()));
    std::fflush(stdout);
    submit({.name = "inner", .outside_effect = true}, {read(z)}, [](BodyContext& context) {
      std::printf("inner %d\n", static_cast<int>(*data(context, 0)));
      std::fflush(stdout);
    });
  });
  return 0;
});
TEST(Exit, LetsEffectsWorkOn) { expect_end("an effect works on", "outer 5\ninner 5\n"); }

const Scenario dropped("an effect reads what is dropped", [] {
  // It did not say that it reads the value: nobody could know. It must not see garbage.
  const Array<> x(1), held(1);
  submit(cpu1, {write(held)}, [](BodyContext&) { sleep_for_milliseconds(100); });
  submit(cpu1, {read(held), write(x)}, [](BodyContext& context) { *data(context, 0) = 5; });
  submit({.name = "effect", .outside_effect = true}, {}, [x](BodyContext&) {
    sleep_for_milliseconds(300);
    std::puts(error_of([&] { std::printf("%d\n", static_cast<int>(x.item())); }).c_str());
    std::fflush(stdout);
  });
  return 0;
});
TEST(Exit, ADroppedValueIsAnErrorToWhoReadsIt) {
  expect_parallel_end("an effect reads what is dropped", 0,
                      "the value was dropped: the process is ending, and no task with outside effects needed it\n");
}

const Scenario failure("a failure is pending", [] {
  const Array<> x(1), y(1);
  submit({.name = "bad", .site = CallSite("program.cpp", "main", 5)}, {write(x)},
         [](BodyContext&) { throw Error("it went wrong"); });
  submit({.name = "next"}, {read(x), write(y)}, [](BodyContext&) {});
  sleep_for_milliseconds(50);
  return 0;
});
TEST(Exit, TellsOfAFailureNobodyRead) {
  expect_end("a failure is pending", "stretto: a failure was never read: [bad] it went wrong (at program.cpp:5)\n");
}

const Scenario endless("an effect without end", [] {
  const Array<> x(1);
  submit({.name = "endless", .outside_effect = true, .site = CallSite("program.cpp", "main", 5)}, {write(x)},
         [](BodyContext&) {
           while (true) sleep_for_milliseconds(10);
         });
  submit({.name = "behind", .outside_effect = true}, {read(x)}, [](BodyContext&) {});
  return 0;
});
TEST(Exit, GivesUpAfterATimeAndSaysWhatIsLost) {
  expect_parallel_end(
      "an effect without end", 1,
      "stretto: gave up at exit after 0.2 s (STRETTO_EXIT_TIMEOUT), lost: behind, endless at program.cpp:5\n",
      {{"STRETTO_EXIT_TIMEOUT", "0.2"}});
}

struct AtEnd {
  ~AtEnd() {
    if (!active) return;
    const Array<> x(1), y(1, sim0);
    fill<std::int64_t>(x, 20);
    submit({.name = "late", .device = sim0, .outside_effect = true}, {read(x), write(y)},
           [](BodyContext& context) { *data(context, 1) = *data(context, 0) + 1; });
    std::printf("%d\n", static_cast<int>(y.item()));
    submit({.name = "late"}, {write(x)}, [](BodyContext&) { throw Error("no"); });
    std::puts(error_of([&] { x.wait(); }).c_str());
    std::fflush(stdout);
  }
  bool active = false;
};
AtEnd at_end;
const Scenario destructors("work in the destructor of a global", [] {
  at_end.active = true;
  const Array<> x(1);
  fill<std::int64_t>(x, 1);
  return 0;
});
TEST(Exit, GlobalsMayStillWork) { expect_end("work in the destructor of a global", "21\n[late] no\n"); }

const Scenario exit_inside("exit inside a task", [] {
  const Array<> x(1);
  submit({.name = "leaves", .outside_effect = true}, {write(x)}, [](BodyContext&) { std::exit(0); });
  x.wait();
  return 5;
});
TEST(Exit, InsideATask) { expect_end("exit inside a task", ""); }

const Scenario submitter("another thread still submits", [] {
  static std::atomic<int> submitted{0};
  std::thread([] {
    while (true) {
      const Array<> x(1, sim0), y(1);
      fill<std::int64_t>(x, 1, sim0);
      submit(cpu0, {read(x), write(y)}, [](BodyContext&) {});
      ++submitted;
    }
  }).detach();
  eventually([] { return submitted > 1000; });
  return 0;
});
TEST(Exit, WhileAnotherThreadStillSubmits) {
  for (int round = 0; round < 5; ++round) expect_parallel_end("another thread still submits", 0, "");
}

const Scenario waiter("another thread waits", [] {
  static const Array<> x(1);
  std::thread([] {
    submit(cpu0, {write(x)}, [](BodyContext&) { sleep_for_milliseconds(300); });
    submit(cpu0, {read_write(x)}, [](BodyContext&) {});
    error_of([] { x.wait(); });
    while (true) sleep_for_milliseconds(10);
  }).detach();
  sleep_for_milliseconds(100);
  return 0;
});
TEST(Exit, WhileAnotherThreadWaits) { expect_end("another thread waits", ""); }

}  // namespace
}  // namespace stretto
