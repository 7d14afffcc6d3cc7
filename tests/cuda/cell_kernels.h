#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto {

/// Appends to the stream: waits at least so long, then stores the value.
void append_store(void* stream, std::byte* cell, std::uint64_t value, std::int64_t nanoseconds);
/// Appends destination = 31 * destination + source + 1.
void append_fold(void* stream, std::byte* destination, const std::byte* source);
/// Reads a cell that nothing is working on.
std::uint64_t read_cell(const std::byte* cell);

}  // namespace stretto
