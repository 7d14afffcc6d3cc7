#include <cstdint>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/cuda_programs.h"
#include "cli/bench/groups.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t usual_elements = std::int64_t{1} << 30;
constexpr std::int64_t copied_elements = std::int64_t{1} << 26;
constexpr int rounds = 10;
constexpr double item_bytes = sizeof(float);

struct CopySample {
  double ours;  ///< Seconds of one round.
  double bare;
};

double seconds_of_bare_copies(std::int64_t elements, Device device, bool within, bool to_host, bool from_host) {
  double seconds = 0;
  task("copies", device).run([&](TaskContext&) {
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
    check_cuda_program(cuda_programs().copy(bytes, rounds, within, to_host, from_host, &seconds));
  });
  wait_all();
  return seconds / rounds;
}

/// The device's GPU, as CUDA counts them.
int gpu_of(Device device) {
  int gpu = 0;
  task("which GPU", device).run([&](TaskContext&) { check_cuda_program(cuda_programs().current_gpu(&gpu)); });
  wait_all();
  return gpu;
}

double seconds_of_bare_peer_copies(std::int64_t elements, Device from, Device to, bool both_ways) {
  double seconds = 0;
  const int source = gpu_of(from), target = gpu_of(to);
  task("copies", from).run([&](TaskContext&) {
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(float);
    check_cuda_program(cuda_programs().copy_peers(bytes, rounds, source, target, both_ways, &seconds));
  });
  wait_all();
  return seconds / rounds;
}

/// Seconds of one of several that are submitted together.
template <typename Work>
double seconds_of_one(Work work) {
  std::vector<Tensor> kept;
  return seconds_of([&] {
           for (int i = 0; i < rounds; ++i) work(kept);
           wait_all();
         }) /
         rounds;
}

class Bandwidth {
 public:
  Bandwidth(Device device, BenchRun& run) : device_(device), run_(run) {}

  /// What reads and writes the device's memory, against a copy in it, which moves each of its bytes twice.
  void bench_on_device(std::int64_t elements) {
    const bool adds = run_.wants("bandwidth.add"), sums = run_.wants("bandwidth.sum");
    if (!adds && !sums) return;
    const double bytes = static_cast<double>(elements) * item_bytes;
    const Tensor x = uniform({elements}, device_), y = uniform({elements}, device_);
    const auto bare = [&] { return seconds_of_bare_copies(elements, device_, true, false, false); };
    const auto measure = [&](const char* name, double moved, auto work) {
      report(name, moved, 2 * bytes / moved, [&] { return CopySample{seconds_of_one(work), bare()}; });
    };
    if (adds) measure("bandwidth.add", 3 * bytes, [&](std::vector<Tensor>&) { static_cast<void>(x + y); });
    if (sums) measure("bandwidth.sum", bytes, [&](std::vector<Tensor>& kept) { kept.push_back(sum(x)); });
  }

  void bench_copies(std::int64_t elements) {
    const Tensor x = uniform({elements}, device_);
    const Tensor fresh = uniform({elements}, cpu());
    const double bytes = static_cast<double>(elements) * item_bytes;
    const auto measure = [&](const char* name, bool to_host, bool from_host, auto work) {
      if (!run_.wants(name)) return;
      report(name, bytes, 1, [&] {
        return CopySample{seconds_of_one(work), seconds_of_bare_copies(elements, device_, false, to_host, from_host)};
      });
    };
    const auto out = [&](std::vector<Tensor>& kept) { kept.push_back(x.to(cpu())); };
    // So that the memory of results is there.
    seconds_of_one(out);
    const Tensor copied = x.to(cpu());
    const auto in = [&](std::vector<Tensor>& kept) { kept.push_back(copied.to(device_)); };
    measure("bandwidth.to_host", true, false, out);
    measure("bandwidth.from_host", false, true, in);
    measure("bandwidth.from_fresh", false, true, [&](std::vector<Tensor>& kept) { kept.push_back(fresh.to(device_)); });
    measure("bandwidth.both_ways", true, true, [&](std::vector<Tensor>& kept) {
      out(kept);
      in(kept);
    });
  }

  /// Copies to another GPU, one way and both ways at once.
  void bench_peer(std::int64_t elements, Device peer) {
    const Tensor x = uniform({elements}, device_), y = uniform({elements}, peer);
    const double bytes = static_cast<double>(elements) * item_bytes;
    const auto measure = [&](const char* name, bool both_ways) {
      if (!run_.wants(name)) return;
      report(name, bytes, 1, [&] {
        const double ours = seconds_of_one([&](std::vector<Tensor>& kept) {
          kept.push_back(x.to(peer));
          if (both_ways) kept.push_back(y.to(device_));
        });
        return CopySample{ours, seconds_of_bare_peer_copies(elements, device_, peer, both_ways)};
      });
    };
    measure("bandwidth.to_peer", false);
    measure("bandwidth.peers", true);
  }

 private:
  /// Reports GB/s, and how that compares: `scale` is what of the bare work's bytes ours moves.
  template <typename Measure>
  void report(const char* figure, double bytes, double scale, Measure measure) {
    const std::string name = figure_on(figure, device_);
    measure();
    const auto samples = run_.collect(name, measure);
    run_.report(name, "GB/s", values_of(samples, [&](const CopySample& s) { return bytes / s.ours / 1e9; }));
    run_.report(name + ".ratio", "ratio",
                values_of(samples, [&](const CopySample& s) { return s.bare / s.ours / scale; }));
  }

  Device device_;
  BenchRun& run_;
};

}  // namespace

void bench_bandwidth(BenchRun& run) {
  std::vector<Device> gpus;
  if (device_count(DeviceKind::cuda) > 0) gpus = try_all_gpus();
  const std::vector<Device> devices = run.devices(gpus);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device device = devices[i];
    if (device.kind() != DeviceKind::cuda) throw UsageError("bench bandwidth is for cuda devices");
    Bandwidth bandwidth(device, run);
    bandwidth.bench_on_device(run.options().size.value_or(usual_elements));
    bandwidth.bench_copies(run.options().size.value_or(copied_elements));
    if (devices.size() > 1)
      bandwidth.bench_peer(run.options().size.value_or(copied_elements), devices[(i + 1) % devices.size()]);
  }
}

}  // namespace stretto::cli
