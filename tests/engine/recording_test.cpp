// Recordings of whole processes: what does not depend on timing, and how they end.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <stretto/base/temporary_file.h>
#include <stretto/trace/session.h>

#include "engine/random_program.h"
#include "engine/scenario.h"
#include "engine/timeline.h"

namespace stretto {
namespace {

/// The scenario's timeline, which must obey all rules.
Timeline timeline_of(const std::string& scenario, Variables variables = {}, int code = 0) {
  const TemporaryFile file("trace");
  variables.emplace_back("STRETTO_TRACE", file.path());
  const Ended ended = run_scenario(scenario, variables);
  EXPECT_EQ(ended.code, code) << ended.output;
  Timeline timeline(text_of(file.path()));
  EXPECT_EQ(timeline.faults, std::vector<std::string>{});
  return timeline;
}

const Scenario random_programs("random programs are recorded", [] {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RandomProgram program(seed, {.tasks = 250, .fails = seed == 3 ? 0.03 : 0, .waits = seed == 2 ? 0 : 0.02});
    program.run();
    program.compare_all();
    try {
      wait_all();
    } catch (const Error&) {
    }
  }
  return 0;
});
TEST(Recording, HasTheSameGraphWhateverTheTiming) {
  const auto graph = timeline_of("random programs are recorded", {{"STRETTO_ENGINE", "serial"}}).graph_by_place();
  EXPECT_GE(graph.size(), 750u);
  for (const Variables& variables : std::vector<Variables>{{{"STRETTO_WORKERS", "1"}},
                                                           {{"STRETTO_WORKERS", "4"}},
                                                           {{"STRETTO_SCHEDULE", "random:3"}, {"STRETTO_STREAMS", "2"}},
                                                           {{"STRETTO_SCHEDULE", "random:4"}},
                                                           {{"STRETTO_SCHEDULE", "deterministic:0"}},
                                                           {{"STRETTO_SCHEDULE", "deterministic:5"}}}) {
    SCOPED_TRACE(variables.front().second);
    EXPECT_EQ(timeline_of("random programs are recorded", variables).graph_by_place(), graph);
  }
}

// Case P3.
const Scenario stopped("stops right after submitting", [] {
  const Array<> x(4), y(4, sim0);
  for (int i = 0; i < 100; ++i) {
    submit(cpu0, {read_write(x)}, [](BodyContext&) { sleep_for_milliseconds(1); });
    submit(sim0, {read(x), read_write(y)}, [](BodyContext&) { sleep_for_milliseconds(1); });
  }
  return 0;
});
TEST(Recording, OfAProgramThatStopsRightAfterSubmitting) {
  EXPECT_LE(timeline_of("stops right after submitting").tasks.size(), 200u);
  EXPECT_EQ(timeline_of("stops right after submitting", {{"STRETTO_ENGINE", "serial"}}).tasks.size(), 200u);
}

const Scenario recorded_exit_inside("exits inside a task", [] {
  const Array<> x(4);
  submit(cpu0, {write(x)}, [](BodyContext&) { std::exit(3); });
  sleep_for_milliseconds(10000);
  return 0;
});
TEST(Recording, OfAProgramThatExitsInsideATask) { timeline_of("exits inside a task", {}, 3); }

const Scenario unused("uses no engine while a session is open", [] {
  trace::Session session(std::getenv("SESSION_FILE"));
  return 0;
});
TEST(Recording, OfAProgramWithoutAnyTask) {
  const TemporaryFile file("trace");
  EXPECT_SCENARIO("uses no engine while a session is open", (Variables{{"SESSION_FILE", file.path()}}), "");
  const Timeline timeline(text_of(file.path()));
  EXPECT_TRUE(timeline.faults.empty());
  EXPECT_EQ(timeline.head.at("devices").size(), 0u);
}

/// Runs tasks until some are in the file, then ends the process by a signal.
int die_of(int number) {
  const Array<> x(4);
  while (std::filesystem::file_size(std::getenv("STRETTO_TRACE")) < 10000) {
    submit({.name = "task"}, {read_write(x)}, nothing);
    sleep_for_milliseconds(1);
  }
  raise(number);
  return 0;
}
const Scenario killed("is killed", [] { return die_of(SIGKILL); });
const Scenario faulty("accesses memory that is not there", [] { return die_of(SIGSEGV); });
const Scenario aborted("aborts", [] { return die_of(SIGABRT); });
TEST(Recording, CanBeReadUpToTheLastLineWhenTheProgramDies) {
  for (const char* scenario : {"is killed", "accesses memory that is not there", "aborts"}) {
    SCOPED_TRACE(scenario);
    const TemporaryFile file("trace");
    const Ended ended = run_scenario(scenario, {{"STRETTO_TRACE", file.path()}});
    // A sanitizer ends it in its own way.
    EXPECT_NE(ended.code, 0) << ended.output;
    std::string text = text_of(file.path());
    ASSERT_FALSE(text.ends_with("]}\n"));
    // The comma of the line before goes with the last line, which may not be whole.
    text.resize(text.rfind(",\n"));
    const Timeline timeline(text + "]}");
    EXPECT_GT(timeline.tasks.size(), 10u);
  }
}

const Scenario forks("forks while it is recorded", [] {
  const Array<> x(4);
  for (int i = 0; i < 20; ++i) submit({.name = "before"}, {read_write(x)}, nothing);
  const pid_t child = fork();
  if (child == 0) {
    const Array<> y(4);
    for (int i = 0; i < 20; ++i) submit({.name = "child"}, {read_write(y)}, nothing);
    y.wait();
    // A recording of its own is possible.
    trace::Session session(std::getenv("SESSION_FILE"));
    submit({.name = "recorded"}, {read_write(y)}, nothing);
    y.wait();
    session.close();
    std::exit(0);
  }
  for (int i = 0; i < 20; ++i) submit({.name = "after"}, {read_write(x)}, nothing);
  x.wait();
  int status = 1;
  waitpid(child, &status, 0);
  return status;
});
TEST(Fork, LeavesTheRecordingToTheParent) {
  for (const char* engine : {"parallel", "serial"}) {
    const TemporaryFile file("trace");
    const Timeline timeline =
        timeline_of("forks while it is recorded", {{"SESSION_FILE", file.path()}, {"STRETTO_ENGINE", engine}});
    EXPECT_EQ(timeline.tasks.size(), 40u);
    for (const Timeline::Slice& task : timeline.tasks) EXPECT_NE(task.name, "child");
    const Timeline of_child(text_of(file.path()));
    EXPECT_TRUE(of_child.faults.empty());
    ASSERT_EQ(of_child.tasks.size(), 1u);
    EXPECT_EQ(of_child.tasks[0].name, "recorded");
  }
}

const Scenario computes("computes something", [] {
  const Array<> x(4);
  submit(cpu0, {write(x)}, nothing);
  x.wait();
  return 0;
});
TEST(Recording, SaysThatItsFileCannotBeWritten) {
  EXPECT_SCENARIO("computes something", (Variables{{"STRETTO_TRACE", "/there/is/no/folder/x.json"}}),
                  "stretto: cannot write the timeline to /there/is/no/folder/x.json: No such file or directory\n");
  EXPECT_SCENARIO("computes something", (Variables{{"STRETTO_TRACE", "/dev/full"}}),
                  "stretto: cannot write the timeline to /dev/full: No space left on device\n");
}

TEST(Recording, IsOneAfterTheOther) {
  for (int round = 0; round < 20; ++round) {
    const TemporaryFile file("trace");
    const Array<> x(4, sim0);
    submit({.name = "between", .device = sim0}, {write(x)}, nothing);
    trace::Session session(file.path());
    submit({.name = "inside", .device = sim0}, {read_write(x)}, nothing);
    x.wait();
    session.close();
    const Timeline timeline(text_of(file.path()));
    EXPECT_EQ(timeline.faults, std::vector<std::string>{});
    EXPECT_EQ(timeline.tasks.size(), 1u);
    EXPECT_EQ(timeline.task("inside").track.substr(0, 5), "sim:0");
  }
}

}  // namespace
}  // namespace stretto
