#pragma once

#include <string_view>
#include <vector>

#include <stretto/core/device.h>

namespace stretto {

/// The operators that have a kernel of their own for this kind of device, by name. Their kernels are there once static
/// initialisation is over, or the backend's library is loaded.
std::vector<std::string_view> operators_on(DeviceKind kind);

}  // namespace stretto
