#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <stretto/base/call_site.h>

#include "backend/lane.h"
#include "base/prefetch.h"
#include "engine/buffer.h"
#include "ordering/failure.h"
#include "ordering/point.h"
#include "ordering/task_reference.h"

namespace stretto {

struct Task;

/// Flags in the low bits of a pointer to a Link.
inline constexpr std::uintptr_t link_carries_value = 1;  ///< The successor reads what the predecessor writes.
inline constexpr std::uintptr_t link_in_extension = 2;   ///< The link lies in an Extension, not in the task.
inline constexpr std::uintptr_t link_wants_point =
    4;  ///< The link receives the predecessor's point when that is issued.
/// The successor writes what the predecessor reads, or what it writes. No address has these bits.
inline constexpr std::uintptr_t link_after_read = std::uintptr_t{1} << 60;
inline constexpr std::uintptr_t link_after_write = std::uintptr_t{1} << 61;
inline constexpr std::uintptr_t link_flags = 7 | link_after_read | link_after_write;
/// The link is that of a buffer to be released (no address has this bit): who walks the list releases it.
inline constexpr std::uintptr_t link_of_buffer = std::uintptr_t{1} << 62;
/// A list of successors that takes no more: the task is done (or issued).
inline constexpr std::uintptr_t closed_list = ~std::uintptr_t{0};

/// Of `Link::bits` once they hold a point: the edge carries a value. The other hazards keep their bits: no lane has a
/// number so large.
inline constexpr std::uint64_t point_carries_value = std::uint64_t{1} << 63;
inline constexpr std::uint64_t point_flags = point_carries_value | link_after_read | link_after_write;
static_assert(max_lanes <= 1 << 12);

/// The same bits for an edge with these flags to a predecessor that was issued at `point`.
constexpr std::uint64_t point_bits(Point point, std::uintptr_t flags) {
  return point.bits() | (flags & (link_after_read | link_after_write)) |
         ((flags & link_carries_value) != 0 ? point_carries_value : 0);
}
inline Point point_of(const Link& link) { return Point::from_bits(link.bits & ~point_flags); }

/// Room for the edges that a task has beyond its own: one cache line. Stays with the slot for later tasks.
struct alignas(64) Extension {
  static constexpr int capacity = 3;
  explicit Extension(Task& task) : owner(&task) {}

  Task* owner;
  Extension* next = nullptr;
  Link links[capacity];
  TaskReference predecessors[capacity];
};

/// What a task's body is called with: null data asks it to destroy its closure without running.
class BodyContext;

/// A pending task: 256 bytes, four cache lines, laid out by who touches them: moving a line between cores is what a
/// small task costs. Slots are recycled, never freed, so a stale pointer is always safe to look through.
struct alignas(256) Task : Work {
  static constexpr int inline_accesses = 4;
  static constexpr int inline_links = 5;
  static constexpr std::size_t inline_closure = 48;
  using Invoke = void (*)(Task&, BodyContext*);

  // Values of `pending`, besides the number of predecessors that are still awaited. At 0 the task is ready and belongs
  // to the thread that made it so.
  static constexpr std::uint32_t queued = 0x80000000;         ///< In a queue: whoever swaps it for a claim runs it.
  static constexpr std::uint32_t claimed = 0x80000001;        ///< Taken out of its queue.
  static constexpr std::uint32_t claimed_early = 0x80000002;  ///< Run before its turn: its place in the queue is stale.

  // Bits of `state`.
  static constexpr std::uint8_t done_early = 1;    ///< Done, while its place in a queue is still there.
  static constexpr std::uint8_t popped_stale = 2;  ///< Its stale place has left the queue.
  static constexpr std::uint8_t needed_at_exit = 4;
  static constexpr std::uint8_t skipped = 16;  ///< Its body was not run, and never will be.
  static constexpr std::uint8_t begun = 8;     ///< Its body runs, or has run. Only where there is a watchdog.

  /// A hold is carried out when its predecessors are done, and completed by whoever carried it out, when it likes.
  enum class Kind : std::uint8_t { normal, join, release, wait, hold };
  /// Bits of `flags`.
  static constexpr std::uint8_t in_order = 1;          ///< Runs on in-order lanes.
  static constexpr std::uint8_t outside_effect = 2;    ///< Must run before the process ends.
  static constexpr std::uint8_t odd_epoch = 4;         ///< Which of the two counters of pending tasks counts it.
  static constexpr std::uint8_t stands_for_nodes = 8;  ///< Of a replay on in-order lanes; see LaneReplay.

  // First line: all that whoever releases the task touches, and what begins its run.
  std::atomic<std::uint32_t> pending{0};
  std::uint32_t line : 20 = 0;
  std::uint32_t access_count : 12 = 0;
  std::atomic<std::uintptr_t> successors{closed_list};  ///< Released when the task is complete.
  Invoke invoke = nullptr;
  Link links[inline_links];

  // Second line: what it runs on; its closure begins here.
  std::atomic<Failure*> failure{nullptr};  ///< Holds a reference.
  DeviceKind device_kind : 4 = DeviceKind::cpu;
  LaneRole role : 4 = LaneRole::compute;
  std::uint8_t device_index = 0;
  Kind kind : 4 = Kind::normal;
  std::uint8_t flags : 4 = 0;
  std::atomic<Priority> priority{Priority::normal};
  std::uint32_t link_count = 0;
  std::uintptr_t
      accesses[inline_accesses];  ///< Buffer* | AccessMode; of more than four, the first points to all of them.
  alignas(8) std::byte closure[inline_closure];

  // Third line, behind the closure: what it is called.
  std::uint64_t sequence = 0;  ///< Grows with submission, over all threads.
  const char* name = "";
  const char* file = "";
  std::atomic<std::uint64_t> point{0};  ///< Set when issued; see Point.

  // Fourth line: what only the recorder looks at while it meets no surprise.
  TaskReference predecessors[inline_links];
  std::atomic<std::uint8_t> state{0};
  std::atomic<std::uintptr_t> issue_successors{closed_list};  ///< Released when an in-order task is issued.
  Extension* extension = nullptr;

  static constexpr std::uint32_t max_accesses = (1 << 12) - 1;
  static constexpr std::uint32_t max_line = (1 << 20) - 1;

  bool is_in_order() const { return (flags & in_order) != 0; }
  bool is_replay() const { return (flags & stands_for_nodes) != 0; }
  int epoch() const { return (flags & odd_epoch) != 0 ? 1 : 0; }
  CallSite site() const { return {file, "", line}; }

  std::uintptr_t access(std::size_t i) const {
    return access_count <= inline_accesses ? accesses[i] : reinterpret_cast<const std::uintptr_t*>(accesses[0])[i];
  }
  Buffer& buffer(std::size_t i) const { return *reinterpret_cast<Buffer*>(access(i) & ~std::uintptr_t{3}); }
  AccessMode mode(std::size_t i) const { return static_cast<AccessMode>(access(i) & 3); }
};

/// One predecessor less; true when it was the last.
inline bool arrive(Task& task) {
  // When one is left it is the caller's, and nobody else changes the number: a store will do.
  if (task.pending.load(std::memory_order_acquire) == 1) {
    task.pending.store(0, std::memory_order_relaxed);
    return true;
  }
  return task.pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

/// Of a task that is to run: the lines that its body lies in.
inline void prefetch_body(const Task& task) {
  prefetch_for_write(&task.invoke);
  prefetch_for_write(task.closure);
  prefetch_for_write(task.closure + Task::inline_closure - 1);
}

/// Whoever is first in the list of successors is looked at once the body has run: its line may come meanwhile from the
/// core that submitted it.
inline void prefetch_successor(const Task& task) {
  const std::uintptr_t list = task.successors.load(std::memory_order_relaxed);
  if (list != 0 && list != closed_list)
    prefetch_for_write(reinterpret_cast<const void*>(list & ~(link_flags | link_of_buffer)));
}

/// Calls `function(link)` for each of the task's edges to predecessors.
template <typename Function>
void for_each_link(const Task& task, Function function) {
  const int count = static_cast<int>(task.link_count);
  for (int i = 0; i < count && i < Task::inline_links; ++i) function(task.links[i]);
  const Extension* extension = task.extension;
  for (int i = Task::inline_links; i < count; i += Extension::capacity, extension = extension->next)
    for (int j = 0; j < Extension::capacity && i + j < count; ++j) function(extension->links[j]);
}

}  // namespace stretto
