#include <algorithm>
#include <array>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"

namespace stretto::cli {
namespace {

constexpr int chains = 8;
constexpr std::int64_t usual_chain_steps = 50;
// So much arithmetic on so little memory that caches do not matter: only who waits for whom does.
constexpr std::int64_t chain_elements = 4096;
constexpr int rounds_an_element = 64;
constexpr float slope = 3.7f;

void logistic_map(const float* from, float* to) {
  for (std::int64_t i = 0; i < chain_elements; ++i) {
    float value = from[i];
    for (int round = 0; round < rounds_an_element; ++round) value = slope * value * (1 - value);
    to[i] = value;
  }
}

Tensor chain_start(int chain, Device device) {
  std::vector<float> values(chain_elements);
  for (std::int64_t i = 0; i < chain_elements; ++i) {
    values[static_cast<std::size_t>(i)] = static_cast<float>(i + 1 + chain) / (chain_elements + chains + 1);
  }
  return from_vector(values, device);
}

std::vector<float> serial_chain(int chain, std::int64_t steps) {
  std::vector<float> now = chain_start(chain, cpu()).to_vector<float>();
  std::vector<float> next(now.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    logistic_map(now.data(), next.data());
    now.swap(next);
  }
  return now;
}

void submit_step(const Tensor& from, const Tensor& to, Device device) {
  task("step", device).read(from).write(to).run([](TaskContext& c) {
    logistic_map(c.data<const float>(0), c.data<float>(1));
  });
}

struct Coupling {
  double temporaries;
  double allocated_before;
};

class MemoryChains {
 public:
  MemoryChains(Device device, std::int64_t steps) : device_(device), steps_(steps) {
    for (int chain = 0; chain < chains; ++chain) {
      starts_.push_back(chain_start(chain, device));
      expected_.push_back(serial_chain(chain, steps));
      for (std::int64_t step = 0; step < steps; ++step) outputs_.push_back(zeros({chain_elements}, device));
    }
    wait_all();
  }

  Coupling measure() {
    Coupling result{};
    result.temporaries = measure([this](int, std::int64_t) { return empty({chain_elements}, device_); });
    result.allocated_before = measure(
        [this](int chain, std::int64_t step) { return outputs_[static_cast<std::size_t>(chain * steps_ + step)]; });
    return result;
  }

 private:
  template <typename Output>
  double measure(Output output) {
    std::vector<Tensor> now = starts_;
    const double seconds = seconds_of([&] {
      for (std::int64_t step = 0; step < steps_; ++step) {
        for (int chain = 0; chain < chains; ++chain) {
          Tensor next = output(chain, step);
          submit_step(now[static_cast<std::size_t>(chain)], next, device_);
          now[static_cast<std::size_t>(chain)] = std::move(next);
        }
      }
      wait_all();
    });
    for (std::size_t chain = 0; chain < chains; ++chain) {
      if (now[chain].to_vector<float>() != expected_[chain]) {
        throw Error("memory.coupling: the values differ from those of a serial loop");
      }
    }
    return seconds;
  }

  Device device_;
  std::int64_t steps_;
  std::vector<Tensor> starts_;
  std::vector<Tensor> outputs_;
  std::vector<std::vector<float>> expected_;
};

/// The most memory that `iterations` of a loop hold which makes two temporaries and nothing waits for.
double peak_of_loop(const Tensor& a, const Tensor& b, std::int64_t iterations, bool wait) {
  const Device device = a.device();
  Tensor c = zeros(a.shape(), device);
  wait_all();
  reset_peak_memory(device);
  for (std::int64_t i = 0; i < iterations; ++i) {
    c = (a + b) / 8 + c;
    if (wait) wait_all();
  }
  wait_all();
  const double peak = static_cast<double>(memory_stats(device).peak);
  const float expected = static_cast<float>(iterations) * 0.25f;
  if (c.select(0, 0).item<float>() != expected || c.select(0, -1).item<float>() != expected) {
    throw Error("memory.peak: the loop's values are wrong");
  }
  return peak;
}

/// What the loop holds at most, over what the same statements hold when each is waited for.
double peak_ratio(Device device, std::int64_t elements, std::int64_t iterations) {
  const Tensor a = ones({elements}, device), b = ones({elements}, device);
  const double live = peak_of_loop(a, b, 2, true);
  return peak_of_loop(a, b, iterations, false) / live;
}

}  // namespace

void bench_memory(BenchRun& run) {
  for (const Device device : run.devices({cpu()})) {
    if (run.wants("memory.coupling") && device.kind() != DeviceKind::cuda) {
      MemoryChains work(device, run.options().count.value_or(usual_chain_steps));
      work.measure();
      const std::string name = figure_on("memory.coupling", device);
      const auto samples = run.collect(name, [&] { return work.measure(); });
      run.report(name, "ratio",
                 values_of(samples, [](const Coupling& c) { return c.temporaries / c.allocated_before; }));
    }
    if (run.wants("memory.peak")) {
      constexpr std::int64_t usual_elements = 1 << 18;
      const std::int64_t elements = run.options().size.value_or(usual_elements);
      const std::string name = figure_on("memory.peak", device);
      const auto measure = [&] { return peak_ratio(device, elements, run.options().count.value_or(1000)); };
      run.report(name, "ratio", run.collect(name, measure));
    }
  }
}

}  // namespace stretto::cli
