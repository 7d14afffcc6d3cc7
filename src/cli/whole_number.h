#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace stretto::cli {

/// A check for options: all of the text is a whole number from `lowest` to `highest`.
std::function<std::string(const std::string&)> whole_number(std::uint64_t lowest, std::uint64_t highest);

}  // namespace stretto::cli
