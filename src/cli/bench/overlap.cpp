#include "cli/bench/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"
#include "cli/chapter.h"
#include "cli/child_process.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t usual_size = 1024;
constexpr std::int64_t usual_products = 50;
constexpr int cold_samples = 3;

double in_new_process(Device device, const Products& products, bool into_vectors) {
  ChildProcess child({own_program(), "helper", "overlap-cold", to_string(device), std::to_string(products.n),
                      std::to_string(products.inner), std::to_string(products.count),
                      std::to_string(static_cast<int>(into_vectors))});
  const std::optional<std::string> line = child.read_line();
  if (child.wait() != 0 || !line) throw Error("overlap.cold: the process that measures it failed");
  return std::strtod(line->c_str(), nullptr);
}

void bench_run_and_copy(const Products& products, Device device, BenchRun& run) {
  const Device to = copy_target(device);
  const Factors factors(products, device);
  measure_overlap(factors, products.count, to);
  const auto samples = run.collect(figure_on("overlap.run_and_copy", device),
                                   [&] { return measure_overlap(factors, products.count, to); });
  const auto report = [&](const char* name, const char* unit, auto value) {
    run.report(figure_on(name, device), unit, values_of(samples, value));
  };
  const auto larger = [](const OverlapTimes& t) { return std::max(t.run, t.copy); };
  report("overlap.run", "s", &OverlapTimes::run);
  report("overlap.copy", "s", &OverlapTimes::copy);
  report("overlap.run_and_copy", "s", &OverlapTimes::run_and_copy);
  report("overlap.ratio", "ratio", [&](const OverlapTimes& t) { return t.run_and_copy / larger(t); });
  report("overlap.serial", "ratio", [&](const OverlapTimes& t) { return (t.run + t.copy) / larger(t); });
}

/// The products one by one into vectors that nobody touched yet.
double measure_run_and_read(const Factors& factors, std::int64_t count) {
  std::vector<std::vector<float>> read;
  const double seconds = seconds_of([&] {
    for (const Tensor& product : submit_products(factors, count)) read.push_back(product.to_vector<float>());
  });
  if (!std::ranges::all_of(read, [&](const std::vector<float>& values) { return values == read.front(); }))
    throw Error("overlap.cold.to_vector: equal products were read as different values");
  return seconds;
}

/// Something that a machine does, as a program that submits it and keeps what it makes.
using Program = std::function<std::vector<Tensor>()>;

/// How long all programs together take, over the longest of them alone.
double together_over_longest(const std::vector<Program>& parts, const Program& together) {
  double longest = 0;
  for (const Program& part : parts) {
    longest = std::max(longest, seconds_of([&] {
                         const std::vector<Tensor> kept = part();
                         wait_all();
                       }));
  }
  std::vector<Tensor> kept;
  const double all = seconds_of([&] {
    kept = together();
    wait_all();
  });
  return all / longest;
}

void append(std::vector<Tensor>& all, std::vector<Tensor> more) { std::ranges::move(more, std::back_inserter(all)); }

/// Every device computes while it copies its results to the CPU and to its neighbour.
void bench_all(const Products& products, const std::vector<Device>& devices, BenchRun& run) {
  std::deque<Factors> factors;
  std::vector<std::vector<Tensor>> results;
  for (const Device device : devices) {
    factors.emplace_back(products, device);
    results.push_back(submit_products(factors.back(), products.count));
  }
  wait_all();
  const auto neighbour = [&](std::size_t i) { return devices[(i + 1) % devices.size()]; };
  const auto on_each = [&](auto submit) {
    return [&devices, submit] {
      std::vector<Tensor> all;
      for (std::size_t i = 0; i < devices.size(); ++i) append(all, submit(i));
      return all;
    };
  };
  const Program compute = on_each([&](std::size_t i) { return submit_products(factors[i], products.count); });
  const Program to_cpu = on_each([&](std::size_t i) { return submit_copies(results[i], copy_target(devices[i])); });
  const Program to_neighbour = on_each([&](std::size_t i) { return submit_copies(results[i], neighbour(i)); });
  const Program together = on_each([&](std::size_t i) {
    std::vector<Tensor> made = submit_products(factors[i], products.count);
    std::vector<Tensor> copies = submit_copies(made, copy_target(devices[i]));
    append(copies, submit_copies(made, neighbour(i)));
    return copies;
  });
  const auto measure = [&] { return together_over_longest({compute, to_cpu, to_neighbour}, together); };
  measure();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    check_products(submit_copies(submit_products(factors[i], 2), neighbour(i)), factors[i]);
  }
  run.report("overlap.all", "ratio", run.collect("overlap.all", measure));
}

/// Every device runs and copies while the others do the same, over the largest part that one has to do alone.
void bench_run_and_copy_on_all(const Products& products, const std::vector<Device>& devices, BenchRun& run) {
  std::deque<Factors> factors;
  for (const Device device : devices) factors.emplace_back(products, device);
  const auto measure = [&] {
    double longest = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const OverlapTimes alone = measure_overlap(factors[i], products.count, copy_target(devices[i]));
      longest = std::max({longest, alone.run, alone.copy});
    }
    std::vector<std::vector<Tensor>> copies;
    const double all = seconds_of([&] {
      for (std::size_t i = 0; i < devices.size(); ++i)
        copies.push_back(submit_copies(submit_products(factors[i], products.count), copy_target(devices[i])));
      wait_all();
    });
    for (std::size_t i = 0; i < devices.size(); ++i) check_products(std::move(copies[i]), factors[i]);
    return all / longest;
  };
  measure();
  run.report("overlap.ratio.all", "ratio", run.collect("overlap.ratio.all", measure));
}

/// Operands come from the CPU, are multiplied on the device, and the products go back.
void bench_pipeline(const Products& products, Device device, BenchRun& run) {
  const Device host = copy_target(device);
  const Factors here(products, device), there(products, host);
  const std::vector<Tensor> made = submit_products(here, products.count);
  wait_all();
  const auto each = [&](auto submit) {
    return [&products, submit] {
      std::vector<Tensor> all;
      for (std::int64_t i = 0; i < products.count; ++i) all.push_back(submit(static_cast<std::size_t>(i)));
      return all;
    };
  };
  const Program in = each([&](std::size_t) { return there.left.to(device); });
  const Program compute = each([&](std::size_t) { return matmul(here.left, here.right); });
  const Program out = each([&](std::size_t i) { return made[i].to(host); });
  const Program together = each([&](std::size_t) { return matmul(there.left.to(device), here.right).to(host); });
  const auto measure = [&] { return together_over_longest({in, compute, out}, together); };
  measure();
  check_products(together(), there);
  const std::string name = figure_on("overlap.pipeline", device);
  run.report(name, "ratio", run.collect(name, measure));
}

}  // namespace

double cold_run_and_copy(const std::string& device, const std::vector<long>& numbers) {
  const Device on = Device::parse(device);
  const Products products{numbers[0], numbers[1], numbers[2]};
  const Factors factors(products, on);
  return numbers[3] != 0 ? measure_run_and_read(factors, products.count)
                         : measure_run_and_copy(factors, products.count, copy_target(on));
}

void bench_overlap(BenchRun& run) {
  const std::vector<Device> devices = run.devices(several_devices());
  const Device first = devices.front();
  if (copy_target(first) == first) throw UsageError("bench overlap needs two devices; --cpu-devices 2 splits the CPU");
  const std::int64_t count = run.options().count.value_or(usual_products);
  const std::int64_t size = run.options().size.value_or(usual_size);
  // With a size given the products are the chapter's own, square ones.
  const Products products =
      run.options().size ? Products{size, size, count} : balance(size, count, first, copy_target(first));

  for (const auto& [figure, into_vectors] :
       {std::pair{"overlap.cold.run_and_copy", false}, {"overlap.cold.to_vector", true}}) {
    if (!run.wants(figure)) continue;
    const std::string name = figure_on(figure, first);
    const int repeat = std::min(run.options().repeat, cold_samples);
    run.report(name, "s", run.collect(name, [&] { return in_new_process(first, products, into_vectors); }, repeat));
  }
  bench_run_and_copy(products, first, run);
  if (devices.size() > 1 && run.wants("overlap.ratio.all")) bench_run_and_copy_on_all(products, devices, run);
  if (devices.size() > 1 && run.wants("overlap.all")) bench_all(products, devices, run);
  if (run.wants("overlap.pipeline")) bench_pipeline(products, first, run);
}

}  // namespace stretto::cli
