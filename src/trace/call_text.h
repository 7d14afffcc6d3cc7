#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace stretto::trace {

/// What the events of a call's tasks have in common, as it stands in the file.
struct Call {
  /// `words` as in records.h. Looks at the texts that they name.
  explicit Call(std::span<const std::uint64_t> words);

  std::string head;  ///< The event up to its place and time.
  std::string body;  ///< Of its arguments, from the device on.
};

}  // namespace stretto::trace
