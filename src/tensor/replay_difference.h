#pragma once

#include <string>

#include "engine/capture.h"

namespace stretto {

/// The first thing in which what a call of a compiled function submitted is not what a replay of the recorded call
/// would do: goes on from "this call ..."; empty where nothing is found. Numbers, shapes, lines, and which tensors are
/// used are compared; what a person's task has captured is not.
std::string replay_difference(const Captured& recorded, const Captured& called);

}  // namespace stretto
