#include "trace/event_text.h"

#include <algorithm>
#include <array>
#include <bit>

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

/// "00" to "99".
constexpr auto pairs = [] {
  std::array<char, 200> made{};
  for (std::size_t i = 0; i < 100; ++i) {
    made[2 * i] = static_cast<char>('0' + i / 10);
    made[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return made;
}();

/// Returns where it begins.
char* put_pair(char* to, std::uint64_t number) {
  std::memcpy(to, &pairs[2 * number], 2);
  return to;
}

constexpr auto powers_of_ten = [] {
  std::array<std::uint64_t, most_digits> made{1};
  for (std::size_t i = 1; i < made.size(); ++i) made[i] = 10 * made[i - 1];
  return made;
}();

std::size_t digit_count(std::uint64_t number) {
  // 1233 / 4096 is a little less than the logarithm of 2.
  const auto least = static_cast<std::size_t>(std::bit_width(number | 1)) * 1233 >> 12;
  return least + (least < most_digits && (number | 1) >= powers_of_ten[least] ? 1 : 0);
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

char* put_number(char* to, std::uint64_t number) {
  const std::size_t length = digit_count(number);
  char* at = to + length;
  for (; number >= 100; number /= 100) at = put_pair(at - 2, number % 100);
  if (number >= 10) {
    put_pair(at - 2, number);
  } else {
    at[-1] = static_cast<char>('0' + number);
  }
  return to + length;
}

char* put_microseconds(char* to, std::int64_t nanoseconds) {
  const auto time = static_cast<std::uint64_t>(std::max(nanoseconds, std::int64_t{0}));
  to = put_number(to, time / 1000);
  const std::uint64_t rest = time % 1000;
  to[0] = '.';
  to[1] = static_cast<char>('0' + rest / 100);
  put_pair(to + 2, rest % 100);
  return to + 4;
}

void append_number(std::string& to, std::uint64_t number) {
  char digits[most_digits];
  to.append(digits, put_number(digits, number));
}

void append_microseconds(std::string& to, std::int64_t nanoseconds) {
  char digits[most_digits + 2];
  to.append(digits, put_microseconds(digits, nanoseconds));
}

}  // namespace stretto::trace
