#pragma once

#include <stretto/base/call_site.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// What public functions do on the way to something else: `operation` is the one that the person called.

/// The elements of a defined tensor as another type, or the same, in a storage of their own.
Tensor convert(const Tensor& source, DType dtype, const char* operation, const CallSite& site);

/// A defined tensor on another device; the same handle where it is there already.
Tensor move_to(const Tensor& source, Device device, const char* operation, const CallSite& site);

}  // namespace stretto
