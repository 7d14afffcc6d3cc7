#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto {

/// Appends to the stream: waits at least so long, then stores the value.
void append_store(void* stream, std::byte* cell, std::uint64_t value, std::int64_t nanoseconds);
/// Appends destination = 31 * destination + source + 1.
void append_fold(void* stream, std::byte* destination, const std::byte* source);
/// Appends a kernel that writes where no memory is, which ends all use of the GPU.
void append_fault(void* stream);
/// Reads a cell that nothing is working on.
std::uint64_t read_cell(const std::byte* cell);

}  // namespace stretto
