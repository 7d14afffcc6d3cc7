#pragma once

#include <cstdint>

namespace stretto {

/// Names a task without keeping it: the slot it lives in and which of the slot's many lives is meant. A slot whose
/// generation has moved on says "finished" without a look at the task itself. The default names no task.
struct TaskReference {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0: no task.

  explicit operator bool() const { return generation != 0; }
  bool operator==(const TaskReference&) const = default;
};

enum class AccessMode : std::uint8_t { read = 1, write = 2, read_write = 3 };

inline bool reads(AccessMode mode) { return (static_cast<int>(mode) & 1) != 0; }
inline bool writes(AccessMode mode) { return (static_cast<int>(mode) & 2) != 0; }

}  // namespace stretto
