#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <set>
#include <vector>

#include "backend/backend.h"
#include "base/mutex.h"
#include "engine/allocation_order.h"
#include "engine/lockable_memory.h"
#include "memory/locked_memory.h"
#include "memory/memory_pool.h"
#include "ordering/task_reference.h"

namespace stretto {

class Buffer;
class Launcher;
class Scheduler;
struct Task;

/// One device as the engine sees it.
struct EngineDevice {
  EngineDevice(Device which, Backend& owner, MemorySource& source, std::size_t memory_limit);

  /// Makes sure that its threads run. Throws DeviceError where the system starts none.
  void start() {
    if (!started.load(std::memory_order_acquire)) [[unlikely]]
      start_threads();
  }
  void start_threads();

  Device device;
  Backend* backend;
  std::unique_ptr<MemoryPool> memory;
  WorkerLane* workers = nullptr;       ///< Of an unordered device.
  std::unique_ptr<Launcher> launcher;  ///< Of a device with in-order lanes.
  bool host_accessible = false;
  std::atomic<bool> started{false};

  /// Queued tasks that were raised above their place in the queue. Under the recording lock.
  std::vector<TaskReference> urgent;
  std::atomic<int> urgent_count{0};

  /// Where tasks get their memory, and in which order.
  AllocationOrder allocations;
  /// Tasks of this device's workers that found no memory. One worker blocks for the earliest; the rest is parked.
  struct Parked {
    std::uint64_t sequence;
    Task* task;
    auto operator<=>(const Parked&) const = default;
  };
  Mutex memory_queue_mutex;
  std::priority_queue<Parked, std::vector<Parked>, std::greater<>> parked STRETTO_GUARDED_BY(memory_queue_mutex);
  std::atomic<int> parked_count{0};
  bool watched STRETTO_GUARDED_BY(memory_queue_mutex) = false;

  /// Buffers of a megabyte or more that hold memory, for the message when there is no more.
  Mutex holders_mutex;
  std::set<const Buffer*> holders STRETTO_GUARDED_BY(holders_mutex);

  /// Bytes that replays keep for their temporaries, also while they are idle.
  std::atomic<std::size_t> replay_bytes{0};
  /// Nodes in what replays have recorded.
  std::atomic<std::size_t> recorded_nodes{0};
};

/// The devices of the process, made once from the registered backends.
class DeviceTable {
 public:
  explicit DeviceTable(Scheduler& scheduler);
  ~DeviceTable();

  /// Throws DeviceError that lists what there is.
  EngineDevice& at(Device device);
  /// Without the check, for devices that were checked before.
  EngineDevice& known(DeviceKind kind, int index) { return *devices_[static_cast<std::size_t>(kind)][index]; }
  int count(DeviceKind kind) const { return static_cast<int>(devices_[static_cast<std::size_t>(kind)].size()); }
  /// Memory of the host for what devices of this kind write there: page-locked. Null where that makes no difference.
  MemoryPool* copy_memory(DeviceKind kind) { return copy_memory_[static_cast<std::size_t>(kind)].pool.get(); }
  /// A kind that has such memory and of which a device is in use; cpu while there is none.
  DeviceKind copying_kind() const;
  /// Null where the kind has no backend in this build.
  Backend* backend(DeviceKind kind) { return backends_[static_cast<std::size_t>(kind)].get(); }

  /// Calls `function(pool)` for all memory.
  template <typename Function>
  void for_each_pool(Function function) {
    for_each([&](EngineDevice& device) { function(*device.memory); });
    for (CopyMemory& memory : copy_memory_)
      if (memory.pool != nullptr) function(*memory.pool);
  }
  template <typename Function>
  void for_each(Function function) {
    for (auto& kind : devices_)
      for (auto& device : kind) function(*device);
  }

 private:
  std::array<std::unique_ptr<Backend>, device_kind_count> backends_;
  std::vector<std::unique_ptr<LockableMemory>> lockable_;  ///< Of the CPU devices.
  std::array<std::vector<std::unique_ptr<EngineDevice>>, device_kind_count> devices_;
  struct CopyMemory {
    std::unique_ptr<LockedMemory> source;
    std::unique_ptr<MemoryPool> pool;
  };
  std::array<CopyMemory, device_kind_count> copy_memory_;
};

}  // namespace stretto
