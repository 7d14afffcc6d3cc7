#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/scenario.h"
#include "engine/scheduler.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// Arrays of one mebibyte.
constexpr std::size_t elements = (std::size_t{1} << 20) / 8;

Variables cap(int mebibytes, const char* workers = "4") {
  return {{"STRETTO_MEMORY_LIMIT", std::to_string(mebibytes) + "M"}, {"STRETTO_WORKERS", workers}};
}

void add_one_to_each(BodyContext& context) {
  const std::int64_t* from = data(context, 0);
  std::int64_t* to = data(context, 1);
  for (std::size_t i = 0; i < elements; i += 512) to[i] = from[i] + 1;
}

Array<> start(Device device) {
  Array<> x(elements, device);
  fill<std::int64_t>(x, 0, device);
  return x;
}
Array<> next(const Array<>& x, Device device) {
  Array<> y(elements, device);
  submit({.name = "next", .device = device}, {read(x), write(y)}, &add_one_to_each);
  return y;
}

/// Case L6.
const Scenario temporaries("a chain of temporaries", [] {
  for (const Device device : {cpu0, sim0}) {
    Array<> x = start(device);
    for (int i = 0; i < 100; ++i) x = next(x, device);
    std::printf("%d\n", static_cast<int>(x.item()));
  }
  return 0;
});
TEST(Memory, ACapOfThreeArraysHoldsAChainOfTemporaries) {
  EXPECT_SCENARIO("a chain of temporaries", cap(3), "100\n100\n");
  EXPECT_SCENARIO("a chain of temporaries", cap(2), "100\n100\n");
}

const Scenario two_chains("two chains of temporaries", [] {
  for (const Device device : {cpu0, sim0}) {
    Array<> x = start(device), y = start(device);
    for (int i = 0; i < 100; ++i) {
      x = next(x, device);
      y = next(y, device);
    }
    std::printf("%d\n", static_cast<int>(x.item() + y.item()));
  }
  return 0;
});
TEST(Memory, ACapOfThreeArraysHoldsTwoChainsOnTwoStreams) {
  for (int round = 0; round < 3; ++round) EXPECT_SCENARIO("two chains of temporaries", cap(3), "200\n200\n");
}

const Scenario across("a chain across two devices", [] {
  // Each link runs on another stream, or another device, than the one before.
  const std::vector<Device> devices{sim0, sim1, cpu0, sim0};
  Array<> x = start(sim0);
  for (std::size_t i = 0; i < 100; ++i) x = next(x, devices[i % devices.size()]);
  std::printf("%d\n", static_cast<int>(x.item()));
  return 0;
});
TEST(Memory, ACapOfThreeArraysHoldsAChainAcrossDevices) {
  EXPECT_SCENARIO("a chain across two devices", cap(3), "100\n");
}

const Scenario wide("many temporaries", [] {
  // Each alone needs one array and gives it back; at the cap only some can run at a time.
  for (const Device device : {cpu0, sim0}) {
    const Array<> sum(1, device);
    fill<std::int64_t>(sum, 0, device);
    for (int i = 0; i < 2000; ++i) {
      const Array<> x(elements, device);
      submit({.name = "make", .device = device}, {write(x)}, [](BodyContext& context) { *data(context, 0) = 1; });
      submit({.name = "add", .device = device}, {read(x), read_write(sum)},
             [](BodyContext& context) { *data(context, 1) += *data(context, 0); });
    }
    std::printf("%d\n", static_cast<int>(sum.item()));
  }
  return 0;
});
TEST(Memory, ManyTemporariesShareACapOfThreeArrays) { EXPECT_SCENARIO("many temporaries", cap(3), "2000\n2000\n"); }

const Scenario pairs("tasks with two results", [] {
  // A task that got one of its two arrays must not keep it while it waits for the other.
  for (const Device device : {cpu0, sim0}) {
    const Array<> sum(1, device);
    fill<std::int64_t>(sum, 0, device);
    for (int i = 0; i < 300; ++i) {
      const Array<> x(elements, device), y(elements, device);
      submit({.name = "make", .device = device}, {write(x), write(y)}, [](BodyContext& context) {
        *data(context, 0) = 1;
        *data(context, 1) = 2;
      });
      submit({.name = "add", .device = device}, {read(x), read(y), read_write(sum)},
             [](BodyContext& context) { *data(context, 2) += *data(context, 0) + *data(context, 1); });
    }
    std::printf("%d\n", static_cast<int>(sum.item()));
  }
  return 0;
});
TEST(Memory, TasksWithTwoResultsShareACapOfThreeArrays) {
  EXPECT_SCENARIO("tasks with two results", cap(3), "900\n900\n");
}

const Scenario temporaries_inside("temporaries inside tasks", [] {
  const Array<> sum(1);
  fill<std::int64_t>(sum, 0);
  std::deque<Array<>> results;
  for (int i = 0; i < 100; ++i) {
    results.emplace_back(1);
    submit(cpu0, {write(results.back())}, [](BodyContext& context) {
      Array<> x = start(cpu0);
      *data(context, 0) = x.item() + 1;
    });
  }
  std::int64_t total = 0;
  for (const Array<>& result : results) total += result.item();
  std::printf("%d\n", static_cast<int>(total));
  return 0;
});
TEST(Memory, TemporariesInsideTasksShareACap) { EXPECT_SCENARIO("temporaries inside tasks", cap(8), "100\n"); }

const Scenario late("memory that comes back late", [] {
  // All memory is held by a task that takes its time, on the device that asks and on others.
  for (const Device runs_on : {sim1, cpu1, cpu0}) {
    for (const Device device : {cpu0, sim0}) {
      const Array<> sum(1, sim1);
      fill<std::int64_t>(sum, 0, sim1);
      {
        const Array<> x = start(device), y = start(device);
        submit({.name = "slow", .device = runs_on}, {read(x), read(y), read_write(sum)},
               [](BodyContext&) { sleep_for_milliseconds(150); });
      }
      const Array<> z = start(device);
      std::printf("%d\n", static_cast<int>(z.item()));
    }
  }
  return 0;
});
TEST(Memory, WaitsForWhatPendingTasksWillFree) {
  Variables variables = cap(2);
  for (const char* workers : {"1", "3"}) {
    variables.emplace_back("STRETTO_WORKERS", workers);
    EXPECT_SCENARIO("memory that comes back late", variables, "0\n0\n0\n0\n0\n0\n");
    variables.pop_back();
  }
}

/// Holds up threads of the process for 50 milliseconds, one or two at a time, wherever they are, as a busy system does.
class HoldUps {
 public:
  HoldUps() {
    struct sigaction action{};
    action.sa_handler = [](int) {
      const timespec time{.tv_sec = 0, .tv_nsec = 50'000'000};
      nanosleep(&time, nullptr);
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR2, &action, nullptr);
    sender_ = std::thread([this] { send(); });
  }
  HoldUps(const HoldUps&) = delete;
  HoldUps& operator=(const HoldUps&) = delete;
  ~HoldUps() {
    stops_ = true;
    sender_.join();
  }

 private:
  /// Threads that are on a core or want one: who sleeps is not disturbed.
  static std::vector<long> running() {
    std::vector<long> threads;
    DIR* const folder = opendir("/proc/self/task");
    while (const dirent* entry = readdir(folder)) {
      std::ifstream file(std::string("/proc/self/task/") + entry->d_name + "/stat");
      std::string line;
      std::getline(file, line);
      const std::size_t name_end = line.rfind(')');
      if (name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0)
        threads.push_back(std::atol(entry->d_name));
    }
    closedir(folder);
    std::erase(threads, syscall(SYS_gettid));
    return threads;
  }

  void send() {
    std::minstd_rand random(7);
    while (!stops_) {
      if (const std::vector<long> threads = running(); !threads.empty()) {
        syscall(SYS_tgkill, getpid(), threads[random() % threads.size()], SIGUSR2);
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    }
  }

  std::atomic<bool> stops_{false};
  std::thread sender_;
};

const Scenario held_up("temporaries while threads are held up", [] {
  for (const Device device : {cpu0, sim0}) {
    const Array<> sum(1, device);
    fill<std::int64_t>(sum, 0, device);
    sum.wait();
    const auto add = [&](const Array<>& x) {
      submit({.name = "add", .device = device}, {read(x), read_write(sum)},
             [](BodyContext& context) { *data(context, 1) += *data(context, 0); });
    };
    const auto make = [&](const Array<>& x) {
      submit({.name = "make", .device = device}, {write(x)}, [](BodyContext& context) { *data(context, 0) = 1; });
    };
    const HoldUps hold_ups;
    for (int i = 0; i < 80; ++i) {
      // Long tasks, whose results two others want one after the other, and short ones that all want memory at once.
      const Array<> x(elements, device);
      submit({.name = "long", .device = device}, {write(x)}, [](BodyContext& context) {
        *data(context, 0) = 1;
        sleep_for_milliseconds(1);
      });
      add(next(x, device));
    }
    for (int i = 0; i < 500; ++i) {
      const Array<> x(elements, device);
      make(x);
      add(x);
    }
    std::printf("%d\n", static_cast<int>(sum.item()));
  }
  return 0;
});
TEST(Memory, ThreadsThatAreHeldUpAreNotTakenForIdle) {
  EXPECT_SCENARIO("temporaries while threads are held up", cap(3), "660\n660\n");
}

const Scenario exhausted_inside("memory is exhausted inside tasks", [] {
  // The outer task runs the inner one on its own stack, and that one waits for what finds no memory.
  const Array<> held(2 * elements), inner(1), outer(1);
  fill<std::int64_t>(held, 0);
  // Tasks inside tasks take memory out of the program's order.
  held.wait();
  submit({.name = "outer"}, {write(outer)}, [&](BodyContext& context) {
    submit({.name = "inner"}, {write(inner)}, [&](BodyContext& inside) {
      const Array<> more(2 * elements);
      submit({.name = "more"}, {write(more)}, [](BodyContext&) {});
      *data(inside, 0) = more.item();
    });
    *data(context, 0) = inner.item();
  });
  std::puts(error_of([&] { outer.item(); }).c_str());
  return 0;
});
TEST(Memory, IsExhaustedForTasksThatWaitInsideTasks) {
  EXPECT_SCENARIO("memory is exhausted inside tasks", cap(3, "2"),
                  "[more] out of memory on cpu:0: 2.0 MiB asked, 2.0 MiB of 3.0 MiB in use; largest holders: fill 2.0 "
                  "MiB in 1\n");
}

const Scenario exhausted("memory is exhausted", [] {
  const CallSite one("program.cpp", "main", 11), two("program.cpp", "main", 12), three("program.cpp", "main", 13);
  for (const Device device : {cpu0, sim0}) {
    std::deque<Array<>> held;
    for (int i = 0; i < 5; ++i) {
      held.emplace_back((i == 0 ? 2 : 1) * elements, device);
      submit({.name = i == 0 ? "big" : "small", .device = device, .site = i == 0 ? one : two}, {write(held.back())},
             [](BodyContext&) {});
    }
    wait_all();
    const Array<> more(3 * elements, device);
    std::atomic<bool> ran{false};
    submit({.name = "more", .device = device, .site = three}, {write(more)}, [&](BodyContext&) { ran = true; });
    const Array<> after(1, device);
    submit({.name = "after", .device = device}, {read(more), write(after)}, [&](BodyContext&) { ran = true; });
    std::puts(error_of([&] { after.wait(); }).c_str());
    held.pop_back();
    held.pop_back();
    submit({.name = "more", .device = device, .site = three}, {write(more)}, [&](BodyContext&) { ran = true; });
    std::puts(error_of([&] { more.wait(); }).c_str());
    std::puts(ran ? "ran" : "did not run");
    const Array<> huge(1000 * elements, device);
    std::puts(error_of([&] { huge.wait(three); }).c_str());
  }
  return 0;
});
TEST(Memory, NamesTheLargestHoldersWhenThereIsNoMore) {
  const auto expected = [](const std::string& device) {
    return "[more] out of memory on " + device +
           ": 3.0 MiB asked, 6.0 MiB of 8.0 MiB in use; largest holders: small at program.cpp:12 4.0 MiB in 4, big at "
           "program.cpp:11 2.0 MiB in 1 (at program.cpp:13)\n"
           "nothing\nran\n"
           "[read] out of memory on " +
           device +
           ": 1000.0 MiB asked, 7.0 MiB of 8.0 MiB in use; largest holders: more at program.cpp:13 3.0 MiB in 1, "
           "small at program.cpp:12 2.0 MiB in 2, big at program.cpp:11 2.0 MiB in 1 (at program.cpp:13)\n";
  };
  const Ended ended = run_scenario("memory is exhausted", cap(8));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, expected("cpu:0") + expected("sim:0"));
}

TEST(Memory, IsReusedAndGivenBack) {
  const std::size_t before = Engine::get().memory_pool(cpu0).statistics().live;
  for (int i = 0; i < 100; ++i) {
    Array<> x = start(cpu0);
    x = next(x, cpu0);
    EXPECT_EQ(x.item(), 1);
  }
  wait_all();
  EXPECT_TRUE(eventually([&] { return Engine::get().memory_pool(cpu0).statistics().live == before; }));
}

TEST(Memory, BorrowedMemoryIsUsedInPlaceAndItsOwnerKept) {
  auto owner = std::make_shared<std::vector<std::int64_t>>(4, 5);
  std::weak_ptr<std::vector<std::int64_t>> watched = owner;
  {
    auto* memory = reinterpret_cast<std::byte*>(owner->data());
    const BufferReference borrowed = Engine::get().borrow(cpu0, memory, 32, std::move(owner));
    const std::vector<Access> accesses{{borrowed.get(), nullptr, AccessMode::read_write}};
    submit(cpu0, accesses, [](BodyContext& context) {
      sleep_for_milliseconds(2);
      data(context, 0)[1] = 6;
    });
    Engine::get().wait(*borrowed, nullptr, "read", CallSite());
    EXPECT_EQ((*watched.lock())[1], 6);
  }
  EXPECT_TRUE(eventually([&] { return watched.expired(); }));
  EXPECT_EQ(error_of([] { Engine::get().borrow(sim0, nullptr, 8, nullptr); }),
            "memory of the host cannot be used on sim:0 without a copy");
}

TEST(Memory, IsBoundAtOnceWhereTheCallerFillsIt) {
  const Array<> x(3);
  auto* values = reinterpret_cast<std::int64_t*>(Engine::get().bind_now(*x.buffer));
  values[0] = 4;
  submit(cpu0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
  EXPECT_EQ(x.item(), 5);
}

const Scenario locked("what the CPU writes beside GPUs", [] {
  DeviceTable& devices = Engine::get().scheduler().devices();
  Backend& backend = *devices.backend(DeviceKind::sim);
  std::vector<Array<>> written;
  const auto write_on_cpu = [&](std::size_t count) {
    fill<std::int64_t>(written.emplace_back(count, cpu0), 7, cpu0);
    auto* data = reinterpret_cast<std::byte*>(written.back().wait());
    // Locking fails where a page is locked already.
    const bool was_locked = !backend.lock_pages(data, 1);
    if (!was_locked) backend.unlock_pages(data, 1);
    std::printf("%s ", was_locked ? "locked" : "not");
  };
  write_on_cpu(elements);
  const Array<> there(1, sim0);
  fill<std::int64_t>(there, 1, sim0);
  there.wait();
  // From now on, as long as no more than half of 4 MiB is taken.
  for (const std::size_t count : {elements, elements, elements}) write_on_cpu(count);
  written.clear();
  wait_all();
  devices.known(DeviceKind::cpu, 0).memory->trim();
  write_on_cpu(2 * elements);
  return 0;
});
TEST(Memory, WhatTheCpuWritesIsPageLockedWhileGpusAreInUse) {
  if (serial_engine()) GTEST_SKIP() << "nothing is started";
  EXPECT_SCENARIO("what the CPU writes beside GPUs", (Variables{{"STRETTO_PINNED_LIMIT", "4M"}}),
                  "not locked locked not locked ");
}

}  // namespace
}  // namespace stretto
