#include <algorithm>
#include <map>
#include <optional>

#include <stretto/base/error.h>

#include "base/mutation.h"
#include "base/thread.h"
#include "engine/access_check.h"
#include "engine/memory_wait.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"
#include "engine/trace_source.h"
#include "trace/edge_counter.h"

namespace stretto {
namespace {

constexpr int looks_until_hopeless = 40;

std::string readable(std::size_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

void wait_for_points(const Task* task, const PointSet& points) {
  if (task != nullptr && trace::enabled()) [[unlikely]]
    trace_reuse(*task, points);
  for (const Point point : points) {
    if (trace::counting_edges() && !lane_progress().complete(point)) [[unlikely]]
      trace::count_edge(trace::hazards_of(Hazard::block_reuse), Crossing::in_order_to_cpu);
    while (!lane_progress().complete(point)) yield();
  }
}

}  // namespace

bool Scheduler::try_bind(Buffer& buffer, const Binding& binding, PointSet& waits) {
  while (buffer.data() == nullptr) {
    // Two tasks that write different parts of it may come at once.
    if (buffer.being_bound_.exchange(true, std::memory_order_acquire)) {
      yield();
      continue;
    }
    const bool bound = buffer.data() != nullptr || take_memory(buffer, binding);
    buffer.being_bound_.store(false, std::memory_order_release);
    if (!bound) return false;
  }
  if (buffer.unsettled_.load(std::memory_order_acquire)) {
    bool settled = true;
    for (const Point point : buffer.block_.pending) {
      if (lane_progress().complete(point)) continue;
      settled = false;
      waits.add(point);
    }
    if (settled) buffer.unsettled_.store(false, std::memory_order_relaxed);
  }
  return true;
}

bool Scheduler::take_memory(Buffer& buffer, const Binding& binding) {
  EngineDevice& device = devices_.known(buffer.device().kind(), buffer.device().index());
  const bool expected = buffer.expected_;
  const auto allocate = [&](MemoryPool& pool) {
    if (access_check_ == nullptr) [[likely]]
      return pool.allocate(buffer.bytes(), binding.lane);
    const std::size_t bytes = GuardedStorages::block_bytes(buffer.bytes());
    std::optional<Block> found = pool.allocate(bytes, binding.lane);
    if (!found && access_check_->give_back()) found = pool.allocate(bytes, binding.lane);
    return found;
  };
  std::optional<Block> block;
  buffer.copied_from_ = DeviceKind::cpu;
  // What another device writes to the host's memory is a copy, which is fastest to locked pages, as long as they last.
  if (buffer.device().kind() == DeviceKind::cpu) {
    if (MemoryPool* const copies = devices_.copy_memory(binding.writer)) {
      block = allocate(*copies);
      if (block) buffer.copied_from_ = binding.writer;
    }
  }
  if (!block) {
    if (expected && !device.allocations.admits(buffer, *device.memory)) return false;
    block = allocate(*device.memory);
    if (!block) return false;
  }
  give_memory(buffer, device, std::move(*block), binding);
  return true;
}

void Scheduler::try_bind_at(Buffer& buffer, std::byte* address, const Task& task) {
  EngineDevice& device = devices_.known(buffer.device().kind(), buffer.device().index());
  if (buffer.expected_ && !device.allocations.admits(buffer, *device.memory)) return;
  if (std::optional<Block> block = device.memory->allocate_at({address, buffer.bytes()}))
    give_memory(buffer, device, std::move(*block), {task.name, task.site()});
}

void Scheduler::give_memory(Buffer& buffer, EngineDevice& device, Block block, const Binding& binding) {
  const bool expected = buffer.expected_;
  buffer.block_ = std::move(block);
  if (is_broken(Mutation::block_reuse)) [[unlikely]]
    buffer.block_.pending = PointSet();
  buffer.unsettled_.store(!buffer.block_.pending.empty(), std::memory_order_relaxed);
  if (buffer.bytes() >= large_holder) {
    buffer.holder_ = binding.name;
    buffer.holder_site_ = binding.site;
    const MutexLock holders(device.holders_mutex);
    device.holders.insert(&buffer);
  }
  if (access_check_ != nullptr && buffer.device().kind() != DeviceKind::cuda) [[unlikely]]
    access_check_->add({.data = buffer.block_.data,
                        .bytes = buffer.bytes(),
                        .reserved = buffer.block_.bytes,
                        .device = buffer.device(),
                        .maker = binding.name,
                        .site = binding.site});
  buffer.data_.store(buffer.block_.data, std::memory_order_release);
  if (expected) {
    device.allocations.forget(buffer);
    memory_waiters_.notify();
  }
}

bool Scheduler::try_bind_memory(Task& task, LaneId lane, PointSet& waits) {
  const DeviceKind writer = task.is_in_order() ? task.device_kind : DeviceKind::cpu;
  for (std::size_t i = 0; i < task.access_count; ++i) {
    Buffer& buffer = task.buffer(i);
    if (!is_bound(buffer) && !try_bind(buffer, {task.name, task.site(), lane, writer}, waits)) return false;
  }
  return true;
}

bool Scheduler::is_bound(const Buffer& buffer) {
  return buffer.data() != nullptr && !buffer.unsettled_.load(std::memory_order_acquire);
}

bool Scheduler::has_memory(const Task& task) const {
  bool bound = true;
  for (std::size_t i = 0; i < task.access_count; ++i) {
    const Buffer& buffer = task.buffer(i);
    bound &= is_bound(buffer);
    // The body is about to use it.
    if (writes(task.mode(i))) {
      prefetch_for_write(buffer.data());
    } else {
      prefetch_for_read(buffer.data());
    }
  }
  return bound;
}

void Scheduler::forget_allocations(Task& task) {
  for (std::size_t i = 0; i < task.access_count; ++i) {
    Buffer& buffer = task.buffer(i);
    if (!buffer.expected_) continue;
    devices_.known(buffer.device().kind(), buffer.device().index()).allocations.forget(buffer);
    memory_waiters_.notify();
  }
}

void Scheduler::bind_memory(Task& task) {
  if (has_memory(task)) return;
  await_memory(task, nullptr);
  EngineDevice& device = devices_.known(DeviceKind::cpu, task.device_index);
  if (device.parked_count.load(std::memory_order_acquire) > 0) let_parked_try(device);
}

Task* Scheduler::bind_or_park(Task& task) {
  EngineDevice& device = devices_.known(DeviceKind::cpu, task.device_index);
  Task* chosen = &task;
  if (is_skipped(task)) [[unlikely]] {
    forget_allocations(task);
  } else {
    PointSet waits;
    const bool bound = try_bind_memory(task, 0, waits);
    wait_for_points(&task, waits);
    if (!bound) [[unlikely]]
      chosen = wait_or_park(task, device);
  }
  if (chosen != nullptr && device.parked_count.load(std::memory_order_acquire) > 0) [[unlikely]]
    let_parked_try(device);
  return chosen;
}

Task* Scheduler::wait_or_park(Task& task, EngineDevice& device) {
  if (thread().frame != nullptr) {
    // A copy between the chunks of another task's loop, which must not wait.
    device.workers->push(put_back(task), Priority::normal);
    return nullptr;
  }
  {
    const MutexLock lock(device.memory_queue_mutex);
    if (device.watched) {
      device.parked.push({task.sequence, &task});
      device.parked_count.store(static_cast<int>(device.parked.size()), std::memory_order_release);
      return nullptr;
    }
    device.watched = true;
  }
  Task* chosen = await_memory(task, &device);
  const MutexLock lock(device.memory_queue_mutex);
  device.watched = false;
  return chosen;
}

/// Sends the earliest parked task back to the workers, unless somebody watches the memory for it. It finds memory and
/// lets the next one try, or watches itself: so while tasks are parked, one is on its way or watches.
void Scheduler::let_parked_try(EngineDevice& device) {
  Task* next = nullptr;
  {
    const MutexLock lock(device.memory_queue_mutex);
    if (device.watched || device.parked.empty()) return;
    next = device.parked.top().task;
    device.parked.pop();
    device.parked_count.store(static_cast<int>(device.parked.size()), std::memory_order_release);
  }
  dispatch(*next);
}

/// Waits in the worker's place until `task` has its memory or has failed; others run meanwhile. With `queue`, waits for
/// the earliest of it and all that are parked there, and returns that.
Task* Scheduler::await_memory(Task& task, EngineDevice* queue) {
  Task* chosen = &task;
  WorkerLane* lane = devices_.known(DeviceKind::cpu, task.device_index).workers;
  const bool on_worker = lane->on_worker();
  std::optional<trace::Waiting> traced;
  MemoryWait wait(*this, on_worker ? lane : nullptr, looks_until_hopeless);
  while (true) {
    wait.attempt();
    if (queue != nullptr) {
      const MutexLock lock(queue->memory_queue_mutex);
      if (!queue->parked.empty() && queue->parked.top().sequence < chosen->sequence) {
        queue->parked.push({chosen->sequence, chosen});
        chosen = queue->parked.top().task;
        queue->parked.pop();
      }
    }
    if (is_skipped(*chosen)) {
      forget_allocations(*chosen);
      return chosen;
    }
    PointSet waits;
    const bool bound = try_bind_memory(*chosen, 0, waits);
    wait_for_points(chosen, waits);
    if (bound) return chosen;
    if (wait.is_hopeless()) {
      if (give_back_repeats()) continue;
      fail_for_memory(*chosen);
      return chosen;
    }
    if (!traced) traced.emplace("wait for memory", "memory", task.site(), 0, on_worker);
    wait.pause();
  }
}

bool Scheduler::give_back_repeats() { return repeats_ != nullptr && repeats_->give_back(); }

void Scheduler::fail_for_memory(Task& task) {
  try {
    throw_out_of_memory(task);
  } catch (const OutOfMemoryError&) {
    fail(task, current_failure(task));
  }
  forget_allocations(task);
}

void Scheduler::bind_now(Buffer& buffer, const char* name, CallSite site) {
  PointSet waits;
  if (!try_bind(buffer, {name, site}, waits)) {
    const trace::Waiting traced("wait for memory", "memory", site);
    // Inside a task another worker may have to run what gives memory back.
    const ThreadState::Frame* frame = thread().frame;
    WorkerLane* lane = frame == nullptr || frame->task->is_in_order()
                           ? nullptr
                           : devices_.known(DeviceKind::cpu, frame->task->device_index).workers;
    MemoryWait wait(*this, lane != nullptr && lane->on_worker() ? lane : nullptr, looks_until_hopeless);
    for (wait.attempt(); !try_bind(buffer, {name, site}, waits); wait.attempt()) {
      // Pending tasks free memory when they run; an idle engine has nothing to give.
      if ((count_.pending() == 0 || wait.is_hopeless()) && !give_back_repeats())
        throw_out_of_memory(buffer, name, site);
      wait.pause();
    }
  }
  wait_for_points(nullptr, waits);
}

void Scheduler::throw_out_of_memory(Task& task) {
  for (std::size_t i = 0; i < task.access_count; ++i)
    if (task.buffer(i).data() == nullptr) throw_out_of_memory(task.buffer(i), task.name, task.site());
  throw OutOfMemoryError("out of memory");
}

void Scheduler::throw_out_of_memory(Buffer& buffer, const char* name, CallSite site) {
  EngineDevice& device = devices_.known(buffer.device().kind(), buffer.device().index());
  const MemoryStatistics statistics = device.memory->statistics();
  std::string message = "out of memory on " + to_string(buffer.device()) + ": " + readable(buffer.bytes()) +
                        " asked, " + readable(statistics.live) + " of " + readable(device.memory->limit()) + " in use";
  // Equal holders are told together: a loop's thousand results are one line of the program.
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, int>> holders;
  {
    const MutexLock lock(device.holders_mutex);
    for (const Buffer* holder : device.holders) {
      auto& [bytes, count] = holders[{holder->holder_, to_string(holder->holder_site_)}];
      bytes += holder->bytes();
      ++count;
    }
  }
  std::vector<std::pair<std::size_t, std::string>> largest;
  for (const auto& [who, what] : holders)
    largest.emplace_back(what.first, who.first + (who.second.empty() ? "" : " at " + who.second) + " " +
                                         readable(what.first) + " in " + std::to_string(what.second));
  std::ranges::sort(largest, std::greater());
  for (std::size_t i = 0; i < largest.size() && i < 3; ++i)
    message += (i == 0 ? "; largest holders: " : ", ") + largest[i].second;
  throw OutOfMemoryError(name, message, site);
}

}  // namespace stretto
