// One program, and what can go wrong, at each of its statements in turn: it ends in time, what did not depend on the
// fault is right, and what did says what it was.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "engine/fault_program.h"
#include "engine/scenario.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

constexpr double limit_of_one = 20;  // Seconds, which only a hang takes.

/// The exit code of a child; 128 and the signal that ended it; 256 when it hung and was killed.
int code_of(pid_t child) {
  int status = 0;
  if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; }, limit_of_one)) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return 256;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The exit code of `play` in a child that is forked off. This process must not have used the engine, so the child is
/// as new.
template <typename Play>
int code_of_new_process(Play play) {
  const pid_t child = fork();
  if (child == 0) std::exit(play());
  return code_of(child);
}

/// Every how many statements something goes wrong: with more settings than one, not at all statements with each.
int step() {
  const char* const step = std::getenv("ENGINE_TEST_STEP");
  return step == nullptr ? 1 : std::atoi(step);
}
Variables every_eighth(Variables variables) {
  variables.emplace_back("ENGINE_TEST_STEP", "8");
  return variables;
}

/// Runs the program with this fault at statements in turn; prints what is wrong, or whether enough failed and did not.
int run_with_each(Fault fault) {
  int failed = 0, right = 0;
  for (int point = 1; point <= FaultProgram::statements; point += step()) {
    FaultProgram program(fault, point);
    program.run();
    program.compare_all();
    error_of([] { wait_all(); });
    if (!program.complaints().empty()) {
      std::printf("statement %d: %s", point, program.complaints().c_str());
      return 1;
    }
    failed += program.failed();
    right += program.right();
  }
  const int enough = FaultProgram::statements / step();
  std::printf("%s %s\n", failed > enough ? "failures" : "few failures", right > enough ? "values" : "few values");
  return 0;
}

const Scenario throwing("each statement throws", [] { return run_with_each(Fault::throws); });
TEST(Faults, AKernelThatThrowsAtEachStatement) {
  for (const Variables& variables : {Variables{}, every_eighth({{"STRETTO_ENGINE", "serial"}}),
                                     every_eighth({{"STRETTO_SCHEDULE", "random:5"}, {"STRETTO_STREAMS", "2"}})})
    EXPECT_SCENARIO("each statement throws", variables, "failures values\n");
}

const Scenario starving("each statement finds no memory", [] { return run_with_each(Fault::no_memory); });
TEST(Faults, NoMemoryAtEveryEighthStatement) {
  EXPECT_SCENARIO("each statement finds no memory", every_eighth({{"STRETTO_MEMORY_LIMIT", "16M"}}),
                  "failures values\n");
}

const Scenario dropping("everything is dropped behind each statement", [] {
  for (int point = 1; point <= FaultProgram::statements; point += step()) {
    FaultProgram program(Fault::throws, point % 3 == 0 ? point - 1 : 0);
    program.run(1, point);
    program.drop_all();
    error_of([] { wait_all(); });
    Engine::get().scheduler().devices().for_each_pool([&](MemoryPool& pool) {
      if (pool.statistics().live != 0)
        std::printf("statement %d: %zu bytes are still held\n", point, pool.statistics().live);
    });
    std::printf("%s", program.complaints().c_str());
  }
  return 0;
});
TEST(Faults, EverythingDroppedBehindEachStatement) {
  for (const Variables& variables : {Variables{}, every_eighth({{"STRETTO_ENGINE", "serial"}}),
                                     every_eighth({{"STRETTO_SCHEDULE", "random:6"}, {"STRETTO_WORKERS", "1"}})})
    EXPECT_SCENARIO("everything is dropped behind each statement", variables, "");
}

/// What a process and its child both see.
struct Shared {
  FaultProgram::Effects seen;
  FaultProgram::Effects expected;
};

const Scenario exit_behind_each("the process exits behind each statement", [] {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int effects = 0;
  for (int point = 1; point <= FaultProgram::statements; point += step()) {
    Shared& shared = *new (memory) Shared;
    for (auto* all : {&shared.seen, &shared.expected})
      for (auto& one : *all) one = -1;
    const int code = code_of_new_process([&] {
      auto* const program = new FaultProgram(Fault::throws, point % 5 == 0 ? point / 2 : 0, &shared.seen);
      program->run(1, point);
      for (const auto& [number, value] : program->expected_effects())
        shared.expected[static_cast<std::size_t>(number)] = value;
      // Handles that are still there, and that are not.
      if (point % 2 == 0) program->drop_all();
      std::fclose(stderr);  // which may be told of a failure that nobody read
      return 0;
    });
    if (code != 0) std::printf("statement %d: the process ended with %d\n", point, code);
    for (std::size_t i = 0; i < shared.seen.size(); ++i) {
      const std::int64_t expected = shared.expected[i], seen = shared.seen[i];
      effects += expected != -1 ? 1 : 0;
      if (expected != -1 && seen != expected)
        std::printf("exit behind %d: effect %zu saw %ld, not %ld\n", point, i, static_cast<long>(seen),
                    static_cast<long>(expected));
    }
  }
  std::printf("%s\n", effects > FaultProgram::statements / step() ? "effects" : "few effects");
  return 0;
});
TEST(Faults, ExitBehindEachStatement) {
  for (const Variables& variables : {Variables{}, every_eighth({{"STRETTO_SCHEDULE", "random:7"}})})
    EXPECT_SCENARIO("the process exits behind each statement", variables, "effects\n");
}

const Scenario forking("the process forks behind each statement", [] {
  for (int point = 1; point <= FaultProgram::statements; point += step()) {
    FaultProgram program(Fault::none, 0);
    program.run(1, point);
    const bool all_done = point / step() % 4 == 0;
    if (all_done) program.compare_all();
    const pid_t child = fork();
    if (child == 0) {
      if (!all_done) {
        program.excuse({.text = "the value was still being computed when the process forked", .everything = true});
        program.excuse({.text = "cannot be used in a forked child", .everything = true});
      }
      program.compare_all();
      std::string complaints = program.complaints();
      for (const Device device : {cpu0, cpu1}) {
        const Array<> x(100, device);
        fill<std::int64_t>(x, point, device);
        submit(device, {read_write(x)}, [](BodyContext& context) { data(context, 0)[99] *= 2; });
        if (x.wait()[99] != 2 * point) complaints += "work of the child is wrong\n";
      }
      if (!complaints.empty()) std::fprintf(stderr, "child of statement %d: %s", point, complaints.c_str());
      std::exit(complaints.empty() ? 0 : 1);
    }
    program.run(point + 1, FaultProgram::statements);
    program.compare_all();
    std::printf("%s", program.complaints().c_str());
    const int code = code_of(child);
    if (code != 0) std::printf("statement %d: the child ended with %d\n", point, code);
  }
  return 0;
});
TEST(Faults, ForkBehindEachStatement) {
  for (const Variables& variables : {Variables{}, every_eighth({{"STRETTO_ENGINE", "serial"}})})
    EXPECT_SCENARIO("the process forks behind each statement", variables, "");
}

/// The code of a program under a fault of sim:0: 0 when all is as it must be and something failed, 2 when nothing
/// failed, 1 when something is wrong.
int code_with(const char* fault, int number) {
  return code_of_new_process([&] {
    setenv("STRETTO_SIM_MODEL", (std::string("sim:0.") + fault + "=" + std::to_string(number)).c_str(), 1);
    FaultProgram program(Fault::none, 0);
    program.excuse({.text = "sim:0 was lost: ", .device = sim0});
    program.run();
    program.compare_all();
    error_of([] { wait_all(); });
    std::printf("%s", program.complaints().c_str());
    return !program.complaints().empty() ? 1 : program.failed() > 0 ? 0 : 2;
  });
}

const Scenario losing("sim:0 is lost at each of its works", [] {
  constexpr int most = 1000;
  int number = 1, code = 0;
  while (number < most && (code = code_with("lost_at", number)) == 0) ++number;
  // Behind its last work nothing is lost.
  if (code != 2) std::printf("lost_at=%d ended with %d\n", number, code);
  std::printf("%s\n", number > 50 ? "many" : "few");
  return 0;
});
TEST(Faults, ADeviceLostAtEachOfItsKernelsAndCopies) {
  EXPECT_SCENARIO("sim:0 is lost at each of its works", (Variables{{"STRETTO_STREAMS", "2"}}), "many\n");
}

const Scenario refusing("sim:0 refuses things", [] {
  for (int number = 1; number <= 5; ++number)
    if (const int code = code_with("no_stream_at", number); code != 0)
      std::printf("no_stream_at=%d ended with %d\n", number, code);
  for (int number = 1; number <= 60; number += 3)
    if (const int code = code_with("no_event_at", number); code != 0)
      std::printf("no_event_at=%d ended with %d\n", number, code);
  // What is refused once is asked for again.
  for (int number = 1; number <= 3; ++number)
    if (const int code = code_with("no_memory_at", number); code != 2)
      std::printf("no_memory_at=%d ended with %d\n", number, code);
  return 0;
});
TEST(Faults, StreamsEventsAndMemoryRefused) {
  EXPECT_SCENARIO("sim:0 refuses things", (Variables{{"STRETTO_STREAMS", "2"}}), "");
}

}  // namespace
}  // namespace stretto
