#include "cli/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/seconds.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t pixels = FashionMnist::side * FashionMnist::side;
// Tested in parts, so that no one tensor holds all activations.
constexpr std::int64_t test_batch = 2000;

// Mean and standard deviation of the training images' pixels, which are bytes.
constexpr float mean_pixel = 72.94f, deviation_of_pixels = 90.02f;

Tensor to_pixels(const Tensor& bytes) { return (bytes.to(DType::float32) - mean_pixel) * (1 / deviation_of_pixels); }

}  // namespace

Trainer::Trainer(const FashionMnist& data, const TrainingOptions& options)
    : options_(options), generator_(options.seed) {
  const auto parts = static_cast<std::int64_t>(options.devices.size());
  if (options.batch < parts) {
    throw UsageError(fmt::format("a batch of {} images cannot be split over {} devices", options.batch, parts));
  }
  const Device first = options_.devices.front();
  images_ = data.train_images.reshape({-1, pixels}).to(first);
  labels_ = data.train_labels.to(first).to(DType::int64);
  test_images_ = data.test_images.reshape({-1, pixels}).to(first);
  test_labels_ = data.test_labels.to(first).to(DType::int64);
  const Parameters parameters =
      initial_parameters(pixels, options_.hidden, FashionMnist::classes, options_.seed, first);
  for (const Device device : options_.devices) replicas_.push_back(parameters.to(device));
  wait_all();
}

EpochReport Trainer::train_epoch(const OnStep& on_step) {
  begin_epoch();

  const std::int64_t count = images_.size(0);
  EpochReport report;
  report.seconds = seconds_of([&] {
    for (std::int64_t begin = 0; begin < count; begin += options_.batch) {
      step(begin);
      on_step(static_cast<double>(begin) / static_cast<double>(count));
    }
    wait_all();
  });
  report.images_a_second = static_cast<double>(count) / report.seconds;
  for (const Tensor& loss : losses_) report.loss += loss.item<float>() / static_cast<double>(count);
  report.accuracy = accuracy();
  return report;
}

float Trainer::learning_rate() const {
  const std::int64_t steps = options_.epochs * ((images_.size(0) + options_.batch - 1) / options_.batch);
  const auto left = static_cast<float>(steps - steps_) / static_cast<float>(steps);
  return options_.learning_rate * std::max(left, 0.0f);
}

std::vector<Trainer::Part> Trainer::hand_out(std::int64_t begin) const {
  const auto parts = static_cast<std::int64_t>(options_.devices.size());
  const std::int64_t end = std::min(images_.size(0), begin + options_.batch);
  std::vector<Part> work;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t from = begin + (end - begin) * part / parts, to = begin + (end - begin) * (part + 1) / parts;
    work.push_back(take(static_cast<std::size_t>(part), from, to));
    // The gradient of the batch is the average of its parts', each counted by its images.
    work.back().share = static_cast<double>(to - from) / static_cast<double>(end - begin);
  }
  return work;
}

void Trainer::step(std::int64_t begin) {
  // The first device, which has the images, hands out before it begins to compute, and a batch ahead: a GPU starts what
  // lies behind large products only when those have started.
  const std::vector<Part> work = ahead_.empty() ? hand_out(begin) : std::exchange(ahead_, {});
  const std::int64_t next = begin + options_.batch;
  if (next < images_.size(0)) ahead_ = hand_out(next);
  std::vector<Parameters> gradients;
  for (std::size_t part = 0; part < work.size(); ++part) gradients.push_back(backward(part, work[part]));
  if (options_.wait_before_sending) {
    wait_all();
    for (std::size_t part = 0; part < gradients.size(); ++part) {
      for (int number = 0; number < Parameters::count; ++number) {
        gradients[part][number] = send(number, gradients[part][number]);
      }
    }
  }
  const float rate = learning_rate();
  ++steps_;
  for (int number = 0; number < Parameters::count; ++number) {
    Tensor total = gradients.front()[number];
    for (std::size_t part = 1; part < gradients.size(); ++part) total = total + gradients[part][number];
    replicas_.front()[number] -= total * rate;
    for (std::size_t part = 1; part < replicas_.size(); ++part) {
      replicas_[part][number] = replicas_.front()[number].to(options_.devices[part]);
    }
  }
}

Trainer::Part Trainer::take(std::size_t part, std::int64_t begin, std::int64_t end) const {
  const Device device = options_.devices[part];
  const Tensor chosen = order_.narrow(0, begin, end - begin);
  return {to_pixels(index_select(images_, 0, chosen).to(device)), index_select(labels_, 0, chosen).to(device), 1};
}

Parameters Trainer::backward(std::size_t part, const Part& of) {
  Parameters gradients;
  const Tensor share = full({}, static_cast<float>(of.share), options_.devices[part]);
  const Tensor loss =
      forward_backward(replicas_[part], of.x, of.labels, share, [&](int number, const Tensor& gradient) {
        gradients[number] = options_.wait_before_sending ? gradient : send(number, gradient);
      });
  losses_[part] += loss;
  return gradients;
}

Tensor Trainer::send(int number, const Tensor& gradient) {
  const CallSite site(gradient_site, __func__, static_cast<std::uint32_t>(number + 1));
  return gradient.to(options_.devices.front(), site);
}

void Trainer::begin_epoch() {
  ahead_.clear();
  const Tensor keys = uniform(generator_, 0, 1, {images_.size(0)}, images_.device());
  order_ = argsort(keys);
  losses_.clear();
  for (const Device device : options_.devices) losses_.push_back(zeros({}, device));
  wait_all();
}

double Trainer::accuracy() const {
  const std::int64_t count = test_images_.size(0);
  Tensor right = zeros({}, test_images_.device(), DType::int64);
  for (std::int64_t begin = 0; begin < count; begin += test_batch) {
    const std::int64_t size = std::min(test_batch, count - begin);
    const Tensor scores = forward(parameters(), to_pixels(test_images_.narrow(0, begin, size)));
    right += sum(argmax(scores, 1) == test_labels_.narrow(0, begin, size));
  }
  return static_cast<double>(right.item<std::int64_t>()) / static_cast<double>(count);
}

void Trainer::train_steps(int steps) {
  begin_epoch();
  const std::int64_t count = images_.size(0);
  for (std::int64_t begin = 0; steps > 0;
       --steps, begin = begin + options_.batch < count ? begin + options_.batch : 0) {
    step(begin);
  }
  wait_all();
}

double TrainingOutcome::images_a_second() const {
  double images = 0, seconds = 0;
  for (const EpochReport& epoch : epochs) {
    images += epoch.images_a_second * epoch.seconds;
    seconds += epoch.seconds;
  }
  return images / seconds;
}

TrainingOutcome train(const FashionMnist& data, const TrainingOptions& options, const OnProgress& on_progress,
                      const std::function<void(int, const EpochReport&)>& on_epoch) {
  Trainer trainer(data, options);
  TrainingOutcome outcome;
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const std::string what = fmt::format("epoch {} of {}", epoch, options.epochs);
    outcome.epochs.push_back(
        trainer.train_epoch([&](double fraction) { on_progress((epoch - 1 + fraction) / options.epochs, what); }));
    on_epoch(epoch, outcome.epochs.back());
  }
  outcome.fingerprint = fingerprint(trainer.parameters());
  return outcome;
}

}  // namespace stretto::cli
