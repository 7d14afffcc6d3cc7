#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace stretto {

class Scheduler;
class WorkerLane;

/// Who waits for memory at this moment, and what they wait for; one of the scheduler's parts.
struct MemoryWaiters {
  std::atomic<int> count{0};
  std::atomic<int> trying{0};             ///< Of these, those that may just have got some.
  std::atomic<std::uint32_t> changes{0};  ///< They sleep on it.

  /// Memory came back, or the order changed in which it is given out.
  void notify();
  /// In the child after a fork: the threads are gone.
  void reset();
};

/// One wait for memory, of a worker, of a thread of the program or of a launcher, and the decision that it is hopeless.
///
/// The system may hold a thread up between any two of its steps for as long as it likes, so that nothing moved for some
/// time says nothing. Each look instead takes stock of all who could give memory back (`Scheduler::anything_moves`):
/// somebody who stands still, wherever that is, is seen. Who is on the move may be missed by one look; so there are
/// several, and none counts that came before a change of memory.
class MemoryWait {
 public:
  /// `lane`: where the calling thread is a worker, so that another takes its place; null otherwise. `looks` in vain
  /// make the wait hopeless.
  MemoryWait(Scheduler& scheduler, WorkerLane* lane, int looks);
  MemoryWait(const MemoryWait&) = delete;
  MemoryWait& operator=(const MemoryWait&) = delete;
  ~MemoryWait();

  /// Before each attempt to get memory. Until the next `pause` or `look` the others do not take the owner for somebody
  /// who waits.
  void attempt();
  /// The attempt has failed: sleeps until memory changed, at most for half a millisecond, and looks.
  void pause();
  /// The same for who sleeps elsewhere.
  void look();
  bool is_hopeless() const { return looks_left_ <= 0; }

 private:
  void fail_attempt();

  Scheduler& scheduler_;
  MemoryWaiters& waiters_;
  WorkerLane* const lane_;
  const int looks_;
  int looks_left_;
  std::uint32_t seen_;
  bool trying_ = false;
  bool blocking_ = false;
};

}  // namespace stretto
