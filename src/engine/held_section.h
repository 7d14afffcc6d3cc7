#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <stretto/core/box.h>

#include "engine/capture.h"
#include "engine/submission.h"

namespace stretto {

/// What a section of submissions looks like, whatever its tensors are: who accesses which of them, and how; and what
/// the bodies of one such section did.
struct SectionForm {
  struct Task {
    const char* name;
    CallSite site;
    LaneRole role;
    bool outside_effect;
    std::uint32_t first_access;
    std::uint32_t access_count;
    const BodyKind* body_kind;
    /// What its body did in the section that was noted; null where that is not known.
    std::shared_ptr<const RepeatableBody> body;
  };
  struct Access {
    std::uint32_t slot;  ///< Buffers are numbered as they come.
    AccessMode mode;
    std::int32_t box;  ///< Its number; -1 for all.
  };
  struct Slot {
    bool is_fresh;  ///< Nobody had used the buffer before.
    std::size_t bytes;
  };

  Device device;
  std::vector<Task> tasks;
  std::vector<Access> accesses;
  std::vector<Box> boxes;
  std::vector<Slot> slots;
  /// Of all tasks it is known what their bodies did: a replay can do without new ones that do the same.
  bool has_bodies = false;

  const Box* box(const Access& access) const { return access.box < 0 ? nullptr : &boxes[access.box]; }
  /// As if it had been captured. Buffers that are not fresh are arguments, in their order.
  Captured captured() const;
};

/// Submissions that are held back: their tasks, which have their bodies and nothing else yet, and their buffers.
class HeldSection {
 public:
  /// Begins one. `form`: what the section has to look like; null: it is noted what it looks like.
  void begin(std::shared_ptr<const SectionForm> form, Device device);
  /// Holds one more. False, and holds it not, where it is not what the form has.
  bool add(Task& task, const Submission& submission);

  std::size_t size() const { return tasks_.size(); }
  std::span<Task* const> tasks() const { return tasks_; }
  std::span<const BufferReference> buffers() const { return buffers_; }
  bool was_noted() const { return given_ == nullptr; }
  /// Of one that was noted: notes what the bodies do, too, where all of them can tell.
  void note_bodies();
  /// Whether the form has bodies, and those that are held do just what these do.
  bool has_same_bodies() const { return is_same_ && form().has_bodies; }
  const SectionForm& form() const { return given_ != nullptr ? *given_ : *noted_; }
  std::shared_ptr<const SectionForm> share_form() const { return given_ != nullptr ? given_ : noted_; }
  /// Whether nobody but this section refers to a buffer that it saw first.
  bool is_dead(std::uint32_t slot) const { return buffers_[slot].use_count() == 1; }

  /// Holds nothing any more. Returns the buffers: the last reference to one may go with them, and what its owner then
  /// does is the program's.
  [[nodiscard]] std::vector<BufferReference> end();

 private:
  struct Known {
    const Buffer* buffer = nullptr;
    std::uint32_t slot = 0;
    std::uint32_t section = 0;
  };

  bool fits(const SectionForm::Task& expected, const Submission& submission);
  void note(const Submission& submission);
  /// The number of the buffer; those that come first get the next.
  std::uint32_t slot_of(Buffer& buffer);
  void grow();
  Known& find(const Buffer& buffer);

  std::shared_ptr<const SectionForm> given_;
  std::shared_ptr<SectionForm> noted_;
  std::vector<Task*> tasks_;
  std::vector<BufferReference> buffers_;
  std::vector<bool> fresh_;
  std::vector<Known> known_ = std::vector<Known>(64);  ///< Found by address; a power of two.
  std::uint32_t section_ = 0;
  bool is_same_ = true;  ///< Of what is held: what the bodies do is what they did in the section that was noted.
};

}  // namespace stretto
