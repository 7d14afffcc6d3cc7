#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stretto::trace {

/// Appends `text` as a string of strict JSON with its quotes. What is no UTF-8 becomes U+FFFD.
void append_quoted(std::string& to, std::string_view text);
/// Appends a number.
void append_number(std::string& to, std::uint64_t number);
/// Appends nanoseconds as microseconds with three decimals; negative ones as 0.
void append_microseconds(std::string& to, std::int64_t nanoseconds);

}  // namespace stretto::trace
