#pragma once

#include <cstdint>

namespace stretto {

/// Which of the tasks that are ready goes first. It never changes a result.
enum class Priority : std::uint8_t { high, normal, low };

}  // namespace stretto
