#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace stretto {

/// A text of up to `capacity` bytes in storage of its own, for the handlers of signals: nothing here allocates, locks
/// or throws. What does not fit any more is left out.
template <std::size_t capacity>
class FixedText {
 public:
  FixedText& operator<<(std::string_view text) {
    const std::size_t count = std::min(text.size(), capacity - size_);
    std::copy_n(text.data(), count, bytes_.data() + size_);
    size_ += count;
    return *this;
  }
  FixedText& operator<<(std::integral auto number) {
    std::array<char, 24> digits;
    return *this << std::string_view(digits.data(),
                                     std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }

  std::string_view view() const { return {bytes_.data(), size_}; }
  /// Writes it to standard error, as far as that takes it.
  void say() const { [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, bytes_.data(), size_); }

 private:
  std::array<char, capacity> bytes_;
  std::size_t size_ = 0;
};

}  // namespace stretto
