#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engine/scheduler.h"
#include "engine/template.h"

namespace stretto {

/// One replay of a template at a time: the numbers that go down to zero, and what is bound.
///
/// Nodes are no tasks of the engine. Its tasks are: one that *begins*, when results and temporaries have memory; one
/// for each port; *runners*, which run nodes as they become ready, as many as there are workers and work for them; and
/// one that *ends* when all of that is over, for those who wait for everything.
class Replay {
 public:
  struct Call {
    const char* name;  ///< Lives as long as the process.
    CallSite site;
    std::span<Buffer* const> arguments;  ///< One for each of the template's.
    std::span<Buffer* const> results;    ///< One for each that the template wants made.
    RunSeed seed;
  };

  Replay(Scheduler& scheduler, std::shared_ptr<const Template> replayed);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay();

  /// Takes it for a replay, if it is idle. By one thread at a time.
  bool claim();
  /// Gives back what was claimed.
  void unclaim() { busy_.store(false, std::memory_order_release); }
  /// Whether it replays, or did when the process forked that this one is a child of: then it never ends.
  bool is_lost() const;
  /// Whether a replay with these buffers can begin: no more of them than one task can name are without memory. Of one
  /// that was claimed.
  bool prepare(const Call& call);
  /// Submits what was prepared. `keep` lives until it is over, and this object with it.
  void submit(const Call& call, std::shared_ptr<const void> keep);

  /// The calling thread, which runs a node, is about to block, or goes on.
  void block(bool begins);
  /// For a search under the recording lock: `hold` is a pending task of a replay. Whether a node that the calling
  /// thread is inside of comes before its end; otherwise calls `visit` for the tasks of those ports that do.
  static bool look_behind(Task& hold, const ThreadState& thread, FunctionRef<void(Task&)> visit);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// What a task of the replay finds it by.
  struct Place {
    Replay* replay;
    std::uint32_t port;
  };
  struct PortState {
    Task* task = nullptr;
    std::atomic<std::uint32_t> waits{0};  ///< To be open, and for its closers.
    std::atomic<bool> open{false};
  };
  /// Each node comes once.
  struct Queue {
    std::vector<std::uint32_t> nodes;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
  };
  /// A thread that runs nodes.
  struct Runner {
    Task* task;
    Runner* next;
    std::atomic<std::uint32_t> node{none};
  };

  void record(const Call& call);
  void record_hold(const Submission& submission, std::uint32_t port, std::vector<Task*>& joins,
                   std::vector<Task*>& ready);
  static void place(Task& task, const Place& place, Task::Invoke invoke);
  static const Place& place_of(Task& task);

  void begin(Task& task, BodyContext* context);
  void open(std::uint32_t port);
  void close(std::uint32_t port);
  bool arrive(std::uint32_t node) {
    std::atomic<std::uint32_t>& awaited = awaited_[node];
    // See arrive(Task&).
    if (awaited.load(std::memory_order_acquire) == 1) return true;
    return awaited.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  void push(std::span<const std::uint32_t> nodes);
  void put(std::span<const std::uint32_t> nodes) STRETTO_REQUIRES(queue_lock_);
  std::uint32_t take() STRETTO_REQUIRES(queue_lock_);
  bool wants_runner() const STRETTO_REQUIRES(queue_lock_);
  void summon();
  void drain(Task& task, BodyContext* context, bool was_called);
  std::uint32_t run_node(Runner& runner, BodyContext* context, std::uint32_t node);
  FailureReference run_body(Task& shell, BodyContext& context, const Template::Node& node, std::uint32_t number);
  void fail(std::uint32_t node, const FailureReference& failure);
  FailureReference failure_of(std::uint32_t node);
  void leave(std::int64_t count);
  void finish();

  Scheduler& scheduler_;
  const std::shared_ptr<const Template> template_;
  EngineDevice& device_;
  const int most_runners_;
  const bool one_priority_;
  std::atomic<bool> busy_{false};
  std::shared_ptr<const void> keep_;
  std::atomic<std::uint64_t> forks_{0};  ///< Of which process its replay is.

  std::vector<BufferReference> places_;
  BufferReference unpatched_;     ///< Only where a test breaks it on purpose.
  std::vector<Buffer*> buffers_;  ///< Of each slot.
  std::vector<Buffer*> unbound_;  ///< Of these, those that have no memory yet.
  RunSeed seed_;
  CallSite site_;
  std::uint64_t first_sequence_ = 0;
  int epoch_ = 0;
  std::unique_ptr<std::atomic<std::uint32_t>[]> awaited_;  ///< How often somebody still arrives at each node.
  std::unique_ptr<PortState[]> ports_;
  Task* end_ = nullptr;

  alignas(64) std::atomic<std::int64_t> remaining_{0};  ///< Nodes, ports, runners.
  std::atomic<bool> any_failed_{false};
  Mutex failing_;
  std::unordered_map<std::uint32_t, FailureReference> failures_ STRETTO_GUARDED_BY(failing_);
  FailureReference abandoned_ STRETTO_GUARDED_BY(failing_);  ///< No node runs, because of this.

  alignas(64) SpinLock queue_lock_;
  std::array<Queue, 3> queues_ STRETTO_GUARDED_BY(queue_lock_);  ///< Nodes that are ready, by priority.
  std::uint32_t queued_ STRETTO_GUARDED_BY(queue_lock_) = 0;     ///< In all of them.
  int runners_ STRETTO_GUARDED_BY(queue_lock_) = 0;              ///< Those that were called included.
  int blocked_ STRETTO_GUARDED_BY(queue_lock_) = 0;              ///< Of these.
  bool called_ STRETTO_GUARDED_BY(queue_lock_) = false;          ///< One was, and has not come yet.
  Runner* first_runner_ STRETTO_GUARDED_BY(queue_lock_) = nullptr;
};

/// The replays of one template: a few, so that one begins before the one before it has ended.
class Replays : public std::enable_shared_from_this<Replays> {
 public:
  Replays(Scheduler& scheduler, std::shared_ptr<const Template> replayed);
  const Template& replayed() const { return *template_; }

  /// Submits a replay, and returns at once, but where several are pending already: then it waits for one of them, as
  /// back-pressure does. False when it cannot, or where there is no room for its temporaries; nothing was submitted
  /// then. Outside of tasks.
  bool submit(const Replay::Call& call);

 private:
  bool may_have_another() const;
  bool has_any() const;
  Replay* claim();

  Scheduler& scheduler_;
  const std::shared_ptr<const Template> template_;
  std::vector<std::unique_ptr<Replay>> replays_;
};

}  // namespace stretto
