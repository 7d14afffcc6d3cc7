#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend/foreign_queues.h"
#include "backend/lane.h"
#include "backend/recorded_work.h"

namespace stretto {

/// Where a memory pool gets its memory. Calls may come from any thread.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// At least 64-byte aligned; null when the device has no more or is lost. Contents are undefined. Never throws.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* data, std::size_t bytes) = 0;
  /// Bytes that the device can hold at most (limits of the process respected).
  virtual std::size_t capacity() const = 0;
};

/// What a device says of itself; printed by `stretto info`.
struct DeviceDescription {
  std::string name;          ///< Model, as the vendor writes it.
  std::size_t memory_bytes;  ///< Capacity.
  int compute_units;         ///< Cores of a CPU device, multiprocessors of a GPU.
  std::string detail;        ///< Streams, copy engines, cores: one line.
};

/// A family of devices: `cpu`, `sim`, `cuda`. A backend implements either worker lanes or in-order lanes.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual DeviceKind kind() const = 0;
  /// 0 where there is none: `absence()` says why.
  virtual int device_count() const = 0;
  virtual std::string absence() const { return {}; }
  virtual DeviceDescription describe(int device) const = 0;
  virtual MemorySource& memory(int device) = 0;
  /// The device's pool of workers; null where the device has in-order lanes.
  virtual WorkerLane* workers([[maybe_unused]] int device) { return nullptr; }
  /// The device's in-order lanes; empty where it has workers. At least one of each role.
  virtual std::vector<Lane*> lanes([[maybe_unused]] int device) { return {}; }
  /// One of `recorder_count` for work that the device's lanes are to launch as a whole; null where there is no such
  /// thing. Made when it is first asked for, by the thread that issues.
  virtual WorkRecorder* recorder([[maybe_unused]] int device, [[maybe_unused]] int number) { return nullptr; }
  /// Whether there are.
  virtual bool records() const { return false; }
  /// Whether the host reads and writes the device's memory directly.
  virtual bool host_accessible() const { return false; }

  /// Why the device can do nothing any more; empty while it can. Its other devices go on. Any thread.
  virtual std::string loss([[maybe_unused]] int device) const { return {}; }

  /// Locks pages of the host, so that the copy engines of all devices reach them without staging, until `unlock_pages`
  /// with the same arguments. False where the backend has no such thing or the host locks no more. Any thread; slow.
  virtual bool lock_pages([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t bytes) { return false; }
  virtual void unlock_pages([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t bytes) {}

  /// Null where the devices have no queues that other libraries could use. Lives as long as the backend.
  virtual ForeignQueues* foreign_queues() { return nullptr; }
};

/// The backends of this process, made at first use from the environment (STRETTO_CPU_DEVICES, STRETTO_SIM_DEVICES,
/// ...). `executor` is what their lanes call. Index by `DeviceKind`; a kind without devices has a backend with none.
using BackendFactory = std::unique_ptr<Backend> (*)(Executor& executor);
/// Backends register their factory during static initialisation or when their library is loaded.
struct BackendRegistration {
  BackendRegistration(DeviceKind kind, BackendFactory factory);
};
/// The registered factory, or null.
BackendFactory backend_factory(DeviceKind kind);

}  // namespace stretto
