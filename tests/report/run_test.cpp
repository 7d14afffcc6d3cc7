#include <gtest/gtest.h>
#include <stretto/report/run.h>

#include <filesystem>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/base/temporary_file.h>

#include "report/timeline_text.h"

namespace stretto::report {
namespace {

const std::vector<std::string> events = {
    R"({"ph":"M","name":"stretto","pid":1,"tid":0,"args":{"format":1,"version":"0.1.0","engine":"parallel","command":"prog 3","devices":[{"name":"cpu:0","workers":2},{"name":"sim:0","streams":4}]}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"sim:0 stream 0"}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"cpu:0 worker 10"}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"cpu:0 worker 2"}})",
    R"({"ph":"M","name":"thread_name","pid":1,"tid":4,"args":{"name":"program"}})",
    R"({"ph":"X","name":"to","cat":"task","pid":1,"tid":2,"ts":5.500,"dur":2.250,"args":{"id":9,"device":"cpu:0","role":"to host","line":"prog.cpp:13","shapes":"(4, 4) float32 -> (4, 4) float32","bytes":128,"submitted":2.000,"issued":5.000,"estimated":true,"after":[[4,"raw"],[3,"reuse"]],"section":"layer1/forward","failed":"no"}})",
    R"({"ph":"X","name":"w\"1\n{a|b}","cat":"task","pid":1,"tid":1,"ts":1.000,"dur":4.000,"args":{"id":4,"device":"sim:0","role":"compute","line":"prog.cpp:12","submitted":0.500,"issued":0.750}})",
    R"({"ph":"X","name":"wait for to","cat":"wait","pid":1,"tid":4,"ts":3.000,"dur":5.000,"args":{"cause":"host read","for":9,"line":"prog.cpp:14"}})",
    R"({"ph":"s","cat":"dependency","name":"raw","id":1,"pid":1,"tid":1,"ts":5.000})",
    R"({"ph":"f","bp":"e","cat":"dependency","name":"raw","id":1,"pid":1,"tid":2,"ts":5.500})",
    R"({"ph":"C","name":"memory cpu:0","pid":1,"ts":7.000,"args":{"bytes":64}})",
    R"({"ph":"C","name":"memory cpu:0","pid":1,"ts":1.000,"args":{"bytes":128}})",
    R"({"ph":"i","s":"g","name":"dropped","ts":8.000,"args":{"tasks":7}})"};

report::Run run_of(const std::string& text) { return read_run(TemporaryFile("run", text).path()); }

/// What reading the text fails with, without the name of the file.
std::string complaint(const std::string& text) {
  const TemporaryFile file("run", text);
  try {
    read_run(file.path());
  } catch (const FileError& error) {
    std::string line = error.what();
    const std::size_t place = line.find(file.path());
    return place == std::string::npos ? "unnamed: " + line : line.replace(place, file.path().size(), "FILE");
  }
  return "none";
}

std::string complaint_about(const std::string& event) { return complaint(timeline_text(std::vector{event})); }

TEST(Run, HoldsWhatTheFileSays) {
  const report::Run run = run_of(timeline_text(events));
  EXPECT_EQ(run.version, "0.1.0");
  EXPECT_EQ(run.engine, "parallel");
  EXPECT_EQ(run.command, "prog 3");
  ASSERT_EQ(run.devices.size(), 2u);
  EXPECT_EQ(run.devices[0].workers, 2);
  EXPECT_EQ(run.devices[1].streams, 4);
  EXPECT_FALSE(run.cut);
  EXPECT_EQ(run.dropped, 7u);
  EXPECT_EQ(run.tracks, (std::vector<std::string>{"program", "cpu:0 worker 2", "cpu:0 worker 10", "sim:0 stream 0"}));

  ASSERT_EQ(run.tasks.size(), 2u);
  const Task& product = run.tasks[0];
  EXPECT_EQ(product.id, 4u);
  EXPECT_EQ(product.name, "w\"1\n{a|b}");
  EXPECT_EQ(run.tracks[product.track], "sim:0 stream 0");
  EXPECT_EQ(product.role, Role::compute);
  EXPECT_EQ(product.submitted, 500);
  EXPECT_EQ(product.issued, 750);
  EXPECT_EQ(product.start, 1000);
  EXPECT_EQ(product.end, 5000);
  const Task& copy = run.tasks[1];
  EXPECT_EQ(copy.role, Role::to_host);
  EXPECT_EQ(copy.device, "cpu:0");
  EXPECT_EQ(copy.duration(), 2250);
  EXPECT_EQ(copy.line, "prog.cpp:13");
  EXPECT_EQ(copy.shapes, "(4, 4) float32 -> (4, 4) float32");
  EXPECT_EQ(copy.bytes, 128u);
  EXPECT_EQ(copy.section, "layer1/forward");
  EXPECT_EQ(copy.failed, "no");
  EXPECT_TRUE(copy.is_estimated);
  EXPECT_FALSE(product.is_estimated);
  // Task 3 is not in the file.
  ASSERT_EQ(copy.after.size(), 1u);
  EXPECT_EQ(copy.after[0].from, 0u);
  EXPECT_EQ(name(copy.after[0].hazard), "raw");

  ASSERT_EQ(run.waits.size(), 1u);
  EXPECT_EQ(run.waits[0].cause, "host read");
  EXPECT_EQ(run.waits[0].task, 1u);
  EXPECT_EQ(run.tracks[run.waits[0].track], "program");
  ASSERT_EQ(run.counters.size(), 1u);
  EXPECT_EQ(run.counters[0].unit, "bytes");
  ASSERT_EQ(run.counters[0].samples.size(), 2u);
  EXPECT_EQ(run.counters[0].samples[0].value, 128);
  EXPECT_EQ(run.begin(), 500);
  EXPECT_EQ(run.end(), 8000);
}

TEST(Run, HasAShortTitle) {
  report::Run run;
  EXPECT_EQ(short_command(run), "");
  run.command = "/some/where/train data/in --x";
  EXPECT_EQ(short_command(run), "train data/in --x");
  run.command = "train";
  EXPECT_EQ(short_command(run), "train");
}

TEST(Run, MayBeEmptyOrOfOneTask) {
  const report::Run none = run_of(timeline_text(std::vector<std::string>{}));
  EXPECT_TRUE(none.tasks.empty());
  EXPECT_FALSE(none.cut);
  EXPECT_EQ(none.begin(), 0);
  EXPECT_EQ(none.end(), 0);
  EXPECT_EQ(run_of(timeline_text(std::vector{events[6]})).tasks.size(), 1u);
}

TEST(Run, IsReadUpToWhereTheFileWasCut) {
  const std::string text = timeline_text(events);
  std::size_t most = 0;
  for (std::size_t length = 1; length + 1 < text.size(); length += 7) {
    const report::Run run = run_of(text.substr(0, length));
    EXPECT_TRUE(run.cut) << length;
    EXPECT_GE(run.tasks.size(), most) << length;
    most = run.tasks.size();
  }
  EXPECT_EQ(most, 2u);
  EXPECT_FALSE(run_of(text.substr(0, text.size() - 1)).cut);
}

TEST(Run, TakesTraceEventsOfOtherPrograms) {
  const report::Run run = run_of(R"([
    {"ph": "X", "name": "second", "pid": 7, "tid": "gpu", "ts": 3, "dur": 1.5},
    {"ph": "X", "name": "first", "cat": "wait", "pid": 7, "tid": 2, "ts": 1, "dur": 1, "args": {"any": [1]}},
    {"ph": "B", "name": "outer", "pid": 8, "tid": 2, "ts": 10},
    {"ph": "B", "name": "inner", "pid": 8, "tid": 2, "ts": 11},
    {"ph": "E", "pid": 8, "tid": 2, "ts": 12},
    {"ph": "E", "pid": 8, "tid": 2, "ts": 14},
    {"ph": "N", "name": "object", "id": 3, "pid": 1, "tid": 1, "ts": 0}
  ])");
  EXPECT_EQ(run.version, "");
  ASSERT_EQ(run.tasks.size(), 4u);
  EXPECT_EQ(run.tasks[0].name, "first");
  EXPECT_EQ(run.tasks[1].name, "second");
  EXPECT_EQ(run.tasks[1].end, 4500);
  EXPECT_EQ(run.tasks[1].device, "thread gpu");
  EXPECT_EQ(run.tasks[2].name, "outer");
  EXPECT_EQ(run.tasks[2].duration(), 4000);
  EXPECT_EQ(run.tasks[3].name, "inner");
  EXPECT_EQ(run.tasks[3].duration(), 1000);
  EXPECT_NE(run.tasks[0].track, run.tasks[3].track);
  EXPECT_EQ(run_of(R"({"other": 1, "traceEvents": []})").tasks.size(), 0u);
}

TEST(Run, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(complaint(""), "FILE is empty");
  EXPECT_EQ(complaint("hello\n"), "FILE is no timeline: it is not JSON (see line 1)");
  EXPECT_EQ(complaint("[{\"ph\":\"X\""), "FILE is no timeline: it is not JSON (see line 1)");
  EXPECT_EQ(complaint("{\"results\": []}\n"),
            "FILE is no timeline: it is JSON, but neither an array nor an object of \"traceEvents\"");
  EXPECT_EQ(complaint("[1]"), "FILE is no timeline: event 1: no event: it has no \"ph\"");
  std::string damaged = timeline_text(events);
  damaged.replace(damaged.find("\"id\":4"), 6, "\"id\":}");
  EXPECT_EQ(complaint(damaged), "FILE is no timeline: it is not JSON (see line 8)");
}

TEST(Run, SaysWhichEventIsWrong) {
  const std::string line = "FILE is no timeline: line 2: ";
  EXPECT_EQ(complaint_about(R"({"ph":"M","name":"stretto","args":{"format":2}})"),
            line + "its format is 2; this version reads 1");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":-1.0})"), line + "\"ts\" is no time from 0 on");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":1e300})"), line + "\"ts\" is no time from 0 on");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1})"), line + "\"ts\" is no time from 0 on");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":1,"dur":"2"})"),
            line + "\"dur\" is no time from 0 on");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":1,"args":{"id":0}})"),
            line + "\"id\" is not positive");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":1,"args":{"id":2,"after":[1]}})"),
            line + "\"after\" holds no [id, hazard]");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":1,"args":{"id":2,"after":[[1,"x"]]}})"),
            line + "\"after\" names the unknown hazard x");
  EXPECT_EQ(complaint_about(R"({"ph":"X","name":"a","tid":1,"ts":1,"args":{"id":2,"after":[[2,"raw"]]}})"),
            "FILE is no timeline: task 2 comes after task 2, which is not earlier");
  EXPECT_EQ(complaint(timeline_text(std::vector{events[6], events[6]})),
            "FILE is no timeline: two tasks have the id 4");
  EXPECT_EQ(complaint(timeline_text(std::vector<std::string>{events[6], R"({"ph":"X","name":"a","tid":1,"ts":1})"})),
            "FILE is no timeline: some of its tasks have an \"id\" and some have none");
}

TEST(Run, SaysThatAPathCannotBeRead) {
  const auto line = [](const std::string& path) -> std::string {
    try {
      read_run(path);
    } catch (const FileError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(line("/nowhere/at/all.json"), "cannot read /nowhere/at/all.json: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(line(folder), "cannot read " + folder + ": it is a folder");
}

TEST(Run, TellsHowFarReadingHasCome) {
  std::vector<std::string> many;
  for (int i = 1; i <= 5000; ++i) {
    many.push_back(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":0.5,"args":{"id":)" +
                   std::to_string(i) + "}}");
  }
  const TemporaryFile file("run", timeline_text(many));
  std::vector<double> fractions;
  EXPECT_EQ(read_run(file.path(), [&](double fraction) { fractions.push_back(fraction); }).tasks.size(), 5000u);
  ASSERT_GE(fractions.size(), 4u);
  for (std::size_t i = 1; i < fractions.size(); ++i) EXPECT_GT(fractions[i], fractions[i - 1]);
  EXPECT_GT(fractions.front(), 0);
  EXPECT_LE(fractions.back(), 1);
}

}  // namespace
}  // namespace stretto::report
