#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include <stretto/base/error.h>

#include "engine/launcher.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

constexpr std::size_t large_holder = std::size_t{1} << 20;
constexpr int rounds_until_stuck = 40;
constexpr std::chrono::microseconds memory_retry{500};

std::string readable(std::size_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

}  // namespace

bool Scheduler::try_bind(Buffer& buffer, const char* name, CallSite site, LaneId lane, PointSet& waits) {
  const std::lock_guard lock(binding_);
  if (buffer.data() != nullptr) return true;
  EngineDevice& device = devices_.known(buffer.device().kind(), buffer.device().index());
  std::optional<Block> block = device.memory->allocate(buffer.bytes(), lane);
  if (!block) return false;
  waits.merge(block->pending);
  block->pending.clear();
  buffer.block_ = std::move(*block);
  if (buffer.bytes() >= large_holder) {
    buffer.holder_ = name;
    buffer.holder_site_ = site;
    const MutexLock holders(device.holders_mutex);
    device.holders.insert(&buffer);
  }
  buffer.data_.store(buffer.block_.data, std::memory_order_release);
  return true;
}

bool Scheduler::try_bind_memory(Task& task, LaneId lane, PointSet& waits) {
  for (std::size_t i = 0; i < task.access_count; ++i) {
    Buffer& buffer = task.buffer(i);
    if (buffer.data() == nullptr && !try_bind(buffer, task.name, task.site(), lane, waits)) return false;
  }
  return true;
}

void Scheduler::bind_memory(Task& task) {
  bool bound = true;
  for (std::size_t i = 0; i < task.access_count; ++i) bound &= task.buffer(i).data() != nullptr;
  if (bound) [[likely]]
    return;
  PointSet waits;
  if (!try_bind_memory(task, 0, waits)) {
    // Others may give memory back: let them run in this worker's place. When nothing has moved for a while, there is
    // none.
    WorkerLane* lane = devices_.known(DeviceKind::cpu, task.device_index).workers;
    const bool on_worker = lane->on_worker();
    stalled_.fetch_add(1, std::memory_order_relaxed);
    if (on_worker) lane->blocking(true);
    int stuck = 0;
    while (!try_bind_memory(task, 0, waits) && stuck < rounds_until_stuck) {
      stuck = executing() > 0 || device_work_in_flight() ? 0 : stuck + 1;
      std::this_thread::sleep_for(memory_retry);
    }
    if (on_worker) lane->blocking(false);
    stalled_.fetch_sub(1, std::memory_order_relaxed);
    if (stuck == rounds_until_stuck) throw_out_of_memory(task);
  }
  for (const Point point : waits)
    while (!lane_progress().complete(point)) std::this_thread::yield();
}

bool Scheduler::device_work_in_flight() {
  bool any = false;
  devices_.for_each(
      [&](EngineDevice& device) { any |= device.launcher != nullptr && device.launcher->in_flight() > 0; });
  return any;
}

void Scheduler::bind_now(Buffer& buffer, const char* name, CallSite site) {
  PointSet waits;
  for (int round = 0; !try_bind(buffer, name, site, 0, waits); ++round) {
    // Pending tasks free memory when they run; an idle engine has nothing to give.
    if (count_.pending() == 0 || round > 10000) throw_out_of_memory(buffer, name, site);
    if (executing() == 0 && !device_work_in_flight() && round > rounds_until_stuck)
      throw_out_of_memory(buffer, name, site);
    std::this_thread::sleep_for(memory_retry);
  }
  for (const Point point : waits)
    while (!lane_progress().complete(point)) std::this_thread::yield();
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

void Scheduler::release_buffer(Buffer& buffer, PointSet pending) {
  if (buffer.data() != nullptr && !buffer.borrowed_) {
    EngineDevice& device = devices_.known(buffer.device().kind(), buffer.device().index());
    if (buffer.bytes() >= large_holder) {
      const MutexLock holders(device.holders_mutex);
      device.holders.erase(&buffer);
    }
    buffer.block_.pending = std::move(pending);
    device.memory->release(std::move(buffer.block_));
  }
  buffer.let_go();
}

}  // namespace stretto
