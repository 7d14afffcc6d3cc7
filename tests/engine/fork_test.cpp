// What a forked child finds.

#include <sys/wait.h>
#include <unistd.h>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// Forks; the child prints what `child` does and leaves. Its exit code.
template <typename Child>
int in_child(Child child) {
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    alarm(30);
    child();
    std::fflush(nullptr);
    std::exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char pending_text[] = "the value was still being computed when the process forked; only the parent has it";

const Scenario values("values after a fork", [] {
  const Array<> x(1), pending(1), behind(1);
  fill<std::int64_t>(x, 3);
  x.wait();
  Gate gate;
  const bool serial = serial_engine();
  if (!serial) {
    submit(cpu0, {write(pending)}, [gate](BodyContext& context) {
      gate.pass();
      *data(context, 0) = 8;
    });
    eventually([&] { return gate.arrived() == 1; });
  } else {
    fill<std::int64_t>(pending, 8);
  }
  submit(cpu1, {read(pending), write(behind)}, [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
  const int code = in_child([&] {
    std::printf("x %d\n", static_cast<int>(x.item()));
    if (!serial) {
      std::printf("%s\n%s\n", error_of([&] { pending.wait(); }).c_str(), error_of([&] { behind.wait(); }).c_str());
    }
    // The pools start again.
    for (const Device device : {cpu0, cpu1}) {
      const Array<> y(1, device);
      submit(device, {read(x), write(y)}, [](BodyContext& context) {
        std::int64_t total = 0;
        for (std::int64_t i = 0; i < 100; ++i) total += i;
        *data(context, 1) = *data(context, 0) + total;
      });
      std::printf("y %d\n", static_cast<int>(y.item()));
    }
    fill<std::int64_t>(pending, 9);
    std::printf("written again %d\n", static_cast<int>(pending.item()));
    wait_all();
    std::printf("pending tasks %d\n", static_cast<int>(Engine::get().pending_tasks()));
  });
  gate.open();
  std::printf("child %d, parent %d\n", code, static_cast<int>(behind.item()));
  wait_all();
  return 0;
});

std::string expected_values(bool serial) {
  return std::string("x 3\n") + (serial ? "" : std::string(pending_text) + "\n" + pending_text + "\n") +
         "y 4953\ny 4953\nwritten again 9\npending tasks 0\nchild 0, parent 8\n";
}
TEST(Fork, CompleteValuesAreUsableAndPendingOnesAreNot) {
  for (const char* workers : {"1", "4"})
    EXPECT_SCENARIO("values after a fork", (Variables{{"STRETTO_ENGINE", "parallel"}, {"STRETTO_WORKERS", workers}}),
                    expected_values(false));
  EXPECT_SCENARIO("values after a fork", (Variables{{"STRETTO_ENGINE", "serial"}}), expected_values(true));
}

const Scenario merged("merged boxes after a fork", [] {
  const std::size_t count = 1500;
  const Array<> x(count);
  Gate gate;
  for (std::size_t i = 0; i < count; ++i) {
    const Box box(static_cast<std::int64_t>(8 * i), 8, Shape{1}, Strides{1});
    submit(cpu0, {write(x, &box)}, [gate](BodyContext&) { gate.pass(); });
  }
  const int code = in_child([&] { std::puts(error_of([&] { x.wait(); }).c_str()); });
  gate.open();
  x.wait();
  return code;
});
TEST(Fork, PendingBoxesThatWereMergedAreNotUsable) {
  EXPECT_SCENARIO("merged boxes after a fork", (Variables{{"STRETTO_ENGINE", "parallel"}}),
                  std::string(pending_text) + "\n");
}

const Scenario device("a simulated device after a fork", [] {
  const Array<> x(1, sim0);
  fill<std::int64_t>(x, 1, sim0);
  x.wait();
  return in_child([&] {
    const Array<> y(1), z(1, sim0);
    submit(sim0, {read(x), write(y)}, [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
    std::puts(error_of([&] { y.wait(); }).c_str());
    fill<std::int64_t>(z, 1, sim0);
    std::puts(error_of([&] { wait_all(); }).c_str());
  });
});
TEST(Fork, DevicesAreLost) {
  for (const char* engine : {"parallel", "serial"})
    EXPECT_SCENARIO("a simulated device after a fork", (Variables{{"STRETTO_ENGINE", engine}}),
                    "[task] sim:0 cannot be used in a forked child\n[fill] sim:0 cannot be used in a forked child\n");
}

const Scenario early("a fork before any use", [] {
  const int code = in_child([] {
    const Array<> x(1);
    fill<std::int64_t>(x, 4);
    std::printf("%d\n", static_cast<int>(x.item()));
  });
  const Array<> x(1);
  fill<std::int64_t>(x, 5);
  std::printf("%d\n", static_cast<int>(x.item()));
  return code;
});
TEST(Fork, BeforeAnyUse) { EXPECT_SCENARIO("a fork before any use", {}, "4\n5\n"); }

const Scenario under_load("forks under load", [] {
  // Threads submit, wait, fail and loop in parallel while the process forks: whatever they hold, the child must not
  // hang on it.
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      while (!over) {
        const Device device = i == 0 ? cpu0 : i == 1 ? cpu1 : sim0;
        const Array<> x(10, device), y(300000, cpu0);
        for (int j = 0; j < 20; ++j) submit(device, {read_write(x)}, [](BodyContext&) {});
        submit(cpu0, {write(y)},
               [](BodyContext& context) { context.kernels().parallel_for(100, [](std::int64_t) {}); });
        submit(device, {write(x)}, [](BodyContext&) { throw Error("no"); });
        error_of([&] { x.wait(); });
        y.wait();
      }
    });
  int bad = 0;
  for (int round = 0; round < 20; ++round) {
    bad += 0 != in_child([] {
             for (int i = 0; i < 10; ++i) {
               const Array<> x(100), y(200000, cpu1);
               fill<std::int64_t>(x, 4);
               submit(cpu1, {write(y)}, [](BodyContext& context) {
                 std::int64_t* values = data(context, 0);
                 context.kernels().parallel_for(100, [values](std::int64_t i) { values[i] = i; });
               });
               if (x.item() != 4 || y.wait()[99] != 99) std::_Exit(3);
               std::thread([] {
                 const Array<> z(1);
                 fill<std::int64_t>(z, 1);
                 if (z.item() != 1) std::_Exit(4);
               }).join();
             }
             wait_all();
           });
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("%d bad\n", bad);
  return 0;
});
TEST(Fork, UnderLoad) {
  for (const char* engine : {"parallel", "serial"}) {
    const Ended ended = run_scenario("forks under load", {{"STRETTO_ENGINE", engine}, {"STRETTO_WORKERS", "3"}}, 100);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.output, "0 bad\n");
  }
}

const Scenario of_child("a fork of a fork", [] {
  const Array<> x(1);
  fill<std::int64_t>(x, 1);
  x.wait();
  return in_child([&] {
    submit(cpu0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
    x.wait();
    const int code = in_child([&] {
      submit(cpu0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
      std::printf("%d\n", static_cast<int>(x.item()));
    });
    std::printf("%d %d\n", code, static_cast<int>(x.item()));
  });
});
TEST(Fork, OfAFork) { EXPECT_SCENARIO("a fork of a fork", {}, "3\n0 2\n"); }

const Scenario fork_inside("a fork inside a task", [] {
  const Array<> x(1);
  submit(cpu0, {write(x)}, [](BodyContext& context) {
    *data(context, 0) = in_child([] {
      const Array<> y(1);
      fill<std::int64_t>(y, 6);
      std::printf("%d\n", static_cast<int>(y.item()));
      std::fflush(nullptr);
      std::_Exit(7);
    });
  });
  std::printf("%d\n", static_cast<int>(x.item()));
  return 0;
});
TEST(Fork, InsideATask) { EXPECT_SCENARIO("a fork inside a task", {}, "6\n7\n"); }

}  // namespace
}  // namespace stretto
