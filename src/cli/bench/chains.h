#pragma once

#include <cstdint>
#include <vector>

#include <stretto/tensor/tensor.h>

namespace stretto::cli {

/// Eight chains of products of small matrices, which do not depend on each other.
class Chains {
 public:
  static constexpr std::int64_t usual_products = 50;

  /// n x n, so many products in each.
  Chains(std::int64_t n, std::int64_t products, Device device);

  /// Submits them together; returns their ends.
  std::vector<Tensor> submit() const { return submit(false); }
  /// Submits one after the other, and waits behind each.
  std::vector<Tensor> run_one_by_one() const { return submit(true); }
  /// Throws Error unless both have the same values.
  static void check(const std::vector<Tensor>& ends, const std::vector<Tensor>& expected);

 private:
  static constexpr int chains = 8;

  std::vector<Tensor> submit(bool one_after_the_other) const;

  std::int64_t products_;
  Tensor factor_;
  std::vector<Tensor> starts_;
};

}  // namespace stretto::cli
