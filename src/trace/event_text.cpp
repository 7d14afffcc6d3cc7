#include "trace/event_text.h"

#include <algorithm>
#include <charconv>

namespace stretto::trace {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// How many bytes the well-formed UTF-8 sequence at the front of `text` has; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  if (!std::ranges::all_of(text.substr(1, length - 1), is_continuation)) return 0;
  // Too long for what they say, halves of surrogate pairs, and beyond the last character.
  const auto second = static_cast<unsigned char>(text[1]);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
      (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  to += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '"' || byte == '\\') {
      to += '\\';
      to += text[i++];
    } else if (byte < 0x20 || byte == 0x7f) {
      to += "\\u00";
      to += digits[byte >> 4];
      to += digits[byte & 15];
      ++i;
    } else if (byte < 0x80) {
      to += text[i++];
    } else if (const std::size_t length = sequence_length(text.substr(i))) {
      to += text.substr(i, length);
      i += length;
    } else {
      to += "\xef\xbf\xbd";
      ++i;
    }
  }
  to += '"';
}

void append_number(std::string& to, std::uint64_t number) {
  char digits[24];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_microseconds(std::string& to, std::int64_t nanoseconds) {
  const auto time = static_cast<std::uint64_t>(std::max(nanoseconds, std::int64_t{0}));
  append_number(to, time / 1000);
  const auto rest = static_cast<unsigned>(time % 1000);
  const char decimals[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
  to.append(decimals, sizeof decimals);
}

}  // namespace stretto::trace
