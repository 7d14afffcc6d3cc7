#pragma once

#include <cstdint>

namespace stretto::cli {

/// Nanoseconds a task of the programs of the tasks bench, as a compiled function that is replayed: `count` tasks in
/// all, those of the call that records it left out. They throw Error where values differ from those of a serial loop.
double replayed_independent(std::int64_t count);
double replayed_chain(std::int64_t count);
double replayed_random_dag(std::int64_t count);

}  // namespace stretto::cli
