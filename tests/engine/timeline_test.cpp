// What a recorded timeline tells of the tasks: all of them, in their places, with their edges.

#include <stretto/trace/section.h>
#include <stretto/trace/session.h>

#include <stretto/base/temporary_file.h>

#include "engine/launcher.h"
#include "engine/scenario.h"
#include "engine/scheduler.h"
#include "engine/testing.h"
#include "engine/timeline.h"

namespace stretto {
namespace {

/// What `program` leaves in a timeline.
template <typename Program>
Timeline record(Program program) {
  const TemporaryFile file("trace");
  {
    trace::Session session(file.path());
    program();
    Engine::get().wait_all({});
  }
  Timeline timeline(text_of(file.path()));
  EXPECT_EQ(timeline.faults, std::vector<std::string>{});
  EXPECT_EQ(timeline.dropped, 0u);
  return timeline;
}

TEST(Timeline, TellsOfATaskWhatTheEngineKnows) {
  const Timeline timeline = record([] {
    const Array<> x(4), y(4);
    submit({.name = "first", .site = {"folder/program.cpp", "", 12}}, {write(x)}, nothing);
    submit({.name = "second", .device = cpu1}, {read(x), read_write(y)},
           [](BodyContext&) { sleep_for_milliseconds(2); });
  });
  ASSERT_EQ(timeline.tasks.size(), 2u);
  const Timeline::Slice &first = timeline.tasks[0], &second = timeline.tasks[1];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.arguments.at("line"), "program.cpp:12");
  EXPECT_EQ(first.arguments.at("device"), "cpu:0");
  EXPECT_EQ(first.arguments.at("role"), "compute");
  EXPECT_EQ(first.arguments.at("bytes"), 32);
  EXPECT_FALSE(first.arguments.contains("after"));
  EXPECT_FALSE(first.arguments.contains("section"));
  EXPECT_FALSE(first.arguments.contains("failed"));
  EXPECT_EQ(second.arguments.at("device"), "cpu:1");
  EXPECT_EQ(second.arguments.at("bytes"), 96);
  EXPECT_FALSE(second.arguments.contains("line"));
  EXPECT_GE(second.end - second.begin, 2'000'000);
  EXPECT_EQ(second.arguments.at("after"), nlohmann::json::parse("[[" + std::to_string(first.id()) + ",\"raw\"]]"));
  if (!serial_engine()) {
    EXPECT_TRUE(first.track.starts_with("cpu:0 worker ")) << first.track;
    EXPECT_TRUE(second.track.starts_with("cpu:1 worker ")) << second.track;
    ASSERT_EQ(timeline.flows.size(), 1u);
  } else {
    EXPECT_EQ(first.track, "program");
  }
  EXPECT_EQ(timeline.head.at("format"), 1);
  EXPECT_EQ(timeline.head.at("devices").size(), 4u);
  EXPECT_EQ(timeline.head.at("devices").at(0).at("name"), "cpu:0");
}

TEST(Timeline, HasTheWholeGraphWhetherOrNotATaskHadEnded) {
  const Timeline timeline = record([] {
    const Array<> x(4), y(4);
    submit({.name = "a"}, {write(x)}, nothing);
    x.wait();
    sleep_for_milliseconds(2);
    // Slots of tasks that are over are used again.
    for (int i = 0; i < 200; ++i) submit({.name = "other"}, {read_write(y)}, nothing);
    y.wait();
    submit({.name = "b"}, {read(x)}, nothing);
    submit({.name = "c"}, {read_write(x)}, nothing);
    x.wait();
    submit({.name = "d"}, {write(x)}, nothing);
  });
  const std::set<std::string> graph = timeline.graph();
  for (const char* edge : {"b raw a", "c raw a", "c war b", "d waw c"}) EXPECT_TRUE(graph.contains(edge)) << edge;
}

TEST(Timeline, TakesJoinsOutOfTheWay) {
  constexpr std::size_t readers = 300;
  const Timeline timeline = record([] {
    const Array<> x(4);
    submit({.name = "writer"}, {write(x)}, nothing);
    for (std::size_t i = 0; i < readers; ++i) submit({.name = "reader"}, {read(x)}, nothing);
    submit({.name = "last"}, {write(x)}, nothing);
  });
  ASSERT_EQ(timeline.tasks.size(), readers + 2);
  EXPECT_EQ(timeline.tasks.back().name, "last");
  EXPECT_EQ(timeline.tasks.back().arguments.at("after").size(), readers);
}

int in_flight_on(Device device) { return Engine::get().scheduler().devices().at(device).launcher->in_flight(); }
TEST(Timeline, ShowsStreamsAndCopyEngines) {
  const Timeline timeline = record([] {
    const Array<> x(1024, sim0), y(1024);
    Gate gate;
    if (serial_engine()) gate.open();
    // What came before it may be retired a little later than it is done.
    EXPECT_TRUE(serial_engine() || eventually([] { return in_flight_on(sim0) == 0; }));
    submit({.name = "make", .device = sim0}, {write(x)}, [gate](BodyContext&) {
      gate.pass();
      sleep_for_milliseconds(3);
    });
    submit({.name = "copy", .device = sim0, .role = LaneRole::to_host}, {read(x), write(y)}, nothing);
    submit({.name = "use"}, {read(y)}, nothing);
    EXPECT_TRUE(serial_engine() || eventually([] { return in_flight_on(sim0) == 2; }));
    gate.open();
    y.wait();
  });
  EXPECT_TRUE(timeline.task("make").track.starts_with("sim:0 stream ")) << timeline.task("make").track;
  EXPECT_EQ(timeline.task("copy").track, "sim:0 to host");
  EXPECT_EQ(timeline.task("copy").arguments.at("role"), "to host");
  EXPECT_GE(timeline.task("make").end - timeline.task("make").begin, 3'000'000);
  EXPECT_EQ(timeline.graph(), (std::set<std::string>{"copy raw make", "use raw copy"}));
  if (!serial_engine()) {
    EXPECT_EQ(timeline.flows.size(), 2u);
    // A simulated device has a clock of its own, which host threads that are held up do not slow down: so not how long
    // before.
    const std::int64_t issued = std::llround(timeline.task("copy").arguments.at("issued").get<double>() * 1e3);
    EXPECT_LE(issued, timeline.task("copy").begin);
    EXPECT_LE(timeline.task("make").end, timeline.task("copy").begin);
  }
}

TEST(Timeline, ShowsFailuresAndWhatTheySkip) {
  for (const Device device : {cpu0, sim0}) {
    const Timeline timeline = record([device] {
      const Array<> x(4, device), y(4, device);
      submit({.name = "fails", .device = device}, {write(x)}, [](BodyContext&) { throw Error("it is \"odd\""); });
      // What is issued to a device before it has failed runs all the same.
      EXPECT_THROW(x.wait(), Error);
      submit({.name = "skipped", .device = device}, {read(x), write(y)}, nothing);
      EXPECT_THROW(y.wait(), Error);
    });
    EXPECT_EQ(timeline.task("fails").arguments.at("failed"), "[fails] it is \"odd\"");
    EXPECT_EQ(timeline.task("skipped").arguments.at("failed"), "[fails] it is \"odd\"");
    EXPECT_EQ(timeline.task("skipped").begin, timeline.task("skipped").end);
  }
}

TEST(Timeline, ShowsWaitsOfTheProgram) {
  if (serial_engine()) GTEST_SKIP() << "nobody waits";
  const Timeline timeline = record([] {
    const Array<> x(4);
    submit({.name = "slow"}, {write(x)}, [](BodyContext&) {
      EXPECT_TRUE(eventually([] { return Engine::get().scheduler().blocked() > 0; }));
      sleep_for_milliseconds(5);
    });
    x.wait({"program.cpp", "", 7});
  });
  const auto wait = std::ranges::find(timeline.waits, "wait for slow", &Timeline::Slice::name);
  ASSERT_NE(wait, timeline.waits.end());
  EXPECT_EQ(wait->track, "program");
  EXPECT_EQ(wait->arguments.at("cause"), "host read");
  EXPECT_EQ(wait->arguments.at("for"), timeline.task("slow").id());
  EXPECT_EQ(wait->arguments.at("line"), "program.cpp:7");
  EXPECT_GE(wait->end, timeline.task("slow").end);
  const auto all = std::ranges::find(timeline.waits, "wait_all", &Timeline::Slice::name);
  ASSERT_NE(all, timeline.waits.end());
  EXPECT_EQ(all->arguments.at("cause"), "wait_all");
}

TEST(Timeline, NamesSections) {
  const Timeline timeline = record([] {
    const Array<> x(4);
    submit({.name = "before"}, {write(x)}, nothing);
    {
      const trace::Section outer("layer1");
      {
        const trace::Section inner("forward \"pass\"");
        submit({.name = "inside"}, {read_write(x)}, nothing);
      }
      submit({.name = "outside"}, {read_write(x)}, nothing);
      std::thread([&] { submit({.name = "elsewhere"}, {read_write(x)}, nothing); }).join();
    }
    submit({.name = "behind"}, {read_write(x)}, nothing);
  });
  EXPECT_FALSE(timeline.task("before").arguments.contains("section"));
  EXPECT_EQ(timeline.task("inside").arguments.at("section"), "layer1/forward \"pass\"");
  EXPECT_EQ(timeline.task("outside").arguments.at("section"), "layer1");
  EXPECT_FALSE(timeline.task("elsewhere").arguments.contains("section"));
  EXPECT_FALSE(timeline.task("behind").arguments.contains("section"));
}

TEST(Timeline, KnowsTheSectionInWhichTheSessionBegins) {
  const trace::Section section("all");
  const Timeline timeline = record([] {
    const Array<> x(4);
    submit({.name = "task"}, {write(x)}, nothing);
  });
  EXPECT_EQ(timeline.task("task").arguments.at("section"), "all");
}

TEST(Timeline, NestsWhatATaskRunsWhileItWaits) {
  const Timeline timeline = record([] {
    const Array<> x(4), y(4);
    for (int i = 0; i < 20; ++i)
      submit({.name = "outer"}, {read_write(y)}, [](BodyContext&) {
        const Array<> inner(4);
        submit({.name = "inner"}, {write(inner)}, [](BodyContext&) { sleep_for_milliseconds(1); });
        inner.wait();
      });
  });
  EXPECT_EQ(timeline.tasks.size(), 40u);
}

TEST(Timeline, CountsMemoryAndWhatIsPending) {
  const TemporaryFile file("trace");
  const Array<> x(1 << 20);
  {
    trace::Session session(file.path());
    submit({.name = "task"}, {write(x)}, nothing);
    x.wait();
  }
  const Timeline timeline(text_of(file.path()));
  EXPECT_EQ(timeline.faults, std::vector<std::string>{});
  ASSERT_TRUE(timeline.counters.contains("memory cpu:0"));
  ASSERT_TRUE(timeline.counters.contains("pending tasks"));
  ASSERT_TRUE(timeline.counters.contains("bytes in flight"));
  EXPECT_GE(timeline.counters.at("memory cpu:0").back().at("args").at("bytes").get<std::uint64_t>(), 8u << 20);
}

// Case P1.
TEST(Timeline, EscapesOddNames) {
  static constexpr const char* odd = "a\"b\\c\n\x01 \xc3\xa9 \xff\xc0\x80\xed\xa0\x80";
  const Timeline timeline = record([] {
    const Array<> x(4);
    submit({.name = odd, .site = {"odd\"\\\n.cpp", "", 1}}, {write(x)},
           [](BodyContext&) { throw Error("\x02\"\xfe"); });
    EXPECT_THROW(Engine::get().wait_all({}), Error);
  });
  ASSERT_EQ(timeline.tasks.size(), 1u);
  EXPECT_TRUE(timeline.tasks[0].name.starts_with("a\"b\\c\n\x01 \xc3\xa9 \xef\xbf\xbd")) << timeline.tasks[0].name;
  EXPECT_EQ(timeline.tasks[0].arguments.at("line"), "odd\"\\\n.cpp:1");
}

TEST(Timeline, OfNothingAndOfOneTask) {
  EXPECT_EQ(record([] {}).tasks.size(), 0u);
  EXPECT_EQ(record([] { submit({.name = "one"}, {}, nothing); }).tasks.size(), 1u);
}

TEST(Timeline, OfManyThreads) {
  const Timeline timeline = record([] {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([] {
        const Array<> x(4, sim0);
        for (int i = 0; i < 500; ++i) submit({.name = "task", .device = i % 2 ? sim0 : cpu0}, {read_write(x)}, nothing);
      });
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(timeline.tasks.size(), 2000u);
}

TEST(Session, IsOneAtATime) {
  const TemporaryFile file("trace"), other("trace");
  trace::Session session(file.path());
  EXPECT_EQ(error_of([&] { trace::Session another(other.path()); }),
            "the timeline cannot be recorded to " + other.path() + ": another recording is under way");
  session.close();
  session.close();
  trace::Session(other.path()).close();
}

TEST(Session, SaysWhyItsFileCannotBeWritten) {
  EXPECT_EQ(error_of([] { trace::Session session("/there/is/no/such/folder/x.json"); }),
            "cannot write the timeline to /there/is/no/such/folder/x.json: No such file or directory");
  trace::Session full("/dev/full");
  EXPECT_EQ(error_of([&] { full.close(); }), "cannot write the timeline to /dev/full: No space left on device");
}

}  // namespace
}  // namespace stretto
