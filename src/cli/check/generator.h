#pragma once

#include <cstdint>
#include <span>

#include <stretto/core/device.h>

#include "cli/check/program.h"

namespace stretto::cli {

/// The program of a seed on these devices, at least one: the same on every machine. It ends by reading every variable.
Program generate_program(std::uint64_t seed, std::span<const Device> devices);

}  // namespace stretto::cli
