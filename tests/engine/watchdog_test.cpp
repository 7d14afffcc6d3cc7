// STRETTO_WATCHDOG: a program that does not move says what waits for what, and one that moves says nothing.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// Opens a gate as soon as something was written to standard error, which goes to standard output from here on.
class OpensWhenTold {
 public:
  explicit OpensWhenTold(const Gate& gate, int milliseconds_later = 0) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) std::abort();
    close(ends[1]);
    reader_ = std::thread([gate = Gate(gate), milliseconds_later, end = ends[0]]() mutable {
      char text[4096];
      ssize_t count = 0;
      while ((count = ::read(end, text, sizeof text)) > 0) {
        std::fwrite(text, 1, static_cast<std::size_t>(count), stdout);
        sleep_for_milliseconds(milliseconds_later);
        gate.open();
      }
      close(end);
    });
  }
  OpensWhenTold(const OpensWhenTold&) = delete;
  OpensWhenTold& operator=(const OpensWhenTold&) = delete;
  ~OpensWhenTold() {
    close(STDERR_FILENO);
    reader_.join();
  }

 private:
  std::thread reader_;
};

const Scenario stuck("a task does not end", [] {
  // It stays so for twice as long again.
  const Array<> x(1), y(1, sim0), z(1, sim0), w(1, cpu1), v(1);
  Gate gate;
  submit({.name = "load", .site = program(1)}, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  submit({.name = "copy", .device = sim0, .role = LaneRole::from_host, .site = program(2)}, {read(x), write(y)},
         nothing);
  submit({.name = "scale", .device = sim0, .site = program(3)}, {read(y), write(z)}, nothing);
  submit({.name = "copy", .device = sim0, .role = LaneRole::to_host, .site = program(4)}, {read(z), write(w)}, nothing);
  submit({.name = "other", .device = cpu1, .site = program(5)}, {read(x), write(v)}, nothing);
  const OpensWhenTold opens(gate, 600);
  w.wait(program(6));
  return 0;
});
TEST(Watchdog, TellsOnceWhatWaitsForWhat) {
  EXPECT_SCENARIO(
      "a task does not end", (Variables{{"STRETTO_WATCHDOG", "0.3"}}),
      "stretto: watchdog: no task has ended for 0.3 s, and 5 are pending\n"
      "stretto: watchdog:   cpu:0: runs load at program.cpp:1\n"
      "stretto: watchdog:   read at program.cpp:6 waits for copy at program.cpp:4 (sim:0), that for scale at "
      "program.cpp:3 (sim:0), that for copy at program.cpp:2 (sim:0), that for load at program.cpp:1 (cpu:0), "
      "which runs\n"
      "stretto: watchdog:   other at program.cpp:5 (cpu:1) waits for load at program.cpp:1 (cpu:0), which runs\n");
}

const Scenario lanes("a lane does not end", [] {
  const Array<> x(1, sim1), y(1, cpu0);
  Gate gate;
  submit({.name = "long", .device = sim1, .site = program(1)}, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  for (std::uint32_t i = 0; i < 20; ++i)
    submit({.name = "step", .device = sim1, .site = program(2)}, {read_write(x)}, nothing);
  submit({.name = "copy", .device = sim1, .role = LaneRole::to_host, .site = program(3)}, {read(x), write(y)}, nothing);
  submit({.name = "print", .outside_effect = true, .site = program(4)}, {read(y)}, nothing);
  const OpensWhenTold opens(gate);
  wait_all(program(5));
  return 0;
});
TEST(Watchdog, TellsOfInOrderLanesAndOfWaitAll) {
  EXPECT_SCENARIO(
      "a lane does not end", (Variables{{"STRETTO_WATCHDOG", "0.3"}, {"STRETTO_STREAMS", "1"}}),
      "stretto: watchdog: no task has ended for 0.3 s, and 23 are pending\n"
      "stretto: watchdog:   sim:1 stream 0: runs long at program.cpp:1; issued: step at program.cpp:2, step at "
      "program.cpp:2, step at program.cpp:2, step at program.cpp:2 and 16 more\n"
      "stretto: watchdog:   sim:1 copies to the host: issued: copy at program.cpp:3\n"
      "stretto: watchdog:   print at program.cpp:4 (cpu:0) waits for copy at program.cpp:3 (sim:1), that for step at "
      "program.cpp:2 (sim:1), that for step at program.cpp:2 (sim:1), 15 more between, that for step at program.cpp:2 "
      "(sim:1), that for step at program.cpp:2 (sim:1), that for step at program.cpp:2 (sim:1), that for long at "
      "program.cpp:1 (sim:1), which runs\n"
      "stretto: watchdog:   the program waits: wait_all at program.cpp:5\n");
}

const Scenario waiting_inside("a task waits inside", [] {
  const Array<> x(1, cpu1), y(1);
  Gate gate;
  submit({.name = "load", .device = cpu1, .site = program(1)}, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  submit({.name = "outer", .site = program(2)}, {write(y)}, [x](BodyContext&) { x.wait(program(3)); });
  const OpensWhenTold opens(gate);
  y.wait(program(4));
  return 0;
});
TEST(Watchdog, TellsOfWaitsInsideTasks) {
  EXPECT_SCENARIO(
      "a task waits inside", (Variables{{"STRETTO_WATCHDOG", "0.3"}}),
      "stretto: watchdog: no task has ended for 0.3 s, and 2 are pending\n"
      "stretto: watchdog:   cpu:0: runs outer at program.cpp:2\n"
      "stretto: watchdog:   cpu:1: runs load at program.cpp:1\n"
      "stretto: watchdog:   read at program.cpp:4 waits for outer at program.cpp:2 (cpu:0), that for read at "
      "program.cpp:3, that for load at program.cpp:1 (cpu:1), which runs\n");
}

const Scenario held("a submission is held back", [] {
  Gate gate;
  const Array<> x(1);
  submit({.name = "load", .site = program(1)}, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  const OpensWhenTold opens(gate);
  for (int i = 0; i < 512; ++i) submit({.name = "step", .site = program(2)}, {read_write(x)}, nothing);
  return 0;
});
TEST(Watchdog, TellsOfASubmissionThatIsHeldBack) {
  const Ended ended =
      run_scenario("a submission is held back", {{"STRETTO_WATCHDOG", "0.3"}, {"STRETTO_MAX_INFLIGHT", "100"}});
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("the program waits: a submission, until less is pending\n"), std::string::npos)
      << ended.output;
}

const Scenario no_memory("a task finds no memory", [] {
  // The memory is held by a task that does not end. As long as that runs it may come back.
  auto x = std::make_unique<Array<>>(3 << 17);
  const Array<> y(3 << 17);
  Gate gate;
  submit({.name = "holder", .site = program(1)}, {write(*x)}, [gate](BodyContext&) { gate.pass(); });
  x.reset();
  submit({.name = "starved", .site = program(2)}, {write(y)}, nothing);
  const OpensWhenTold opens(gate);
  y.wait(program(3));
  return 0;
});
TEST(Watchdog, TellsOfTasksWithoutMemory) {
  EXPECT_SCENARIO(
      "a task finds no memory",
      (Variables{{"STRETTO_WATCHDOG", "0.3"}, {"STRETTO_MEMORY_LIMIT", "4M"}, {"STRETTO_WORKERS", "2"}}),
      "stretto: watchdog: no task has ended for 0.3 s, and 2 are pending\n"
      "stretto: watchdog:   cpu:0: runs holder at program.cpp:1; no memory for: starved at program.cpp:2\n"
      "stretto: watchdog:   read at program.cpp:3 waits for starved at program.cpp:2 (cpu:0), for which there "
      "is no memory\n");
}

const Scenario slow_tasks("tasks are slow", [] {
  const Array<> x(1), y(1, sim0);
  for (int i = 0; i < 8; ++i) {
    submit(cpu0, {read_write(x)}, [](BodyContext&) { sleep_for_milliseconds(100); });
    submit(sim0, {read_write(y)}, [](BodyContext&) { sleep_for_milliseconds(100); });
  }
  x.wait();
  wait_all();
  // Nothing is pending.
  sleep_for_milliseconds(800);
  const Array<> z(1);
  submit(cpu0, {write(z)}, [](BodyContext&) { sleep_for_milliseconds(300); });
  z.wait();
  const pid_t child = fork();
  if (child == 0) {
    submit(cpu0, {write(z)}, nothing);
    z.wait();
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status;
});
TEST(Watchdog, SaysNothingOfWhatMoves) {
  EXPECT_SCENARIO("tasks are slow", (Variables{{"STRETTO_WATCHDOG", "0.7"}}), "");
  EXPECT_SCENARIO("tasks are slow", (Variables{{"STRETTO_WATCHDOG", "0.7"}, {"STRETTO_ENGINE", "serial"}}), "");
}

}  // namespace
}  // namespace stretto
