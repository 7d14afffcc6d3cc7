#pragma once

#include <cstddef>

namespace stretto {

/// A thread touched memory that it may not touch.
struct MemoryFault {
  std::byte* address;
  bool writes;
};

/// From here on `handle` is asked about each fault of pages that are there and protected, on the thread that faulted
/// and in the middle of what it does. True: the memory may be touched now, the thread goes on. False: the process ends
/// as it would have. Called by the handler of a signal: `handle` does only what such a handler may. Call once.
void handle_memory_faults(bool (*handle)(const MemoryFault&));

}  // namespace stretto
