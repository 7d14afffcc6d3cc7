#pragma once

namespace stretto {

/// Asks for the cache line of `address` in order to write it: it is taken away from the core that wrote it last. The
/// compiler's own builtin asks for reading only, unless told that the processor knows better, and the first store then
/// waits a second time.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Asks for the line of `address` in order to read it.
inline void prefetch_for_read(const void* address) { __builtin_prefetch(address, 0); }

}  // namespace stretto
