#include <fmt/format.h>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"

namespace stretto::cli {
namespace {

// Small enough that float32 counts it exactly.
constexpr std::int64_t usual_additions = 200'000;

double nanoseconds_of_tiny_add(std::int64_t count, Device device) {
  Tensor z = zeros({1}, device);
  z.wait();
  float result = 0;
  const double seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < count; ++i) z = z + 1;
    result = z.item<float>();
  });
  if (result != static_cast<float>(count)) {
    throw Error(fmt::format("ops.tiny_add: {} additions of 1 gave {}", count, result));
  }
  return seconds * 1e9 / static_cast<double>(count);
}

}  // namespace

void bench_ops(BenchRun& run) {
  const std::int64_t count = run.options().count.value_or(usual_additions);
  if (count > (1 << 24)) throw UsageError("bench ops counts in float32: --count is at most 16777216");
  for (const Device device : run.devices({cpu()})) {
    const std::string name = figure_on("ops.tiny_add", device);
    run.report(name, "ns", run.collect(name, [&] { return nanoseconds_of_tiny_add(count, device); }));
  }
}

}  // namespace stretto::cli
