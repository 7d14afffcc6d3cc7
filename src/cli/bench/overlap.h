#pragma once

#include <string>
#include <vector>

namespace stretto::cli {

/// The first products and copies of this process, in seconds. `device`, then n, the inner extent and the count of
/// products, and 1 where they are read into vectors, 0 where they are copied to tensors.
double cold_run_and_copy(const std::string& device, const std::vector<long>& numbers);

}  // namespace stretto::cli
