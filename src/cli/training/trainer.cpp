#include "cli/training/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "cli/seconds.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t pixels = FashionMnist::side * FashionMnist::side;
// Tested in parts, so that no one tensor holds all activations.
constexpr std::int64_t test_batch = 2000;
// So that shares times images do not overflow.
constexpr std::int64_t largest_share = 1'000'000'000;

// Mean and standard deviation of the training images' pixels, which are bytes.
constexpr float mean_pixel = 72.94f, deviation_of_pixels = 90.02f;

Tensor to_pixels(const Tensor& bytes) { return (bytes.to(DType::float32) - mean_pixel) * (1 / deviation_of_pixels); }

void check_shares(const TrainingOptions& options) {
  const std::size_t parts = options.devices.size();
  if (options.batch < static_cast<std::int64_t>(parts))
    throw UsageError(fmt::format("a batch of {} images cannot be split over {} devices", options.batch, parts));
  if (options.shares.size() != parts)
    throw UsageError(fmt::format("there are {} shares for {} devices", options.shares.size(), parts));
  const auto is_none = [](std::int64_t share) { return share < 0 || share > largest_share; };
  const auto is_nothing = [](std::int64_t share) { return share == 0; };
  if (std::ranges::any_of(options.shares, is_none) || std::ranges::all_of(options.shares, is_nothing))
    throw UsageError(fmt::format("shares of {} split no batch: they are numbers from 0 to {}, not all of them 0",
                                 fmt::join(options.shares, ","), largest_share));
}

}  // namespace

Trainer::Trainer(const FashionMnist& data, const TrainingOptions& options)
    : options_(options), count_(data.train_images.size(0)), generator_(options.seed) {
  const std::vector<Device>& devices = options_.devices;
  if (options_.shares.empty()) options_.shares.assign(devices.size(), 1);
  check_shares(options_);
  const Device first = devices.front();
  test_images_ = data.test_images.reshape({-1, pixels}).to(first);
  test_labels_ = data.test_labels.to(first).to(DType::int64);
  const Parameters parameters =
      initial_parameters(pixels, options_.hidden, FashionMnist::classes, options_.seed, first);
  const Tensor images = data.train_images.reshape({-1, pixels});
  for (const Device device : devices) {
    replicas_.push_back({.device = device,
                         .steps = device.kind() == first.kind(),
                         .parameters = parameters.to(device),
                         .images = images.to(device),
                         .labels = data.train_labels.to(device).to(DType::int64),
                         .order = {},
                         .loss = {}});
  }
  wait_all();
}

EpochReport Trainer::train_epoch(const OnStep& on_step) {
  begin_epoch();

  EpochReport report;
  report.seconds = seconds_of([&] {
    for (std::int64_t begin = 0; begin < count_; begin += options_.batch) {
      const std::int64_t next = begin + options_.batch;
      step(begin, next < count_ ? next : -1);
      on_step(static_cast<double>(begin) / static_cast<double>(count_));
    }
    wait_all();
  });
  report.images_a_second = static_cast<double>(count_) / report.seconds;
  for (const Replica& replica : replicas_) report.loss += replica.loss.item<float>() / static_cast<double>(count_);
  report.accuracy = accuracy();
  return report;
}

float Trainer::learning_rate() const {
  const std::int64_t steps = options_.epochs * ((count_ + options_.batch - 1) / options_.batch);
  const auto left = static_cast<float>(steps - steps_) / static_cast<float>(steps);
  return options_.learning_rate * std::max(left, 0.0f);
}

std::int64_t Trainer::begin_of_part(std::size_t part, std::int64_t begin, std::int64_t end) const {
  const auto first = options_.shares.begin();
  const std::int64_t before = std::accumulate(first, first + static_cast<std::ptrdiff_t>(part), std::int64_t{0});
  const std::int64_t all = std::accumulate(first, options_.shares.end(), std::int64_t{0});
  return begin + (end - begin) * before / all;
}

std::vector<std::int64_t> Trainer::images_of_parts() const {
  std::vector<std::int64_t> images;
  for (std::size_t part = 0; part < replicas_.size(); ++part)
    images.push_back(begin_of_part(part + 1, 0, options_.batch) - begin_of_part(part, 0, options_.batch));
  return images;
}

std::vector<Trainer::Part> Trainer::hand_out(std::int64_t begin) const {
  const std::int64_t end = std::min(count_, begin + options_.batch);
  std::vector<Part> work;
  for (std::size_t part = 0; part < replicas_.size(); ++part) {
    const Replica& replica = replicas_[part];
    const std::int64_t from = begin_of_part(part, begin, end), size = begin_of_part(part + 1, begin, end) - from;
    // The gradient of the batch is the average of its parts', each counted by its images.
    work.push_back({.share = static_cast<double>(size) / static_cast<double>(end - begin), .x = {}, .labels = {}});
    if (size == 0) continue;
    const Tensor chosen = replica.order.narrow(0, from, size);
    work.back().x = to_pixels(index_select(replica.images, 0, chosen));
    work.back().labels = index_select(replica.labels, 0, chosen);
  }
  return work;
}

void Trainer::step(std::int64_t begin, std::int64_t next) {
  const std::vector<Part> work = ahead_.empty() ? hand_out(begin) : std::exchange(ahead_, {});
  Gradients gradients(replicas_.size(), std::vector<Parameters>(replicas_.size()));
  for (std::size_t from = 0; from < work.size(); ++from)
    if (work[from].share > 0) backward(from, work[from], gradients);
  // The next batch is made ready while the last gradients are on their way.
  if (next >= 0) ahead_ = hand_out(next);
  if (options_.wait_before_sending) {
    wait_all();
    for (std::size_t from = 0; from < work.size(); ++from)
      for (int number = 0; number < Parameters::count && work[from].share > 0; ++number)
        send(number, gradients[from][from][number], from, gradients);
  }
  update(work, gradients);
  ++steps_;
}

void Trainer::backward(std::size_t from, const Part& part, Gradients& gradients) {
  Replica& replica = replicas_[from];
  // Gradients are linear: times the learning rate from the beginning, there is less to do once they have come.
  const Tensor share = full({}, static_cast<float>(part.share) * learning_rate(), replica.device);
  replica.loss +=
      forward_backward(replica.parameters, part.x, part.labels, share, [&](int number, const Tensor& gradient) {
        if (options_.wait_before_sending) {
          gradients[from][from][number] = gradient;
        } else {
          send(number, gradient, from, gradients);
        }
      });
}

void Trainer::send(int number, const Tensor& gradient, std::size_t from, Gradients& gradients) const {
  for (std::size_t to = 0; to < replicas_.size(); ++to) {
    if (!replicas_[to].steps) continue;
    const auto line = static_cast<std::uint32_t>(to) * Parameters::count + static_cast<std::uint32_t>(number) + 1;
    gradients[to][from][number] = gradient.to(replicas_[to].device, CallSite(gradient_site, __func__, line));
  }
}

void Trainer::update(const std::vector<Part>& work, const Gradients& gradients) {
  for (int number = 0; number < Parameters::count; ++number) {
    for (std::size_t to = 0; to < replicas_.size(); ++to) {
      if (!replicas_[to].steps) continue;
      // In the same order everywhere, so that all come to the same parameters.
      std::optional<Tensor> total;
      for (std::size_t from = 0; from < work.size(); ++from) {
        if (work[from].share == 0) continue;
        const Tensor& gradient = gradients[to][from][number];
        total = total ? *total + gradient : gradient;
      }
      replicas_[to].parameters[number] -= *total;
    }
    for (Replica& replica : replicas_)
      if (!replica.steps) replica.parameters[number] = parameters()[number].to(replica.device);
  }
}

void Trainer::begin_epoch() {
  ahead_.clear();
  const Device first = options_.devices.front();
  const Tensor order = argsort(uniform(generator_, 0, 1, {count_}, first));
  for (Replica& replica : replicas_) {
    replica.order = order.to(replica.device);
    replica.loss = zeros({}, replica.device);
  }
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
  std::int64_t begin = 0;
  for (; steps > 0; --steps) {
    const std::int64_t next = begin + options_.batch < count_ ? begin + options_.batch : 0;
    step(begin, steps > 1 ? next : -1);
    begin = next;
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

TrainingOutcome train(Trainer& trainer, int epochs, const OnProgress& on_progress,
                      const std::function<void(int, const EpochReport&)>& on_epoch) {
  TrainingOutcome outcome;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const std::string what = fmt::format("epoch {} of {}", epoch, epochs);
    outcome.epochs.push_back(
        trainer.train_epoch([&](double fraction) { on_progress((epoch - 1 + fraction) / epochs, what); }));
    on_epoch(epoch, outcome.epochs.back());
  }
  outcome.fingerprint = fingerprint(trainer.parameters());
  return outcome;
}

TrainingOutcome train(const FashionMnist& data, const TrainingOptions& options, const OnProgress& on_progress,
                      const std::function<void(int, const EpochReport&)>& on_epoch) {
  Trainer trainer(data, options);
  return train(trainer, options.epochs, on_progress, on_epoch);
}

}  // namespace stretto::cli
