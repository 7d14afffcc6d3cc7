#include "cli/bench/chains.h"

#include <cmath>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

namespace stretto::cli {

Chains::Chains(std::int64_t n, std::int64_t products, Device device) : products_(products) {
  Generator generator(1);
  // Scaled so that products of many keep their magnitude.
  factor_ = normal(generator, 0, 1 / std::sqrt(static_cast<double>(n)), {n, n}, device);
  for (int chain = 0; chain < chains; ++chain) starts_.push_back(normal(generator, 0, 1, {n, n}, device));
  wait_all();
}

void Chains::check(const std::vector<Tensor>& ends, const std::vector<Tensor>& expected) {
  for (std::size_t chain = 0; chain < chains; ++chain)
    if (ends[chain].to_vector<float>() != expected[chain].to_vector<float>())
      throw Error("small: chains that run together differ from chains that run one after the other");
}

std::vector<Tensor> Chains::submit(bool one_after_the_other) const {
  std::vector<Tensor> ends;
  for (Tensor now : starts_) {
    for (std::int64_t i = 0; i < products_; ++i) now = matmul(now, factor_);
    ends.push_back(now);
    if (one_after_the_other) wait_all();
  }
  return ends;
}

}  // namespace stretto::cli
