#pragma once

#include "kernels/kernel.h"

namespace stretto {

/// Appends a copy of `from`, or of one number, to `to`, of any type and layout, on one device.
void copy_array(const Array& to, const Array& from, KernelContext& context);

}  // namespace stretto
