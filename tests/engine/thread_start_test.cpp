// A system that starts no more threads: what needs them says so, and nothing hangs.

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <stretto/base/temporary_file.h>
#include <stretto/trace/session.h>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

void limit_address_space(rlim_t bytes) {
  struct rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_AS, &limit);
}

/// From here on the address space has room for the stacks of so many threads, and for half of another one.
void leave_room_for_threads(int count) {
  constexpr std::size_t stack = std::size_t{4} << 30;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  limit_address_space(pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) +
                      static_cast<std::size_t>(count) * stack + stack / 2);
}

/// What becomes of a task on the device, at line 3.
std::string tell(Device device) {
  const Array<> x(1, device);
  return error_of([&] {
    submit({.name = "work", .device = device, .site = program(3)}, {write(x)},
           [](BodyContext& context) { *data(context, 0) = 7; });
    std::printf("%d\n", static_cast<int>(x.item()));
  });
}

constexpr const char* no_more = "the system starts no more threads: Resource temporarily unavailable";

const Scenario none("there is no thread", [] {
  for (const Device device : {cpu0, sim0}) {
    const Array<> made(1, device);
    leave_room_for_threads(0);
    std::printf("%s\n", tell(device).c_str());
    // One of the two that a launcher has.
    if (device == sim0) {
      leave_room_for_threads(1);
      std::printf("%s\n", tell(device).c_str());
    }
    limit_address_space(RLIM_INFINITY);
    std::printf("%s\n", tell(device).c_str());
  }
  return 0;
});
TEST(ThreadStart, ASubmissionFailsAndALaterOneFindsThem) {
  if (serial_engine()) GTEST_SKIP() << "it needs no threads";
  const auto line = [](const std::string& device) {
    return "[work] nothing can run on " + device + ": " + no_more + " (at program.cpp:3)\n";
  };
  EXPECT_SCENARIO("there is no thread", {},
                  line("cpu:0") + "7\nnothing\n" + line("sim:0") + line("sim:0") + "7\nnothing\n");
}

const Scenario some("there are threads for some workers", [] {
  const Array<> x(1, cpu0);
  leave_room_for_threads(2);
  for (int i = 0; i < 100; ++i) submit(cpu0, {read_write(x)}, [](BodyContext& context) { *data(context, 0) += 1; });
  std::printf("%d\n", static_cast<int>(x.item()));
  return 0;
});
TEST(ThreadStart, ADeviceGoesOnWithTheWorkersItHas) {
  if (serial_engine()) GTEST_SKIP() << "it needs no threads";
  EXPECT_SCENARIO(
      "there are threads for some workers", (Variables{{"STRETTO_WORKERS", "4"}}),
      std::string("stretto: warning: a CPU device goes on with 2 of its 4 workers: ") + no_more + "\n100\n");
}

const Scenario no_lane("there is no thread for a lane", [] {
  // The device's memory takes address space, too.
  const Array<> held(1, sim0);
  Engine::get().bind_now(*held.buffer);
  leave_room_for_threads(2);
  std::printf("%s\n", tell(sim0).c_str());
  std::printf("%s\n", tell(sim0).c_str());
  limit_address_space(RLIM_INFINITY);
  // A device that is lost stays so, and the others go on.
  std::printf("%s\n", tell(sim0).c_str());
  std::printf("%s\n", tell(sim1).c_str());
  error_of([] { wait_all(); });
  return 0;
});
TEST(ThreadStart, ALaneWithoutAThreadLosesItsDevice) {
  if (serial_engine()) GTEST_SKIP() << "it starts no thread but the lane's";
  const std::string lost = std::string("[work] sim:0 was lost: ") + no_more +
                           "; unfinished there: work at program.cpp:3 (at program.cpp:3)\n";
  EXPECT_SCENARIO("there is no thread for a lane", {}, lost + lost + lost + "7\nnothing\n");
}

const Scenario recording("there is no thread for a recording", [] {
  const Array<> x(1, cpu0);
  submit(cpu0, {write(x)}, [](BodyContext& context) { *data(context, 0) = 7; });
  wait_all();
  const TemporaryFile file("trace");
  leave_room_for_threads(0);
  std::string line = error_of([&] { const trace::Session session(file.path()); });
  std::printf("%s\n", line.replace(line.find(file.path()), file.path().size(), "FILE").c_str());
  limit_address_space(RLIM_INFINITY);
  std::printf("%s\n", error_of([&] { const trace::Session session(file.path()); }).c_str());
  return 0;
});
TEST(ThreadStart, ARecordingSaysSo) {
  EXPECT_SCENARIO("there is no thread for a recording", {},
                  std::string("the timeline cannot be recorded to FILE: ") + no_more + "\nnothing\n");
}

const Scenario unwatched("there is no thread for the watchdog", [] {
  leave_room_for_threads(0);
  Engine::get();
  limit_address_space(RLIM_INFINITY);
  std::printf("%s\n", tell(cpu0).c_str());
  return 0;
});
TEST(ThreadStart, ARunGoesOnUnwatched) {
  EXPECT_SCENARIO(
      "there is no thread for the watchdog", (Variables{{"STRETTO_WATCHDOG", "1000"}}),
      std::string("stretto: warning: nobody watches over the run (STRETTO_WATCHDOG): ") + no_more + "\n7\nnothing\n");
}

}  // namespace
}  // namespace stretto
