#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <stretto/core/box.h>

#include "engine/buffer.h"
#include "engine/repeatable_body.h"

namespace stretto {

/// What a thread submitted while it had a Capture open.
struct Captured {
  struct Access {
    std::uint32_t slot;
    AccessMode mode;   ///< As it was declared.
    std::int32_t box;  ///< Its number; -1 for all.
  };
  struct Task {
    std::shared_ptr<const RepeatableBody> body;
    const char* name;
    CallSite site;
    Priority priority;
    std::uint32_t first_access;
    std::uint32_t access_count;
  };
  enum class SlotKind : std::uint8_t {
    argument,
    captured,  ///< It was there before, and is no argument.
    made,      ///< It was made meanwhile.
  };
  /// A buffer that is used.
  struct Slot {
    SlotKind kind;
    /// An argument that is also used by a handle from outside: only with this very buffer is it what was captured.
    bool pinned = false;
    std::size_t bytes = 0;
    BufferReference buffer;  ///< Null for one that was made: it may be gone.
  };

  std::vector<Task> tasks;
  std::vector<Access> accesses;
  std::vector<Box> boxes;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> argument_slots;  ///< Of each argument; arguments that are one buffer have one.
  std::uint64_t drawing_tasks = 0;            ///< Tasks that may draw random numbers.
  Device device;
};

/// Notes what the calling thread submits while it is open: what a template is made of. The submissions go on as they
/// would without it.
///
/// What cannot be repeated ends the capture with a reason; what is submitted afterwards is not noted. Opened outside of
/// tasks; a thread has one open at most.
class Capture {
 public:
  /// Opens. `arguments`: buffers that stand for others in a replay.
  explicit Capture(std::span<const BufferReference> arguments);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { close(); }

  /// The calling thread's, while it is open and has not ended.
  static Capture* current() { return current_; }
  /// Ends the calling thread's, if there is one. `why` goes on from "it ...": "reads a value".
  static void give_up(const char* why) {
    if (current_ != nullptr) [[unlikely]]
      current_->end(why);
  }
  void close();

  /// `body` null: it cannot be repeated.
  void note(const Submission& submission, std::shared_ptr<const RepeatableBody> body);
  void note_made(Buffer& buffer);
  /// A handle that was not made meanwhile refers to the buffer.
  void note_used_from_outside(Buffer& buffer);
  /// The next submission is that of a task which may draw random numbers. Returns how many were before it.
  std::uint64_t count_drawing_task() { return captured_.drawing_tasks++; }

  /// Empty while all can be repeated.
  const std::string& reason() const { return reason_; }
  void end(std::string why);

  /// The slot of a buffer that lives; one is made where it was not used.
  std::uint32_t slot_of(Buffer& buffer);
  const Captured& captured() const { return captured_; }
  /// Hands over what was noted, closed before.
  Captured take() { return std::move(captured_); }

 private:
  // In the static block of thread-local storage: it is read at every submission.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit Capture* current_;

  Captured captured_;
  std::string reason_;
  std::unordered_map<const Buffer*, std::uint32_t> slot_numbers_;
};

}  // namespace stretto
