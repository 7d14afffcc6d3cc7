#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/memory_fault.h"
#include "engine/guarded_storage.h"
#include "engine/submission.h"
#include "memory/spin_lock.h"

namespace stretto {

/// `STRETTO_CHECK=access`: holds what a task touches against what it declared. The serial engine runs, and while a body
/// runs only the pages of what it declared are open, to read alone where it only reads. Where a page holds more than
/// was declared to be written, the other bytes are compared before and after, and put back. A task that touches
/// anything else goes on, and fails with an error that says what it was.
///
/// Memory of the host and of simulated devices is watched; what a program lends, and the memory of GPUs, is not. What
/// is read of a page of which only another part was declared goes unnoticed.
class AccessCheck {
 public:
  /// One for the process.
  AccessCheck();

  /// What `task` is going to touch; before it runs.
  void declare(const Task& task, std::span<const Access> accesses);
  /// Runs the body. Throws UsageError when it touched something else, or what the body throws.
  void run(Task& task, BodyContext& context);

  /// The calling thread is about to look at the buffer's memory, outside of tasks or inside the body of one, or to fill
  /// it (`writes`).
  void open_to_host(const Buffer& buffer, bool writes);

  void add(const GuardedStorage& storage);
  /// In place of giving the block back to its pool: that is done later.
  void retire(MemoryPool& pool, Block block);
  /// Whether any task so far has touched what it did not declare.
  bool found_any() const { return found_any_.load(std::memory_order_relaxed); }
  /// Gives back what is held of freed memory; false when there was nothing.
  bool give_back();

 private:
  struct Part {
    std::size_t access;
    Buffer* buffer;
    AccessMode mode;
    std::optional<Box> box;  ///< None: all.
  };
  /// One storage that a running task may touch.
  struct Use {
    GuardedStorage* storage = nullptr;
    std::vector<Part> parts;
    PageAccess all = PageAccess::none;  ///< Where `pages` is empty.
    std::vector<PageAccess> pages;
    /// Copies of pages that hold more than the task may write: the number of each page's, -1 where there is none.
    std::vector<std::int32_t> copy_of_page;
    std::vector<std::byte> copies;
  };
  /// Opened to the body because it waited for it, or made it.
  struct Grant {
    GuardedStorage* storage;
    PageAccess access;
  };
  /// Noted by the handler of a signal: plain values, of which a text is made later.
  struct Violation {
    GuardedStorage storage;
    std::size_t byte;
    bool writes;
  };
  /// A task that runs; it may have others inside, which its thread runs.
  struct Running {
    const Task* task;
    std::vector<Use> uses;
    std::vector<Grant> grants;
    std::optional<Violation> violation;  ///< The first.
  };

  static_assert(std::is_trivially_copyable_v<Violation>);
  static bool on_fault(const MemoryFault& fault);
  bool handle(const MemoryFault& fault) STRETTO_REQUIRES(lock_);
  void begin(const Task& task) STRETTO_EXCLUDES(lock_);
  /// What the task did wrong, or nothing.
  std::string end() STRETTO_EXCLUDES(lock_);
  static void choose_pages(Use& use);
  static void number_copies(Use& use, const std::vector<bool>& covered);
  void open(Running& running) STRETTO_REQUIRES(lock_);
  /// Takes over what the task was to write, and finds the first byte besides that is not as it was.
  static std::optional<std::size_t> compare(Use& use);
  /// What `parts` were to write is as it should be.
  static void take_over(Use& use, const std::vector<Part>& parts);
  template <typename Function>
  static void for_each_copied(Use& use, const std::vector<Part>& parts, Function function);
  static std::string describe(const Running& running, const Violation& violation);

  std::atomic<bool> found_any_{false};
  /// Never wanted by a handler on the thread that holds it: what is inside touches no protected memory.
  SpinLock lock_;
  GuardedStorages storages_ STRETTO_GUARDED_BY(lock_);
  std::unordered_map<const Task*, std::vector<Part>> declared_ STRETTO_GUARDED_BY(lock_);
  std::vector<std::unique_ptr<Running>> running_ STRETTO_GUARDED_BY(lock_);  ///< Innermost last.
  /// What the program looked at last, oldest first: open again as soon as no task runs.
  std::vector<GuardedStorage*> looked_at_ STRETTO_GUARDED_BY(lock_);
};

}  // namespace stretto
