#pragma once

#include <cstdint>
#include <vector>

#include <stretto/stretto.h>

namespace stretto::cli {

/// The chapter's experiments, on products of n x inner with inner x n matrices: square ones in the chapter.
struct Products {
  std::int64_t n = 0;
  std::int64_t inner = 0;
  std::int64_t count = 0;
};

/// The operands on a device; the same on every device, of the order of 1 for any size.
struct Factors {
  Factors(const Products& products, Device device);
  Tensor left;
  Tensor right;
};

/// Submits `count` products and returns them, in the chapter's words `run(x)`. Nothing blocks.
std::vector<Tensor> submit_products(const Factors& factors, std::int64_t count);
/// Submits a copy of each to the device and returns them. Nothing blocks.
std::vector<Tensor> submit_copies(const std::vector<Tensor>& tensors, Device device);

/// Blocks, and throws Error unless every tensor is the product, bit for bit alike and close to a sum in double. Those
/// on a CPU device are looked at where they lie, if nobody else has them.
void check_products(std::vector<Tensor> tensors, const Factors& factors);

/// Where results of `device` are copied to: the CPU for a GPU, and the next CPU device for one of several.
Device copy_target(Device device);

/// An inner extent, at most `n`, with which `count` products take as long as copying their results, within a fifth
/// where that can be had. Measured here: blocks for some moments.
Products balance(std::int64_t n, std::int64_t count, Device from, Device to);

struct OverlapTimes {
  double run;           ///< Seconds of the products alone.
  double copy;          ///< Seconds of the copies alone.
  double run_and_copy;  ///< All products submitted, then all copies.
};
/// Each measured once, in this order, and the copies checked.
OverlapTimes measure_overlap(const Factors& factors, std::int64_t count, Device to);
/// The last of the three alone.
double measure_run_and_copy(const Factors& factors, std::int64_t count, Device to);

}  // namespace stretto::cli
