#include "cli/bench/bench_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include <stretto/base/error.h>
#include <stretto/base/schedule.h>

namespace stretto::cli {

bool asks_for(std::span<const std::string> names, std::string_view figure) {
  const auto begins_with = [](std::string_view longer, std::string_view shorter) {
    return longer.starts_with(shorter) && (longer.size() == shorter.size() || longer[shorter.size()] == '.');
  };
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return begins_with(figure, name) || begins_with(name, figure);
         });
}

BenchRun::BenchRun(BenchOptions options, OnResult on_result, OnProgress on_progress)
    : options_(std::move(options)), on_result_(std::move(on_result)), on_progress_(std::move(on_progress)) {}

bool BenchRun::check_cores() {
  // Time that is counted does not hang on them, either.
  if (deterministic_schedule()) return true;
  // A GPU's figures do not hang on how many cores are free.
  const auto is_gpu = [](const std::string& device) { return device.starts_with(name(DeviceKind::cuda)); };
  if (!options_.devices.empty() && std::ranges::all_of(options_.devices, is_gpu)) return true;
  measured_cores_.push_back(check_.measure());
  return check_.good(measured_cores_.back());
}

void BenchRun::finish() {
  if (measured_cores_.empty()) return;
  Result cores = summarise("machine.cores", "cores", measured_cores_);
  if (discarded_ > 0) {
    fmt::print(stderr, "stretto: the machine was busy: {} samples were thrown away{}\n", discarded_,
               busy_ ? fmt::format(", and the figures were taken with {:.2f} of {} cores", cores.value, check_.cores())
                     : std::string());
  }
  report(cores);
}

std::vector<std::int64_t> sizes_of(std::string_view group, const BenchOptions& options,
                                   std::vector<std::int64_t> usual) {
  std::vector<std::int64_t> sizes;
  for (const std::string& name : options.names) {
    if (name.size() <= group.size() + 1 || !name.starts_with(group)) continue;
    const char* begin = name.data() + group.size() + 1;
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), size);
    if (error != std::errc() || size < 1 || (end != name.data() + name.size() && *end != '.')) {
      throw UsageError(fmt::format("{}: a size is expected behind {}.", name, group));
    }
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  }
  if (!sizes.empty()) return sizes;
  return options.size ? std::vector{*options.size} : usual;
}

std::string figure_on(std::string_view name, Device device) {
  return device == Device(DeviceKind::cpu, 0) ? std::string(name) : fmt::format("{}.{}", name, to_string(device));
}

}  // namespace stretto::cli
