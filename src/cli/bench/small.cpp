#include <fmt/format.h>

#include <functional>
#include <optional>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/chains.h"
#include "cli/bench/first_replay.h"
#include "cli/bench/groups.h"

namespace stretto::cli {
namespace {

// So many calls of a compiled function come before those that are measured: what they use is made ready meanwhile.
constexpr int calls_before_small = 12;

struct ChainsSample {
  double serial;
  double parallel;
  double replay;
};

class ComparedChains {
 public:
  ComparedChains(std::int64_t n, std::int64_t products, Device device) : chains_(n, products, device) {
    first_ = until_first_replay(replay_, [this] { replayed_ = replay_(); });
    for (int call = 0; call < calls_before_small; ++call) {
      replayed_ = replay_();
      wait_all();
    }
  }

  const std::optional<FirstReplay>& first() const { return first_; }

  ChainsSample measure() {
    std::vector<Tensor> one_by_one, together;
    ChainsSample sample{};
    sample.serial = seconds_of([&] {
      one_by_one = chains_.run_one_by_one();
      wait_all();
    });
    sample.parallel = seconds_of([&] {
      together = chains_.submit();
      wait_all();
    });
    sample.replay = seconds_of([&] {
      replayed_ = replay_();
      wait_all();
    });
    Chains::check(together, one_by_one);
    Chains::check(replayed_, one_by_one);
    return sample;
  }

 private:
  Chains chains_;
  std::optional<FirstReplay> first_;
  using Submit = std::function<std::vector<Tensor>()>;
  CompiledFunction<Submit> replay_ = compile(Submit([this] { return chains_.submit(); }));
  std::vector<Tensor> replayed_;  ///< What the last call returned.
};

}  // namespace

void bench_small(BenchRun& run) {
  for (const Device device : run.devices({cpu()})) {
    for (const std::int64_t n : sizes_of("small", run.options(), {64, 128, 256})) {
      ComparedChains work(n, run.options().count.value_or(Chains::usual_products), device);
      work.measure();
      const std::string name = fmt::format("small.{}", n);
      const auto samples = run.collect(figure_on(name, device), [&] { return work.measure(); });
      run.report(figure_on(name + ".serial", device), "s", values_of(samples, &ChainsSample::serial));
      run.report(figure_on(name + ".parallel", device), "s", values_of(samples, &ChainsSample::parallel));
      run.report(figure_on(name + ".replay", device), "s", values_of(samples, &ChainsSample::replay));
      if (const std::optional<FirstReplay>& first = work.first()) {
        run.report(figure_on(name + ".replay.calls", device), "calls", {first->calls});
        run.report(figure_on(name + ".replay.first", device), "s", {first->seconds / first->calls});
      }
      run.report(figure_on(name + ".speedup", device), "ratio",
                 values_of(samples, [](const ChainsSample& s) { return s.serial / s.parallel; }));
    }
  }
}

}  // namespace stretto::cli
