#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/core/device.h>

namespace stretto {

class RepeatableBody;

/// What a body can be asked that computes one output, each element of it of the same element of what it reads, and
/// fails for no value: several such bodies over the same elements can run as one pass over memory.
class PassStep {
 public:
  /// One of several that are to be joined, in their order.
  struct Member {
    std::shared_ptr<const RepeatableBody> body;  ///< Keeps the step.
    const PassStep* step;
    const char* name;
    CallSite site;
    /// Of each access: its number among those of the pass; ~k where it is the k-th buffer that only members use, and
    /// that has no memory then.
    std::vector<std::int32_t> places;
  };
  /// So many can be joined, with so many accesses in all.
  static constexpr std::size_t max_members = 32, max_accesses = 48;

  /// The access that is its output.
  virtual std::size_t output() const = 0;
  /// Whether both run over elements of the same shape.
  virtual bool walks_like(const PassStep& other) const = 0;
  /// Whether what it touches by one of its accesses is, element by element, what `other` touches by one of its own.
  virtual bool meets(std::size_t access, const PassStep& other, std::size_t other_access) const = 0;
  /// Whether what it touches by an access lies element behind element, and is all of a buffer of so many bytes.
  virtual bool is_all_of(std::size_t bytes, std::size_t access) const = 0;
  /// One body in place of the members', of which this is one; null where it would not pay, or the device has none.
  virtual std::shared_ptr<const RepeatableBody> join(std::span<const Member> members, Device device) const = 0;

 protected:
  ~PassStep() = default;
};

}  // namespace stretto
