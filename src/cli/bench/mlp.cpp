#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/first_replay.h"
#include "cli/bench/groups.h"
#include "cli/bench/training_step.h"
#include "cli/training/shares.h"
#include "cli/training/trainer.h"

namespace stretto::cli {
namespace {

constexpr int calls_before = 20;

/// The same step compiled.
class CompiledStep {
 public:
  explicit CompiledStep(const TrainingStep& step)
      : compiled_(compile(Step([&step](const Tensor& x, const Tensor& labels) { return step.step(x, labels); }))),
        step_(step),
        first_(until_first_replay(compiled_, [this] { static_cast<void>(call()); })) {
    // On a GPU they make it ready to be launched.
    for (int calls = 0; calls < calls_before; ++calls) static_cast<void>(call());
    wait_all();
  }

  const std::optional<FirstReplay>& first() const { return first_; }
  double measure(std::int64_t steps) {
    return step_.microseconds(steps, [this] { return call(); });
  }

 private:
  Tensor call() { return compiled_(step_.x(), step_.labels()); }

  using Step = std::function<Tensor(const Tensor&, const Tensor&)>;
  CompiledFunction<Step> compiled_;
  const TrainingStep& step_;
  std::optional<FirstReplay> first_;
};

constexpr std::int64_t split_hidden = 4096, split_batch = 8192, split_images = 4 * split_batch;
// So many that what is done before the first weighs little.
constexpr int split_steps = 100;
// So small, and for so long, that parameters stay what they are like at the beginning: zeros would be faster.
constexpr float split_learning_rate = 1e-3f;
constexpr int split_epochs = 1'000'000;

/// As many pictures as are wanted, of noise: how long a step takes does not depend on what they show.
FashionMnist noise() {
  Generator generator(3);
  const auto bytes = [&](std::int64_t below, const Shape& shape) {
    return randint(generator, 0, below, shape, cpu()).to(DType::uint8);
  };
  constexpr std::int64_t side = FashionMnist::side;
  return {bytes(256, {split_images, side, side}), bytes(TrainingStep::classes, {split_images}),
          bytes(256, {TrainingStep::batch, side, side}), bytes(TrainingStep::classes, {TrainingStep::batch})};
}

struct SplitSample {
  double one;
  double all;
  double without_cpu;
};

/// Batches that several devices share, each its part, against the first device with whole batches. Of devices of
/// several kinds each gets what it has been measured to be good for; then it is measured without the CPU, too.
void bench_split(const std::vector<Device>& devices, BenchRun& run) {
  const FashionMnist data = noise();
  const int steps = static_cast<int>(run.options().count.value_or(split_steps));
  const TrainingOptions all{.devices = devices,
                            .hidden = split_hidden,
                            .batch = split_batch,
                            .epochs = split_epochs,
                            .learning_rate = split_learning_rate};
  const auto trainer_on = [&](const std::vector<Device>& some, const std::vector<std::int64_t>& shares) {
    TrainingOptions options = all;
    options.devices = some;
    options.shares = shares;
    return std::make_unique<Trainer>(data, options);
  };
  std::vector<Device> others;
  std::ranges::copy_if(devices, std::back_inserter(others), [](Device one) { return one.kind() != DeviceKind::cpu; });
  const bool helps = devices.front().kind() != DeviceKind::cpu && others.size() < devices.size();
  const std::vector<PartTime> times = helps ? measured_times(data, all) : std::vector<PartTime>();
  const std::vector<std::int64_t> shares = helps ? balanced(times, split_batch) : std::vector<std::int64_t>();
  const auto alone = trainer_on({devices.front()}, {}), together = trainer_on(devices, shares);
  const auto without_cpu = helps ? trainer_on(others, {}) : nullptr;
  const auto microseconds = [steps](Trainer& trainer) {
    return seconds_of([&] { trainer.train_steps(steps); }) * 1e6 / steps;
  };
  const auto measure = [&] {
    return SplitSample{microseconds(*alone), microseconds(*together), helps ? microseconds(*without_cpu) : 0};
  };
  measure();
  const auto samples = run.collect("mlp.split", measure);
  run.report("mlp.split", "us", values_of(samples, &SplitSample::all));
  run.report("mlp.split.ratio", "ratio", values_of(samples, [](const SplitSample& s) { return s.one / s.all; }));
  if (!helps) return;
  for (std::size_t part = 0; part < devices.size(); ++part) {
    const std::string on = to_string(devices[part]);
    run.report("mlp.split.any." + on, "us", {times[part].fixed * 1e6});
    run.report("mlp.split.image." + on, "us", {times[part].an_image * 1e6});
    run.report("mlp.split.images." + on, "images", {static_cast<double>(shares[part])});
  }
  run.report("mlp.split.without_cpu", "us", values_of(samples, &SplitSample::without_cpu));
}

}  // namespace

void bench_mlp(BenchRun& run) {
  const std::vector<Device> devices = run.devices({cpu()});
  if (devices.size() > 1 && run.wants("mlp.split")) bench_split(devices, run);
  if (!run.wants("mlp.step")) return;
  for (const Device device : devices) {
    const TrainingStep training(device);
    const std::int64_t steps = run.options().count.value_or(TrainingStep::usual_steps);
    const auto plainly = [&] { return training.microseconds(steps, [&] { return training.step(); }); };
    plainly();
    const std::string name = figure_on("mlp.step", device);
    run.report(name, "us", run.collect(name, plainly));
    CompiledStep compiled(training);
    compiled.measure(steps);
    const std::string replay = figure_on("mlp.step.replay", device);
    run.report(replay, "us", run.collect(replay, [&] { return compiled.measure(steps); }));
    if (const std::optional<FirstReplay>& first = compiled.first()) {
      run.report(figure_on("mlp.step.replay.calls", device), "calls", {first->calls});
      run.report(figure_on("mlp.step.replay.first", device), "us", {first->seconds * 1e6 / first->calls});
    }
  }
}

}  // namespace stretto::cli
