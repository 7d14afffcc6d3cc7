#include <sys/resource.h>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void work() {
  const Array<> x(1), y(1, sim0);
  for (int i = 0; i < 2000; ++i) {
    submit(i % 2 ? cpu0 : cpu1, {i % 3 ? read(x) : read_write(x)}, [](BodyContext&) {});
    submit(i % 2 ? sim0 : sim1, {i % 3 ? read(y) : read_write(y)}, [](BodyContext&) {});
  }
  wait_all();
}

double rests_for_milliseconds(int milliseconds) {
  const double before = cpu_seconds();
  sleep_for_milliseconds(milliseconds);
  return cpu_seconds() - before;
}

const Scenario idle("an idle process", [] {
  for (int round = 0; round < 3; ++round) {
    work();
    sleep_for_milliseconds(50);
    const double used = rests_for_milliseconds(400);
    if (used > 0.01) std::printf("idle, it used %.1f ms of 400\n", 1000 * used);
  }
  // Tasks that waited inside others made threads that are surplus now.
  for (int i = 0; i < 20; ++i)
    submit(cpu0, {}, [](BodyContext&) {
      const Array<> x(1, sim0);
      fill<std::int64_t>(x, 1, sim0);
      x.wait();
    });
  wait_all();
  sleep_for_milliseconds(50);
  const double used = rests_for_milliseconds(400);
  if (used > 0.01) std::printf("with surplus threads, it used %.1f ms of 400\n", 1000 * used);
  // One that is inside a long task and nothing else to do.
  submit(cpu0, {}, [](BodyContext&) { sleep_for_milliseconds(500); });
  sleep_for_milliseconds(50);
  const double beside = rests_for_milliseconds(400);
  if (beside > 0.04) std::printf("beside a long task, it used %.1f ms of 400\n", 1000 * beside);
  return 0;
});

TEST(Idle, UsesNoProcessorTime) {
  for (const char* workers : {"1", "2", "8"})
    EXPECT_SCENARIO("an idle process", (Variables{{"STRETTO_WORKERS", workers}}), "");
}

}  // namespace
}  // namespace stretto
