#include <functional>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t usual_fused_elements = std::int64_t{16} << 20;  // 64 MiB of float32
constexpr int calls_before_fused = 12;

/// Eight operations.
Tensor eight_operations(const Tensor& x, const Tensor& y) {
  return clamp_max(maximum(relu(x * 1.5f + y) - x, 0.25f) * y, 2.0f) + 1.0f;
}

struct FusedSample {
  double plain;
  double one_pass;
};

class FusedChain {
 public:
  FusedChain(std::int64_t elements, Device device) {
    Generator generator(1);
    x_ = uniform(generator, -1, 1, {elements}, device);
    y_ = uniform(generator, -1, 1, {elements}, device);
    const auto call = [this] {
      replayed_ = replay_(x_, y_);
      wait_all();
    };
    call();
    while (replay_.statistics().unready > 0) call();
    for (int calls = 0; calls < calls_before_fused; ++calls) call();
    if (!all(replayed_ == eight_operations(x_, y_)).item<bool>())
      throw Error("fused: one pass differs from one operation after the other");
  }

  FusedSample measure() {
    FusedSample sample{};
    sample.plain = seconds_of([&] {
      plain_ = eight_operations(x_, y_);
      wait_all();
    });
    sample.one_pass = seconds_of([&] {
      replayed_ = replay_(x_, y_);
      wait_all();
    });
    return sample;
  }

 private:
  Tensor x_;
  Tensor y_;
  Tensor plain_;
  Tensor replayed_;
  CompiledFunction<std::function<Tensor(const Tensor&, const Tensor&)>> replay_ =
      compile(std::function<Tensor(const Tensor&, const Tensor&)>(&eight_operations));
};

}  // namespace

void bench_fused(BenchRun& run) {
  for (const Device device : run.devices({cpu()})) {
    FusedChain work(run.options().size.value_or(usual_fused_elements), device);
    work.measure();
    const std::string name = figure_on("fused.chain", device);
    const auto samples = run.collect(name, [&] { return work.measure(); });
    run.report(name, "s", values_of(samples, &FusedSample::one_pass));
    run.report(figure_on("fused.chain.plain", device), "s", values_of(samples, &FusedSample::plain));
    run.report(figure_on("fused.chain.ratio", device), "ratio",
               values_of(samples, [](const FusedSample& s) { return s.one_pass / s.plain; }));
  }
}

}  // namespace stretto::cli
