#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <stretto/stretto.h>

#include "cli/bench/chains.h"
#include "cli/bench/first_replay.h"
#include "cli/bench/groups.h"
#include "cli/bench/task_replays.h"
#include "cli/bench/training_step.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t usual_repeated_tasks = 1'000'000;
// Sections become longer, and are looked at anew, where it is small what they do.
constexpr int calls_before_repeats = 50;

/// Calls `call` until it is replayed, and then so often that this is as fast as it will be.
FirstReplay begin_to_repeat(const std::function<void()>& call) {
  const FirstReplay first = until_first_found_replay(call);
  for (int i = 0; i < calls_before_repeats; ++i) call();
  wait_all();
  return first;
}

/// On a device with lanes in order: reports which part of the sections that `measure` replays is launched in one go.
void report_launched(BenchRun& run, const std::string& name, Device device, const std::function<void()>& measure) {
  const RepeatStatistics before = repeat_statistics();
  measure();
  const RepeatStatistics after = repeat_statistics();
  const auto replayed = static_cast<double>(after.sections - before.sections);
  if (device.kind() != DeviceKind::cpu && replayed > 0)
    run.report(name + ".launched", "ratio", {static_cast<double>(after.launched - before.launched) / replayed});
}

void bench_small_repeats(BenchRun& run, Device device) {
  for (const std::int64_t n : sizes_of("repeats.small", run.options(), {64, 128, 256})) {
    const Chains chains(n, run.options().count.value_or(Chains::usual_products), device);
    const std::string name = figure_on(fmt::format("repeats.small.{}", n), device);
    std::vector<Tensor> ends;
    const auto call = [&] { ends = chains.submit(); };
    const FirstReplay first = begin_to_repeat(call);
    report_launched(run, name, device, [&] {
      run.report(name, "s", run.collect(name, [&] {
        return seconds_of([&] {
          call();
          wait_all();
        });
      }));
    });
    Chains::check(ends, chains.run_one_by_one());
    run.report(name + ".calls", "calls", {first.calls});
    run.report(name + ".first", "s", {first.seconds / first.calls});
  }
}

void bench_mlp_repeats(BenchRun& run, Device device) {
  const TrainingStep training(device);
  const std::int64_t steps = run.options().count.value_or(TrainingStep::usual_steps);
  const std::string name = figure_on("repeats.mlp.step", device);
  Tensor loss;
  const FirstReplay first = begin_to_repeat([&] { loss = training.step(); });
  report_launched(run, name, device, [&] {
    run.report(name, "us",
               run.collect(name, [&] { return training.microseconds(steps, [&] { return training.step(); }); }));
  });
  run.report(name + ".calls", "calls", {first.calls});
  run.report(name + ".first", "us", {first.seconds * 1e6 / first.calls});
}

}  // namespace

void bench_repeats(BenchRun& run) {
  const std::int64_t count = run.options().count.value_or(usual_repeated_tasks);
  for (const Device device : run.devices({cpu()})) {
    if (device == cpu()) {
      report_replays(run, "repeats.tasks.chain", [&] { return replayed_chain(count, Asked::by_nobody); });
      report_replays(run, "repeats.tasks.random_dag", [&] { return replayed_random_dag(count, Asked::by_nobody); });
    }
    if (run.wants("repeats.small")) bench_small_repeats(run, device);
    if (run.wants("repeats.mlp.step")) bench_mlp_repeats(run, device);
  }
}

}  // namespace stretto::cli
