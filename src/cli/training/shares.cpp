#include "cli/training/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "cli/seconds.h"

namespace stretto::cli {
namespace {

constexpr int steps = 8;
constexpr int samples = 3;

/// Seconds of a step in which `device` does all the work on `batch` images.
double seconds_of_step(const FashionMnist& data, TrainingOptions options, Device device, std::int64_t batch) {
  const Device first = options.devices.front();
  options.batch = batch;
  options.devices = {device};
  options.shares = {1};
  // One that does not step the parameters is sent them, and sends its gradients, while nobody else does anything.
  if (device.kind() != first.kind()) {
    options.devices = {first, device};
    options.shares = {0, 1};
  }
  Trainer trainer(data, options);
  trainer.train_steps(1);
  std::array<double, samples> seconds{};
  for (double& one : seconds) one = seconds_of([&] { trainer.train_steps(steps); }) / steps;
  std::ranges::sort(seconds);
  return seconds[samples / 2];
}

}  // namespace

std::vector<std::int64_t> balanced(const std::vector<PartTime>& times, std::int64_t batch) {
  const auto images_in = [](const PartTime& time, double seconds) {
    return std::max(0.0, (seconds - time.fixed) / time.an_image);
  };
  const auto all_images_in = [&](double seconds) {
    return std::accumulate(times.begin(), times.end(), 0.0,
                           [&](double sum, const PartTime& time) { return sum + images_in(time, seconds); });
  };
  // In no more time than any one device takes alone.
  double shortest = 0, longest = times.front().fixed + times.front().an_image * static_cast<double>(batch);
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (shortest + longest) / 2;
    (all_images_in(middle) < static_cast<double>(batch) ? shortest : longest) = middle;
  }
  std::vector<std::int64_t> images;
  for (const PartTime& time : times) images.push_back(static_cast<std::int64_t>(images_in(time, longest)));
  // What rounding leaves, or takes, is the business of the one for which it is the least.
  *std::ranges::max_element(images) += batch - std::accumulate(images.begin(), images.end(), std::int64_t{0});
  return images;
}

std::vector<PartTime> measured_times(const FashionMnist& data, const TrainingOptions& options) {
  const std::int64_t large = std::max<std::int64_t>(4, options.batch / std::ssize(options.devices));
  const std::int64_t small = std::max<std::int64_t>(2, large / 16);
  std::vector<PartTime> times;
  for (const Device device : options.devices) {
    const double in_small = seconds_of_step(data, options, device, small);
    const double in_large = seconds_of_step(data, options, device, large);
    // At such sizes time may not grow with them by more than its noise.
    const double an_image = std::max((in_large - in_small) / static_cast<double>(large - small),
                                     in_large / static_cast<double>(16 * large));
    times.push_back({.fixed = std::max(0.0, in_large - an_image * static_cast<double>(large)), .an_image = an_image});
  }
  return times;
}

std::vector<std::int64_t> measured_shares(const FashionMnist& data, const TrainingOptions& options) {
  return balanced(measured_times(data, options), options.batch);
}

std::string describe_parts(const std::vector<Device>& devices, const std::vector<std::int64_t>& images) {
  std::string text;
  for (std::size_t part = 0; part < devices.size(); ++part)
    text += fmt::format("{}{} on {}", part == 0 ? "" : ", ", images[part], to_string(devices[part]));
  return text;
}

}  // namespace stretto::cli
