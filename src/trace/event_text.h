#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace stretto::trace {

/// Appends `text` as a string of strict JSON with its quotes. What is no UTF-8 becomes U+FFFD.
void append_quoted(std::string& to, std::string_view text);
/// Appends a number.
void append_number(std::string& to, std::uint64_t number);
/// Appends nanoseconds as microseconds with three decimals; negative ones as 0.
void append_microseconds(std::string& to, std::int64_t nanoseconds);

// The same where there is room already, for what is written with every task. Each returns where it ends.
inline char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}
inline constexpr std::size_t most_digits = 20;
/// At most `most_digits` characters.
char* put_number(char* to, std::uint64_t number);
/// At most `most_digits` and 2 characters.
char* put_microseconds(char* to, std::int64_t nanoseconds);

}  // namespace stretto::trace
