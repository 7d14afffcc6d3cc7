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

struct Segment;

/// One replay of a template at a time: what is bound, and the tasks of the engine that tie it to the program.
///
/// Nodes are no tasks of the engine. Its tasks are: one that *begins*, when results and temporaries have memory, and
/// one for each port. How nodes are run is the affair of those who derive from this: of workers, or of in-order lanes.
class Replay {
 public:
  struct Call {
    const char* name;  ///< Lives as long as the process.
    CallSite site;
    std::span<Buffer* const> arguments;  ///< One for each of the template's.
    std::span<Buffer* const> results;    ///< One for each that the template wants made.
    RunSeed seed;
    /// Tasks that were never recorded, one for each node, whose bodies run in place of the template's. They are the
    /// replay's once it is submitted. Empty: the template's run.
    std::span<Task* const> bodies{};
    /// Whether a node does more than write its buffers. Otherwise the end of the process drops what nobody needs.
    bool outside_effect = true;
    /// Whether it was found to repeat, and nobody asked for it.
    bool was_found = false;
  };

  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  virtual ~Replay();

  /// Takes it for a replay, if it is idle. By one thread at a time.
  bool claim();
  /// Gives back what was claimed.
  void unclaim() { busy_.store(false, std::memory_order_release); }
  /// Once it is over, what belongs to it is nobody's.
  bool is_busy() const { return busy_.load(std::memory_order_acquire); }
  /// Whether it replays, or did when the process forked that this one is a child of: then it never ends.
  bool is_lost() const;
  /// Whether a replay with these buffers can begin: no more of them than one task can name are without memory. Of one
  /// that was claimed.
  bool prepare(const Call& call);
  /// Whether nobody asked for it, of one that was submitted.
  bool was_found() const { return was_found_; }
  /// Submits what was prepared. `keep` lives until it is over, and this object with it.
  void submit(const Call& call, std::shared_ptr<const void> keep);

  /// The calling thread, which runs a node, is about to block, or goes on.
  virtual void block(bool /*begins*/) {}
  /// For a search under the recording lock: `hold` is a pending task of a replay. Whether a node that the calling
  /// thread is inside of comes before its end; otherwise calls `visit` for the tasks of those ports that do.
  static bool look_behind(Task& hold, const ThreadState& thread, FunctionRef<void(Task&)> visit);
  /// For the end of the process, under the recording lock: `hold` is a pending task of a replay, and needed. So are all
  /// others of it.
  static void need(Task& hold, FunctionRef<void(Task&)> visit);

 protected:
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
  /// A thread that runs nodes, inside of a task that stands for them.
  struct Runner {
    Task* task;
    Runner* next;
    std::atomic<std::uint32_t> node{none};
  };
  /// Whether one of these runners, which are linked, runs one of `nodes` on `thread`.
  static bool is_inside(const Runner* first, const ThreadState& thread, const std::vector<bool>& nodes);

  Replay(Scheduler& scheduler, std::shared_ptr<const Template> replayed);

  // What those who derive do.
  /// Gets ready for the next replay; the ports are, but for their tasks.
  virtual void reset() = 0;
  /// The task that begins has its memory, or has failed: then `context` is null.
  virtual void begin(Task& task, BodyContext* context) = 0;
  /// What the port comes after is done, or issued where it is on in-order lanes.
  virtual void open(std::uint32_t port) = 0;
  /// How often somebody arrives at the task that begins, besides who submits it.
  virtual std::uint32_t arrivals_at_begin() const { return 0; }
  /// What the launcher knows the task that begins by.
  virtual std::uint8_t flags_at_begin() const { return 0; }
  /// Whether a task is recorded that ends last, for those who wait for all.
  virtual bool has_end() const { return true; }
  /// Whether no port closes before all nodes have run.
  virtual bool ends_as_one() const { return false; }
  /// Whether `thread` runs one of these nodes.
  virtual bool is_inside(const ThreadState& thread, const std::vector<bool>& nodes) = 0;

  /// How many forks lay between the first process and the one that its replay is of.
  std::uint64_t forks_at_claim() const { return forks_.load(std::memory_order_relaxed); }
  void arrive_at_begin();
  /// Makes a task one of this replay: of a port, or, with `none`, of none.
  void place(Task& task, std::uint32_t port, Task::Invoke invoke);
  static const Place& place_of(const Task& task);
  static Replay& replay_of(const Task& task) { return *place_of(task).replay; }
  FailureReference run_body(Task& shell, BodyContext& context, const Template::Node& node, std::uint32_t number);
  /// Whether its bodies are its own, and not those of all replays of the template.
  bool has_own_bodies() const { return !bodies_.empty(); }
  /// The process is ending, and nobody needs what the nodes do.
  bool is_dropped() const { return scheduler_.ending() && !needed_.load(std::memory_order_acquire); }
  void fail(std::uint32_t node, const FailureReference& failure);
  /// If the failure is the node's own, `wait_all` throws it.
  void tell_of(std::uint32_t node, const FailureReference& failure);
  /// Because of this no node runs, or none is known to have run.
  void abandon(const FailureReference& failure);
  /// What comes into the replay by a port has failed: so have those that read it.
  void fail_targets(std::uint32_t port);
  void fail_readers(std::uint32_t node, const FailureReference& failure);
  FailureReference failure_of(std::uint32_t node);
  /// It is over, and idle again. Nothing of this object may be touched any more.
  void end();

  Scheduler& scheduler_;
  const std::shared_ptr<const Template> template_;
  EngineDevice& device_;
  std::vector<Buffer*> buffers_;  ///< Of each slot.
  RunSeed seed_;
  CallSite site_;
  std::uint64_t first_sequence_ = 0;
  int epoch_ = 0;
  std::unique_ptr<PortState[]> ports_;
  Task* begin_ = nullptr;
  Task* end_ = nullptr;
  std::atomic<bool> any_failed_{false};
  std::atomic<bool> needed_{true};  ///< Also when the process is ending.

 private:
  void record(const Call& call);
  void record_hold(const Submission& submission, std::uint32_t port, std::vector<Task*>& joins,
                   std::vector<Task*>& ready);
  void enter_hold(std::uint32_t port, std::vector<Task*>& joins);
  void run_own_body(std::uint32_t node, BodyContext& context);
  void exchange_bodies();
  void drop_bodies();

  std::atomic<bool> busy_{false};
  bool was_found_ = false;
  std::vector<Task*> bodies_;  ///< Of each node; null once it has run.
  std::shared_ptr<const void> keep_;
  std::atomic<std::uint64_t> forks_{0};
  std::vector<BufferReference> places_;
  BufferReference unpatched_;     ///< Only where a test breaks it on purpose.
  std::vector<Buffer*> unbound_;  ///< Of the buffers, those that have no memory yet.
  Mutex failing_;
  std::unordered_map<std::uint32_t, FailureReference> failures_ STRETTO_GUARDED_BY(failing_);
  FailureReference abandoned_ STRETTO_GUARDED_BY(failing_);  ///< Of all nodes.
};

/// The replays of one template: a few, so that one begins before the one before it has ended.
class Replays : public std::enable_shared_from_this<Replays> {
 public:
  Replays(Scheduler& scheduler, std::shared_ptr<const Template> replayed);
  ~Replays();
  const Template& replayed() const { return *template_; }

  /// Submits a replay, and returns at once, but where several are pending already: then it waits for one of them, as
  /// back-pressure does. False when it cannot, or where there is no room for its temporaries; nothing was submitted
  /// then. Outside of tasks.
  bool submit(const Replay::Call& call);
  /// The same for one that never waits: false also where several are pending.
  bool try_submit(const Replay::Call& call);

 private:
  bool may_have_another() const;
  bool has_any() const;
  Replay* claim();
  Replay* await_claim();
  bool submit_claimed(Replay& replay, const Replay::Call& call);
  std::unique_ptr<Replay> make() const;

  Scheduler& scheduler_;
  const std::shared_ptr<const Template> template_;
  std::shared_ptr<Segment> segment_;  ///< Null where workers run the nodes.
  std::vector<std::unique_ptr<Replay>> replays_;
};

}  // namespace stretto
