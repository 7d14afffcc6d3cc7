#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"
#include "cli/training/network.h"
#include "cli/training/shares.h"
#include "cli/training/trainer.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t batch = 256, inputs = 784, hidden = 256, classes = 10;
constexpr std::int64_t usual_training_steps = 100;
constexpr float learning_rate = 0.1f;
constexpr int calls_before = 20;

class Training {
 public:
  explicit Training(Device device)
      : parameters_(initial_parameters(inputs, hidden, classes, 1, device)), share_(full({}, 1.0f, device)) {
    Generator generator(2);
    x_ = uniform(generator, 0, 1, {batch, inputs}, device);
    labels_ = randint(generator, 0, classes, {batch}, device);
    first_loss_ = cross_entropy(forward(parameters_, x_), labels_).item<float>();
  }

  /// Microseconds of a step; the loss is computed in each and read at the end.
  double measure(std::int64_t steps) {
    return measure(steps, [this] { return step(x_, labels_); });
  }

  /// The same, compiled; the calls that record it, and on a GPU make it ready to be launched, come before.
  double measure_replays(std::int64_t steps) {
    const auto call = [this] { return compiled_(x_, labels_); };
    if (!has_replayed_) {
      static_cast<void>(call());
      while (compiled_.statistics().unready > 0) static_cast<void>(call());
      for (int calls = 0; calls < calls_before; ++calls) static_cast<void>(call());
      wait_all();
      has_replayed_ = true;
      measure(steps, call);
    }
    return measure(steps, call);
  }

 private:
  Tensor step(const Tensor& x, const Tensor& labels) const {
    Parameters gradients;
    const Tensor loss = forward_backward(parameters_, x, labels, share_,
                                         [&](int number, const Tensor& gradient) { gradients[number] = gradient; });
    for (int number = 0; number < Parameters::count; ++number) parameters_[number] -= gradients[number] * learning_rate;
    return loss;
  }

  template <typename Step>
  double measure(std::int64_t steps, Step step) {
    Tensor loss;
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < steps; ++i) loss = step();
      wait_all();
    });
    const float value = loss.item<float>() / batch;
    // The same batch again and again is learned by heart.
    if (!(value < first_loss_)) throw Error("mlp.step: the loss does not fall");
    return seconds * 1e6 / static_cast<double>(steps);
  }

  Parameters parameters_;
  Tensor share_;
  Tensor x_;
  Tensor labels_;
  float first_loss_;
  using Step = std::function<Tensor(const Tensor&, const Tensor&)>;
  CompiledFunction<Step> compiled_ =
      compile(Step([this](const Tensor& x, const Tensor& labels) { return step(x, labels); }));
  bool has_replayed_ = false;
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
  return {bytes(256, {split_images, side, side}), bytes(classes, {split_images}), bytes(256, {batch, side, side}),
          bytes(classes, {batch})};
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
    Training training(device);
    const std::int64_t steps = run.options().count.value_or(usual_training_steps);
    training.measure(10);
    const std::string name = figure_on("mlp.step", device);
    run.report(name, "us", run.collect(name, [&] { return training.measure(steps); }));
    const std::string replay = figure_on("mlp.step.replay", device);
    run.report(replay, "us", run.collect(replay, [&] { return training.measure_replays(steps); }));
  }
}

}  // namespace stretto::cli
