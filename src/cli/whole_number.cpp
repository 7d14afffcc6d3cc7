#include "cli/whole_number.h"

#include <fmt/format.h>

#include <charconv>

namespace stretto::cli {

std::function<std::string(const std::string&)> whole_number(std::uint64_t lowest, std::uint64_t highest) {
  return [=](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end && number >= lowest && number <= highest) return {};
    return fmt::format("it must be a whole number from {} to {}, not {}", lowest, highest, text);
  };
}

}  // namespace stretto::cli
