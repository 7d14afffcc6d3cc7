#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/device.h>

namespace stretto {

/// How many devices of a kind this process uses.
STRETTO_API int device_count(DeviceKind kind);
/// All devices: cpu:0 ..., cuda:0 ..., sim:0 ...
STRETTO_API std::vector<Device> devices();
/// A CPU device. Throws DeviceError when there is no such device; so do the next two.
STRETTO_API Device cpu(int index = 0, CallSite site = std::source_location::current());
STRETTO_API Device gpu(int index = 0, CallSite site = std::source_location::current());
STRETTO_API Device sim(int index = 0, CallSite site = std::source_location::current());
/// The GPU if it is there, else cpu:0.
STRETTO_API Device try_gpu(int index = 0);
/// All GPUs, or all CPU devices where there is no GPU.
STRETTO_API std::vector<Device> try_all_gpus();

/// The device of tensors made without naming one: cpu:0 until it is set, for all threads.
STRETTO_API Device default_device();
/// Throws DeviceError when there is no such device.
STRETTO_API void set_default_device(Device device, CallSite site = std::source_location::current());

/// Blocks until everything that was submitted before, from any thread, is done. Throws the earliest failure that nobody
/// was told of yet.
STRETTO_API void wait_all(CallSite site = std::source_location::current());
/// The same for the work of one device.
STRETTO_API void synchronize(Device device, CallSite site = std::source_location::current());

/// A device's memory, in bytes.
struct MemoryStats {
  std::size_t live = 0;           ///< Held by tensors, or by pending work.
  std::size_t peak = 0;           ///< The largest `live` so far, or since `reset_peak_memory`.
  std::size_t reserved = 0;       ///< Taken from the device: live and kept for reuse.
  std::size_t limit = 0;          ///< What is taken from the device at most.
  std::uint64_t allocations = 0;  ///< Blocks handed out so far.
};
STRETTO_API MemoryStats memory_stats(Device device, CallSite site = std::source_location::current());
STRETTO_API void reset_peak_memory(Device device, CallSite site = std::source_location::current());
/// Gives memory that no tensor and no work uses back to the device, and returns how many bytes that were.
STRETTO_API std::size_t empty_cache(Device device, CallSite site = std::source_location::current());

/// Prints "NAME: 0.1234 sec" to standard output when it goes out of scope: the time since it was made. It waits for
/// nothing itself: whether work was only submitted or also done is for the program to say, by `wait_all`.
class STRETTO_API Benchmark {
 public:
  explicit Benchmark(std::string name);
  Benchmark(const Benchmark&) = delete;
  Benchmark& operator=(const Benchmark&) = delete;
  ~Benchmark();

  /// Seconds since it was made.
  double seconds() const;

 private:
  std::string name_;
  std::int64_t start_;  // nanoseconds
};

}  // namespace stretto
