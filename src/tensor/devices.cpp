#include <stretto/tensor/devices.h>

#include <atomic>
#include <cstdio>

#include <stretto/base/schedule.h>

#include "engine/engine.h"
#include "tensor/with_context.h"

namespace stretto {

namespace {

std::atomic<Device> chosen_device{Device()};

Device checked(Device device, const char* operation, const CallSite& site) {
  with_context(operation, site, [&] { Engine::get().check_device(device); });
  return device;
}

MemoryPool& pool_of(Device device, const char* operation, const CallSite& site) {
  Engine::get().submit_held();
  return Engine::get().memory_pool(checked(device, operation, site));
}

std::vector<Device> devices_of(DeviceKind kind) {
  const int count = device_count(kind);
  std::vector<Device> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) all.emplace_back(kind, index);
  return all;
}

}  // namespace

int device_count(DeviceKind kind) { return Engine::get().device_count(kind); }

std::vector<Device> devices() {
  std::vector<Device> all;
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::sim}) {
    const std::vector<Device> some = devices_of(kind);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Device cpu(int index, CallSite site) { return checked(Device(DeviceKind::cpu, index), "cpu", site); }

Device gpu(int index, CallSite site) { return checked(Device(DeviceKind::cuda, index), "gpu", site); }

Device sim(int index, CallSite site) { return checked(Device(DeviceKind::sim, index), "sim", site); }

Device try_gpu(int index) {
  return index >= 0 && index < device_count(DeviceKind::cuda) ? Device(DeviceKind::cuda, index) : Device();
}

std::vector<Device> try_all_gpus() {
  return devices_of(device_count(DeviceKind::cuda) > 0 ? DeviceKind::cuda : DeviceKind::cpu);
}

Device default_device() { return chosen_device.load(std::memory_order_relaxed); }

void set_default_device(Device device, CallSite site) {
  chosen_device.store(checked(device, "set_default_device", site), std::memory_order_relaxed);
}

void wait_all(CallSite site) { Engine::get().wait_all(site); }

void synchronize(Device device, CallSite site) {
  Engine::get().synchronize(checked(device, "synchronize", site), site);
}

MemoryStats memory_stats(Device device, CallSite site) {
  const MemoryPool& pool = pool_of(device, "memory_stats", site);
  const MemoryStatistics statistics = pool.statistics();
  return {.live = statistics.live,
          .peak = statistics.peak,
          .reserved = statistics.reserved,
          .limit = pool.limit(),
          .allocations = statistics.allocations};
}

void reset_peak_memory(Device device, CallSite site) { pool_of(device, "reset_peak_memory", site).reset_peak(); }

std::size_t empty_cache(Device device, CallSite site) { return pool_of(device, "empty_cache", site).trim(); }

Benchmark::Benchmark(std::string name) : name_(std::move(name)), start_(schedule_now()) {}

Benchmark::~Benchmark() { std::printf("%s: %.4f sec\n", name_.c_str(), seconds()); }

double Benchmark::seconds() const { return static_cast<double>(schedule_now() - start_) * 1e-9; }

}  // namespace stretto
