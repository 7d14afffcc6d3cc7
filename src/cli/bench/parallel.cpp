#include <algorithm>
#include <deque>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"
#include "cli/chapter.h"

namespace stretto::cli {
namespace {

struct ParallelSample {
  std::vector<double> alone;
  double all = 0;
};

}  // namespace

void bench_parallel(BenchRun& run) {
  const std::vector<Device> devices = run.devices(several_devices());
  if (devices.size() < 2) throw UsageError("bench parallel needs two devices; --cpu-devices 2 splits the CPU");
  const Products products{run.options().size.value_or(1024), run.options().size.value_or(1024),
                          run.options().count.value_or(20)};
  std::deque<Factors> factors;
  for (const Device device : devices) factors.emplace_back(products, device);

  const auto measure = [&] {
    ParallelSample sample;
    for (const Factors& one : factors) {
      sample.alone.push_back(seconds_of([&] {
        const std::vector<Tensor> results = submit_products(one, products.count);
        wait_all();
      }));
    }
    std::vector<std::vector<Tensor>> results;
    sample.all = seconds_of([&] {
      for (const Factors& one : factors) results.push_back(submit_products(one, products.count));
      wait_all();
    });
    return sample;
  };
  measure();
  for (const Factors& one : factors) check_products(submit_products(one, 2), one);

  const auto samples = run.collect("parallel.all", measure);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    run.report("parallel." + to_string(devices[i]), "s",
               values_of(samples, [i](const ParallelSample& s) { return s.alone[i]; }));
  }
  run.report("parallel.all", "s", values_of(samples, &ParallelSample::all));
  run.report("parallel.ratio", "ratio",
             values_of(samples, [](const ParallelSample& s) { return s.all / std::ranges::max(s.alone); }));
}

}  // namespace stretto::cli
