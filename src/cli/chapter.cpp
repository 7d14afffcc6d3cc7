#include "cli/chapter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <stretto/trace/section.h>

#include "cli/seconds.h"

namespace stretto::cli {

Factors::Factors(const Products& products, Device device) {
  Generator generator(products.n * 31 + products.inner);
  const double scale = 1 / std::sqrt(static_cast<double>(products.inner));
  left = normal(generator, 0, scale, {products.n, products.inner}, device);
  right = normal(generator, 0, 1, {products.inner, products.n}, device);
  left.wait();
  right.wait();
}

std::vector<Tensor> submit_products(const Factors& factors, std::int64_t count) {
  std::vector<Tensor> results;
  for (std::int64_t i = 0; i < count; ++i) results.push_back(matmul(factors.left, factors.right));
  return results;
}

std::vector<Tensor> submit_copies(const std::vector<Tensor>& tensors, Device device) {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors) copies.push_back(tensor.to(device));
  return copies;
}

void check_products(std::vector<Tensor> tensors, const Factors& factors) {
  const HostSnapshot<float> kept = std::move(tensors.front()).host<float>();
  const std::span<const float> first = kept.span();
  const std::vector<float> left = factors.left.to_vector<float>(), right = factors.right.to_vector<float>();
  const auto n = static_cast<std::size_t>(factors.left.size(0)), inner = static_cast<std::size_t>(factors.left.size(1));
  const double tolerance = float32_matmul_precision() == "high" ? 1e-2 : 1e-3;
  for (std::size_t sample = 0; sample < 16; ++sample) {
    const std::size_t row = sample * 7919 % n, column = sample * 104729 % n;
    double expected = 0;
    for (std::size_t k = 0; k < inner; ++k)
      expected += static_cast<double>(left[row * inner + k]) * right[k * n + column];
    if (!(std::abs(first[row * n + column] - expected) < tolerance)) {
      throw Error(fmt::format("element ({}, {}) of a product of {} x {} matrices is wrong", row, column, n, inner));
    }
  }
  for (Tensor& tensor : std::span(tensors).subspan(1)) {
    const HostSnapshot<float> values = std::move(tensor).host<float>();
    // Equal to the last bit, which a processor compares many times faster than numbers.
    if (values.span().size() != first.size() ||
        std::memcmp(values.span().data(), first.data(), first.size_bytes()) != 0)
      throw Error("equal products were copied to different values");
  }
}

Device copy_target(Device device) {
  if (device.kind() != DeviceKind::cpu) return cpu();
  return cpu((device.index() + 1) % device_count(DeviceKind::cpu));
}

Products balance(std::int64_t n, std::int64_t count, Device from, Device to) {
  const std::int64_t few = std::min<std::int64_t>(count, 8);
  const auto copy_over_run = [&](std::int64_t inner) {
    const Factors factors({n, inner, few}, from);
    measure_run_and_copy(factors, few, to);
    std::vector<double> ratios;
    for (int sample = 0; sample < 5; ++sample) {
      const OverlapTimes times = measure_overlap(factors, few, to);
      ratios.push_back(times.copy / times.run);
    }
    std::ranges::sort(ratios);
    return ratios[ratios.size() / 2];
  };
  // The time of a product grows with the inner extent and that of a copy does not.
  std::int64_t inner = std::min<std::int64_t>(n, 64);
  for (int attempt = 0; attempt < 6; ++attempt) {
    const double ratio = copy_over_run(inner);
    if (ratio > 0.9 && ratio < 1.1) break;
    // Multiples of 16 keep the library on its usual path.
    const auto wanted = static_cast<std::int64_t>(std::lround(static_cast<double>(inner) * ratio / 16)) * 16;
    const std::int64_t next = std::clamp<std::int64_t>(wanted, std::min<std::int64_t>(n, 16), n);
    if (next == inner) break;
    inner = next;
  }
  return {n, inner, count};
}

double measure_run_and_copy(const Factors& factors, std::int64_t count, Device to) {
  std::vector<Tensor> copies;
  const double seconds = seconds_of([&] {
    // In a timeline, what is measured here can be told from all else.
    const trace::Section section("run_and_copy");
    std::vector<Tensor> products = submit_products(factors, count);
    // Where time is counted, submitting takes none. As by the clock, products are issued before the copies come.
    if (deterministic_schedule()) ScheduledThread([] {}).join();
    copies = submit_copies(products, to);
    products.clear();
    wait_all();
  });
  check_products(std::move(copies), factors);
  return seconds;
}

OverlapTimes measure_overlap(const Factors& factors, std::int64_t count, Device to) {
  OverlapTimes times{};
  {
    std::vector<Tensor> results, copies;
    times.run = seconds_of([&] {
      results = submit_products(factors, count);
      wait_all();
    });
    times.copy = seconds_of([&] {
      copies = submit_copies(results, to);
      wait_all();
    });
    check_products(std::move(copies), factors);
  }
  times.run_and_copy = measure_run_and_copy(factors, count, to);
  return times;
}

}  // namespace stretto::cli
