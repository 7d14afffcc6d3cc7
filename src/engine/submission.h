#pragma once

#include <memory>
#include <span>

#include <stretto/base/error.h>

#include "engine/body_kind.h"
#include "engine/running_body.h"
#include "engine/task.h"
#include "trace/recording.h"

namespace stretto {

/// One access of a task: which buffer, which box of it (null: all), and how. The box is read during submission only.
struct Access {
  Buffer* buffer;
  const Box* box;
  AccessMode mode;
};

/// What a submitter says of a task beside its body.
struct Submission {
  const char* name;  ///< Must outlive the process's tasks: a literal, or `intern(name)`.
  CallSite site{};
  Device device{};
  LaneRole role = LaneRole::compute;
  Priority priority = Priority::normal;
  /// The task does more than write its buffers (a user's task, a file): it runs even when the process is about to end.
  bool outside_effect = false;
  /// What its body is asked by where it may be the repeat of another; null: it never stands in for one.
  const BodyKind* body_kind = nullptr;
  std::span<const Access> accesses{};
  /// What the accesses are to the program: only for a timeline that is recorded.
  std::span<const trace::Operand> operands{};
};

/// A copy of `name` that lives as long as the process; equal names share one.
const char* intern(std::string_view name);

/// What a running body sees.
class BodyContext {
 public:
  /// `addresses`: where the memory of each access is, where it is not that of the buffer.
  BodyContext(Task& task, KernelContext& kernels, RunningBody& body, std::byte* const* addresses = nullptr)
      : task_(task), kernels_(kernels), body_(body), addresses_(addresses) {}

  /// For `parallel_for` and the native stream.
  KernelContext& kernels() const { return kernels_; }
  Device device() const { return Device(task_.device_kind, task_.device_index); }
  const char* name() const { return task_.name; }
  CallSite site() const { return task_.site(); }

  std::size_t access_count() const { return task_.access_count; }
  Buffer& buffer(std::size_t access) const { return task_.buffer(access); }
  AccessMode mode(std::size_t access) const { return task_.mode(access); }
  /// Memory of the buffer named by the access-th access, in order of declaration.
  std::byte* data(std::size_t access) const {
    return addresses_ == nullptr ? buffer(access).data() : addresses_[access];
  }
  /// How the task may touch `buffer`: modes of all its accesses to it together; 0 when it declared none.
  int declared(const Buffer& buffer) const;
  /// While the body runs, what it does with its buffers is held against these parts; null: against whole buffers.
  void set_parts(const DeclaredParts* parts) { body_.parts = parts; }
  /// What the engine knows of the body.
  RunningBody& running() const { return body_; }

 private:
  Task& task_;
  KernelContext& kernels_;
  RunningBody& body_;
  std::byte* const* addresses_;
};

/// Moves a callable `void(BodyContext&)` into a task: in place when it fits, else on the heap. The task's `invoke` runs
/// it (unless it is given null) and destroys it, whether or not it throws.
template <typename Body>
void place_body(Task& task, Body&& body) {
  using Callable = std::decay_t<Body>;
  if constexpr (fits_in_task<Callable>) {
    new (task.closure) Callable(std::forward<Body>(body));
    task.invoke = [](Task& self, BodyContext* context) {
      struct Destroyer {
        Callable& callable;
        ~Destroyer() { callable.~Callable(); }
      };
      const Destroyer held{*std::launder(reinterpret_cast<Callable*>(self.closure))};
      if (context != nullptr) held.callable(*context);
    };
  } else {
    new (task.closure) Callable*(new Callable(std::forward<Body>(body)));
    task.invoke = [](Task& self, BodyContext* context) {
      const std::unique_ptr<Callable> held(*std::launder(reinterpret_cast<Callable**>(self.closure)));
      if (context != nullptr) (*held)(*context);
    };
  }
}

}  // namespace stretto
