#pragma once

#include <cstdint>

namespace stretto {

/// How far something is that is made beside the program, which does not wait for it: what is unready becomes ready or
/// refused by itself.
enum class Readiness : std::uint8_t { unready, ready, refused };

}  // namespace stretto
