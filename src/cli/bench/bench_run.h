#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stretto/core/device.h>

#include "cli/core_check.h"
#include "cli/devices.h"
#include "cli/results.h"
#include "cli/seconds.h"

namespace stretto::cli {

/// What a person asked of `stretto bench`.
struct BenchOptions {
  std::vector<std::string> names;  ///< Groups and figures; empty is all.
  std::vector<std::string> devices;
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> count;
  int repeat = 11;
  std::string precision = "highest";  ///< Of products of float32.
};

/// Whether `names` asks for this figure: none at all, the figure itself, a name that it begins with ("matmul" for
/// matmul.1024), or one of the figures that come with it (tasks.chain.openmp with tasks.chain).
bool asks_for(std::span<const std::string> names, std::string_view figure);

/// One group of figures being measured, in a process of its own.
class BenchRun {
 public:
  using OnResult = std::function<void(const Result&)>;
  using OnProgress = std::function<void(double fraction, std::string_view figure)>;

  BenchRun(BenchOptions options, OnResult on_result, OnProgress on_progress);

  const BenchOptions& options() const { return options_; }
  bool wants(std::string_view figure) const { return asks_for(options_.names, figure); }
  /// The devices that were asked for, else those given.
  std::vector<Device> devices(std::vector<Device> otherwise) const {
    return devices_named(options_.devices, std::move(otherwise));
  }

  /// Calls `measure` until there are `repeat` samples, each taken while the process had its cores to itself. On a
  /// machine that stays busy it gives up waiting for that, and says so at the end.
  template <typename Measure>
  auto collect(std::string_view figure, Measure measure, int repeat) {
    std::vector<std::invoke_result_t<Measure>> samples;
    bool good_before = check_cores();
    while (static_cast<int>(samples.size()) < repeat) {
      on_progress_(static_cast<double>(samples.size()) / repeat, figure);
      auto sample = measure();
      const bool good_after = check_cores();
      if (good_before && good_after) {
        samples.push_back(sample);
      } else if (discarded_ < most_discarded()) {
        ++discarded_;
      } else {
        busy_ = true;
        samples.push_back(sample);
      }
      good_before = good_after;
    }
    return samples;
  }

  template <typename Measure>
  auto collect(std::string_view figure, Measure measure) {
    return collect(figure, std::move(measure), options_.repeat);
  }

  void report(const Result& result) { on_result_(result); }
  void report(std::string name, std::string unit, std::vector<double> samples) {
    report(summarise(std::move(name), std::move(unit), std::move(samples)));
  }
  /// Reports machine.cores over the whole run, and says on standard error when figures were taken on a busy machine.
  void finish();

 private:
  bool check_cores();
  /// Who asks for one sample is in no need of a quiet machine.
  int most_discarded() const { return std::min(8 * options_.repeat, 3 * options_.repeat + 20); }

  BenchOptions options_;
  OnResult on_result_;
  OnProgress on_progress_;
  CoreCheck check_;
  std::vector<double> measured_cores_;
  int discarded_ = 0;
  bool busy_ = false;
};

/// The sizes of figures such as matmul.<n>: those in the names asked for (matmul.512), else `--size`, else the usual
/// ones.
std::vector<std::int64_t> sizes_of(std::string_view group, const BenchOptions& options,
                                   std::vector<std::int64_t> usual);

/// `name` for cpu:0, `name.cuda:0` for another device.
std::string figure_on(std::string_view name, Device device);

/// One value of each sample.
template <typename Sample, typename Value>
std::vector<double> values_of(const std::vector<Sample>& samples, Value value) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(std::invoke(value, sample));
  return values;
}

}  // namespace stretto::cli
