#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"

namespace stretto::cli {
namespace {

constexpr int chains = 8;
constexpr std::int64_t usual_products = 50;

// So many calls of a compiled function come before those that are measured: what they use is made ready meanwhile.
constexpr int calls_before = 12;

struct ChainsSample {
  double serial;
  double parallel;
  double replay;
};

class Chains {
 public:
  Chains(std::int64_t n, std::int64_t products, Device device) : products_(products) {
    Generator generator(1);
    // Scaled so that products of many keep their magnitude.
    factor_ = normal(generator, 0, 1 / std::sqrt(static_cast<double>(n)), {n, n}, device);
    for (int chain = 0; chain < chains; ++chain) {
      starts_.push_back(normal(generator, 0, 1, {n, n}, device));
    }
    wait_all();
    for (int call = 0; call < calls_before; ++call) {
      replayed_ = replay_();
      wait_all();
    }
  }

  ChainsSample measure() {
    std::vector<Tensor> one_by_one, together;
    ChainsSample sample{};
    sample.serial = seconds_of([&] { one_by_one = run(true); });
    sample.parallel = seconds_of([&] { together = run(false); });
    sample.replay = seconds_of([&] {
      replayed_ = replay_();
      wait_all();
    });
    for (std::size_t chain = 0; chain < chains; ++chain) {
      const std::vector<float> expected = one_by_one[chain].to_vector<float>();
      if (expected != together[chain].to_vector<float>() || expected != replayed_[chain].to_vector<float>())
        throw Error("small: chains that run together differ from chains that run one after the other");
    }
    return sample;
  }

 private:
  std::vector<Tensor> run(bool one_after_the_other) const {
    std::vector<Tensor> ends = submit(one_after_the_other);
    wait_all();
    return ends;
  }

  std::vector<Tensor> submit(bool one_after_the_other) const {
    std::vector<Tensor> ends;
    for (Tensor now : starts_) {
      for (std::int64_t i = 0; i < products_; ++i) now = matmul(now, factor_);
      ends.push_back(now);
      if (one_after_the_other) wait_all();
    }
    return ends;
  }

  std::int64_t products_;
  Tensor factor_;
  std::vector<Tensor> starts_;
  using Submit = std::function<std::vector<Tensor>()>;
  CompiledFunction<Submit> replay_ = compile(Submit([this] { return submit(false); }));
  std::vector<Tensor> replayed_;  ///< What the last call returned.
};

}  // namespace

void bench_small(BenchRun& run) {
  for (const Device device : run.devices({cpu()})) {
    for (const std::int64_t n : sizes_of("small", run.options(), {64, 128, 256})) {
      Chains work(n, run.options().count.value_or(usual_products), device);
      work.measure();
      const std::string name = fmt::format("small.{}", n);
      const auto samples = run.collect(figure_on(name, device), [&] { return work.measure(); });
      run.report(figure_on(name + ".serial", device), "s", values_of(samples, &ChainsSample::serial));
      run.report(figure_on(name + ".parallel", device), "s", values_of(samples, &ChainsSample::parallel));
      run.report(figure_on(name + ".replay", device), "s", values_of(samples, &ChainsSample::replay));
      run.report(figure_on(name + ".speedup", device), "ratio",
                 values_of(samples, [](const ChainsSample& s) { return s.serial / s.parallel; }));
    }
  }
}

}  // namespace stretto::cli
