#pragma once

#include <string>
#include <vector>

namespace stretto::cli {

/// The first products and copies of this process, in seconds. `device`, then n, the inner extent and the count of
/// products.
double cold_run_and_copy(const std::string& device, const std::vector<long>& products);

}  // namespace stretto::cli
