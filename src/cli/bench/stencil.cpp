#include "cli/bench/stencil.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/report/system.h>
#include <stretto/stretto.h>

#include "cli/bench/bench_run.h"
#include "cli/bench/task_programs.h"

namespace stretto::cli {
namespace {

using task_programs::Value;

constexpr int width = 4;
constexpr double seconds_of_a_run = 0.02;

/// The work of a task: so many steps that depend on each other.
Value spin(Value start, std::int64_t spins) {
  auto value = static_cast<std::uint64_t>(start);
  for (std::int64_t i = 0; i < spins; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  return static_cast<Value>(value);
}

Value combine(Value left, Value middle, Value right) {
  return static_cast<Value>(static_cast<std::uint64_t>(left) + 3 * static_cast<std::uint64_t>(middle) +
                            5 * static_cast<std::uint64_t>(right));
}

struct Measurement {
  double spins_a_second;
  double core_seconds_a_task;
};

std::array<Value, width> serial_stencil(std::int64_t steps, std::int64_t spins) {
  std::array<Value, width> now{1, 2, 3, 4};
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::array<Value, width> before = now;
    for (int i = 0; i < width; ++i) {
      const Value left = i > 0 ? before[i - 1] : 0, right = i + 1 < width ? before[i + 1] : 0;
      now[i] = spin(combine(left, before[i], right), spins);
    }
  }
  return now;
}

class Stencil {
 public:
  explicit Stencil(Device device) : device_(device), cores_(cores_of(device)) {
    for (auto& row : points_) {
      for (int i = 0; i < width; ++i) row.push_back(from_vector<Value>({i + 1}, device));
    }
    constexpr std::int64_t many = 4'000'000;
    volatile Value result = 0;
    spins_a_second_of_one_ = many / seconds_of([&] { result = spin(result, many); });
  }

  std::int64_t spins_in(double seconds) const {
    return std::max<std::int64_t>(1, std::llround(seconds * spins_a_second_of_one_));
  }

  Measurement run(std::int64_t spins) {
    // A guess at the time of a step is enough: it only sets how long the run is.
    const double step_seconds = width * (static_cast<double>(spins) / spins_a_second_of_one_ / cores_ + 0.2e-6);
    const std::int64_t steps = 2 * std::max<std::int64_t>(2, std::llround(seconds_of_a_run / step_seconds / 2));
    for (int i = 0; i < width; ++i) points_[0][i].fill_(i + 1);
    wait_all();
    const double seconds = seconds_of([&] {
      for (std::int64_t step = 0; step < steps; ++step) submit(points_[step % 2], points_[(step + 1) % 2], spins);
      wait_all();
    });
    const std::array<Value, width> expected = serial_stencil(steps, spins);
    for (int i = 0; i < width; ++i) {
      if (points_[0][i].item<Value>() != expected[i]) {
        throw Error("tasks.metg50: the stencil's values differ from those of a serial loop");
      }
    }
    const auto tasks = static_cast<double>(steps * width);
    return {tasks * static_cast<double>(spins) / seconds, seconds * cores_ / tasks};
  }

 private:
  static int cores_of(Device device) {
    for (const DeviceReport& report : system_report().devices) {
      if (report.device == device) return std::max(1, report.compute_units);
    }
    return 1;
  }

  void submit(const std::vector<Tensor>& before, const std::vector<Tensor>& after, std::int64_t spins) {
    const auto first = [spins](TaskContext& c) {
      *c.data<Value>(2) = spin(combine(0, *c.data<const Value>(0), *c.data<const Value>(1)), spins);
    };
    const auto last = [spins](TaskContext& c) {
      *c.data<Value>(2) = spin(combine(*c.data<const Value>(0), *c.data<const Value>(1), 0), spins);
    };
    const auto inner = [spins](TaskContext& c) {
      *c.data<Value>(3) =
          spin(combine(*c.data<const Value>(0), *c.data<const Value>(1), *c.data<const Value>(2)), spins);
    };
    task("point", device_).read(before[0]).read(before[1]).write(after[0]).run(first);
    for (int i = 1; i + 1 < width; ++i) {
      task("point", device_).read(before[i - 1]).read(before[i]).read(before[i + 1]).write(after[i]).run(inner);
    }
    task("point", device_).read(before[width - 2]).read(before[width - 1]).write(after[width - 1]).run(last);
  }

  Device device_;
  int cores_;
  double spins_a_second_of_one_ = 0;
  std::array<std::vector<Tensor>, 2> points_;
};

}  // namespace

double stencil_metg50(Device device) {
  Stencil stencil(device);
  const double peak = std::max(stencil.run(stencil.spins_in(100e-6)).spins_a_second,
                               stencil.run(stencil.spins_in(200e-6)).spins_a_second);
  const auto efficiency = [peak](const Measurement& measured) { return measured.spins_a_second / peak; };

  std::int64_t long_spins = stencil.spins_in(16e-6);
  Measurement longer = stencil.run(long_spins);
  while (efficiency(longer) < 0.5) {
    long_spins *= 2;
    longer = stencil.run(long_spins);
    if (longer.core_seconds_a_task > 0.01) throw Error("tasks.metg50: tasks of 10 ms do not reach half of the peak");
  }
  std::int64_t short_spins = long_spins;
  Measurement shorter = longer;
  while (efficiency(shorter) >= 0.5 && short_spins > 1) {
    long_spins = short_spins;
    longer = shorter;
    short_spins = short_spins / 2;
    shorter = stencil.run(short_spins);
  }
  for (int halving = 0; halving < 4 && efficiency(shorter) < 0.5; ++halving) {
    const auto middle =
        static_cast<std::int64_t>(std::sqrt(static_cast<double>(short_spins) * static_cast<double>(long_spins)));
    const Measurement measured = stencil.run(middle);
    (efficiency(measured) >= 0.5 ? long_spins : short_spins) = middle;
    (efficiency(measured) >= 0.5 ? longer : shorter) = measured;
  }
  return longer.core_seconds_a_task * 1e6;
}

}  // namespace stretto::cli
