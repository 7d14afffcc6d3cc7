#pragma once

#include <functional>

#include "cli/check/program.h"

namespace stretto::cli {

/// A smaller program for which `fails` still holds, by dropping statements: many at a time, then fewer, then single
/// ones, until none can go or `seconds` are over. `fails(program)` holds.
Program shrink(const Program& program, double seconds, const std::function<bool(const Program&)>& fails);

}  // namespace stretto::cli
