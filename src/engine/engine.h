#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/backend.h"
#include "engine/capture.h"
#include "engine/repeatable_body.h"
#include "engine/submission.h"
#include "memory/memory_pool.h"

namespace stretto {

class Scheduler;

/// Runs tasks so that the results are those of running them one at a time in the order of submission.
///
/// One for the process, made at first use. `STRETTO_ENGINE=serial` runs each task inside `submit`, on the submitting
/// thread. All functions may be called from any thread, also from inside tasks.
class Engine {
 public:
  static Engine& get() {
    Engine* engine = made_.load(std::memory_order_acquire);
    return engine != nullptr ? *engine : make();
  }

  // Devices.
  /// Throws DeviceError that lists what there is.
  void check_device(Device device);
  int device_count(DeviceKind kind);
  /// Null where this build has no such backend.
  Backend* backend(DeviceKind kind);
  MemoryPool& memory_pool(Device device);

  // Memory.
  /// A buffer without memory yet. Throws DeviceError for a device that is not there.
  BufferReference create_buffer(Device device, std::size_t bytes);
  /// A buffer over memory of the host that `owner` keeps; never freed by the engine.
  BufferReference borrow(Device device, std::byte* data, std::size_t bytes, std::shared_ptr<const void> owner);
  /// The same over memory of any device, which another library made. Throws DeviceError for a device that is not there.
  BufferReference borrow_foreign(Device device, std::byte* data, std::size_t bytes, std::shared_ptr<const void> owner);
  /// Binds memory to a buffer that no task has accessed yet, and returns it, for the caller to fill
  /// before the first submission. Throws OutOfMemoryError.
  std::byte* bind_now(Buffer& buffer);

  // Work.
  /// Submits a task; `body` is `void(BodyContext&)`. Returns at once, except where back-pressure holds the caller
  /// (never inside a task). A body that throws poisons what the task writes.
  template <typename Body>
  void submit(const Submission& submission, Body&& body) {
    if (Capture* const capture = Capture::current()) [[unlikely]] {
      const std::shared_ptr<const RepeatableBody> repeated = make_repeatable(std::forward<Body>(body));
      capture->note(submission, repeated);
      if (repeated != nullptr) {
        Submission shared = submission;
        shared.body_kind = nullptr;
        submit_body(shared, [repeated](BodyContext& context) { repeated->run(context, nullptr); });
        return;
      }
    }
    submit_body(submission, std::forward<Body>(body));
  }
  /// Blocks until everything submitted so far that writes `box` (null: all) of `buffer` is done; throws if it failed.
  /// Inside a task that declared a read of the buffer it returns at once; inside one that writes it, it throws
  /// UsageError naming both lines. `operation` and `site` name the reader.
  void wait(Buffer& buffer, const Box* box, const char* operation, CallSite site);
  /// Blocks until all that was submitted before is done. Throws the earliest failure nobody was told of.
  void wait_all(CallSite site);
  /// The same for the work of one device.
  void synchronize(Device device, CallSite site);

  /// Before the calling thread looks at the state of things in a way of its own: nothing that was submitted is held
  /// back.
  void submit_held();
  bool serial() const;
  /// Tasks submitted and not yet complete.
  std::size_t pending_tasks() const;
  /// The machinery, for tests and diagnostics.
  Scheduler& scheduler() { return scheduler_; }

 private:
  friend class BufferReference;
  friend class Repeats;
  static Engine& make();
  Engine();
  ~Engine() = delete;  // lives as long as the process: tasks may be submitted from destructors of globals

  template <typename Body>
  void submit_body(const Submission& submission, Body&& body) {
    Task& task = acquire_task();
    place_body(task, std::forward<Body>(body));
    commit(task, submission);
  }
  Task& acquire_task();
  void commit(Task& task, const Submission& submission);
  [[noreturn]] void refuse(Task& task, const Submission& submission, const std::string& why);
  void start_device(Task& task, const Submission& submission);
  void refuse_in_recorded(const char* operation, CallSite site);
  void commit_inside(Task& task, const Submission& submission);
  /// `reads_for`: the body that holds open what the task reads beside what is recorded.
  void record(Task& task, const Submission& submission, std::span<const Access> recorded, RunningBody* reads_for);
  void free_buffer(Buffer& buffer);

  void hold_back(FunctionRef<std::uint64_t()> amount, std::uint64_t limit);
  std::size_t byte_limit();

  static std::atomic<Engine*> made_;

  Scheduler& scheduler_;
  const std::uint64_t max_inflight_;
};

}  // namespace stretto
