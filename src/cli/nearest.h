#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stretto::cli {

/// The candidate that is the fewest single-character edits away from `text`; "" when there is none.
std::string nearest(std::string_view text, std::span<const std::string> candidates);

}  // namespace stretto::cli
