#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"
#include "cli/bench/library_product.h"

namespace stretto::cli {
namespace {

constexpr int least_repeat_of_ratio = 11;

struct ProductSample {
  double ours;
  double library;
};

/// Compares some elements with sums in double.
void check_product(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& product,
                   std::int64_t n) {
  for (std::int64_t sample = 0; sample < 64; ++sample) {
    const std::int64_t row = sample * 7919 % n, column = sample * 104729 % n;
    double expected = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      expected +=
          static_cast<double>(a[static_cast<std::size_t>(row * n + k)]) * b[static_cast<std::size_t>(k * n + column)];
    }
    if (std::abs(product[static_cast<std::size_t>(row * n + column)] - expected) > 1e-5 * static_cast<double>(n)) {
      throw Error(fmt::format("matmul.{}: element ({}, {}) of the product is wrong", n, row, column));
    }
  }
}

double seconds_of_product(const Tensor& x, const Tensor& y) {
  return seconds_of([&] { matmul(x, y).wait(); });
}

/// GFLOP/s of products that are submitted together, so that what it takes to reach the device does not count.
void bench_on_gpu(std::int64_t n, Device device, BenchRun& run) {
  constexpr int together = 20;
  const std::vector<float> a = product_operand(n, 1), b = product_operand(n, 2);
  const double work = 2.0 * std::pow(static_cast<double>(n), 3) / 1e9;
  const auto measure = [&](const std::string& figure, DType dtype) {
    const std::string name = figure_on(figure, device);
    const Tensor x = from_vector(a, {n, n}, device).to(dtype), y = from_vector(b, {n, n}, device).to(dtype);
    if (dtype == DType::float32 && run.options().precision == "highest") {
      check_product(a, b, matmul(x, y).to_vector<float>(), n);
    }
    const auto sample = [&] {
      return seconds_of([&] {
               for (int i = 0; i < together; ++i) static_cast<void>(matmul(x, y));
               wait_all();
             }) /
             together;
    };
    sample();
    const std::vector<double> seconds = run.collect(name, sample);
    run.report(name, "GFLOP/s", values_of(seconds, [work](double s) { return work / s; }));
  };
  measure(fmt::format("matmul.{}", n), DType::float32);
  measure(fmt::format("matmul.{}.bfloat16", n), DType::bfloat16);
}

void bench_size(std::int64_t n, Device device, BenchRun& run) {
  const std::string name = figure_on(fmt::format("matmul.{}", n), device);
  const std::vector<float> a = product_operand(n, 1), b = product_operand(n, 2);
  const Tensor x = from_vector(a, {n, n}, device), y = from_vector(b, {n, n}, device);
  check_product(a, b, matmul(x, y).to_vector<float>(), n);

  // What the library reaches with all cores is the measure of a device that has them all.
  const bool with_library = device == cpu() && device_count(DeviceKind::cpu) == 1;
  std::optional<LibraryProduct> library;
  if (with_library) library.emplace(n);
  const auto measure = [&] {
    ProductSample sample{};
    // As the library's process does it: once for waking up.
    matmul(x, y).wait();
    sample.ours = seconds_of_product(x, y);
    if (library) {
      // Idle threads of either side spin for a moment; the other side shall not feel it.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      sample.library = library->measure();
    }
    return sample;
  };
  const auto samples =
      run.collect(name, measure, std::max(run.options().repeat, with_library ? least_repeat_of_ratio : 1));
  const double work = 2.0 * std::pow(static_cast<double>(n), 3) / 1e9;
  run.report(name, "GFLOP/s", values_of(samples, [work](const ProductSample& s) { return work / s.ours; }));
  if (!with_library) return;
  run.report(name + ".library", "GFLOP/s",
             values_of(samples, [work](const ProductSample& s) { return work / s.library; }));
  run.report(name + ".ratio", "ratio", values_of(samples, [](const ProductSample& s) { return s.library / s.ours; }));
}

}  // namespace

void bench_matmul(BenchRun& run) {
  for (const Device device : run.devices({cpu()})) {
    for (const std::int64_t n : sizes_of("matmul", run.options(), {1024, 2048})) {
      if (device.kind() == DeviceKind::cuda) {
        bench_on_gpu(n, device, run);
      } else {
        bench_size(n, device, run);
      }
    }
  }
}

}  // namespace stretto::cli
