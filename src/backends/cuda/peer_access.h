#pragma once

#include <vector>

namespace stretto {

/// Lets `gpu`, the calling thread's current one, reach the memory of these others directly, where the machine has a way
/// between them. Each way is tried once, with a pattern, before it is used; copies take the way over the host where
/// there is none, or where it lost something. Throws DeviceError.
void reach_peers(int gpu, const std::vector<int>& peers);

}  // namespace stretto
