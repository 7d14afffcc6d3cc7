#pragma once

#include <span>

namespace stretto {

/// A header as kernels that are compiled at run time include it.
struct NvrtcHeader {
  const char* name;
  const char* text;
};

/// All that pass_parts.cuh includes, and itself. Made of the sources when the library is built.
std::span<const NvrtcHeader> nvrtc_headers();

}  // namespace stretto
