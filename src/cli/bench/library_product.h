#pragma once

#include <cstdint>
#include <string>

#include "cli/child_process.h"

namespace stretto::cli {

/// The same matrices here and in the process of the library.
std::vector<float> product_operand(std::int64_t n, std::uint64_t seed);

/// oneDNN's product of two n x n matrices with all cores, in a process of its own.
class LibraryProduct {
 public:
  explicit LibraryProduct(std::int64_t n);
  /// Seconds of one call.
  double measure();

 private:
  ChildProcess process_;
};

/// That process: measures once for each line on its standard input. Returns when that ends.
void serve_library_product(std::int64_t n);

}  // namespace stretto::cli
