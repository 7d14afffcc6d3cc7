// Small products on CUDA devices: whatever kernel the layout of the factors leads to, the sums are the same to the bit.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "cuda/cuda_programs.h"

namespace stretto {
namespace {

/// The same values in rows that are an element longer, so that most of them begin at no multiple of 16 bytes.
Tensor in_odd_rows(const Tensor& x) {
  const Tensor wide = zeros({x.size(0), x.size(1) + 1}, x.device());
  const Tensor odd = wide.narrow(1, 0, x.size(1));
  odd.copy_(x);
  return odd;
}

/// The same values, column by column in memory.
Tensor by_columns(const Tensor& x) { return x.transpose(0, 1).contiguous().transpose(0, 1); }

struct Extents {
  std::int64_t rows, depth, columns;
};

TEST_F(CudaPrograms, SmallProductsAreTheSameInAllLayouts) {
  Generator generator(7);
  for (const auto& [rows, depth, columns] :
       {Extents{4, 4, 4}, Extents{36, 40, 44}, Extents{64, 64, 64}, Extents{100, 256, 128}, Extents{8, 1024, 8},
        Extents{400, 200, 388}, Extents{256, 36, 1000}, Extents{37, 64, 64}, Extents{64, 63, 64}, Extents{5, 7, 3}}) {
    const Tensor left = normal(generator, 0, 1, {rows, depth}, gpu(0));
    const Tensor right = normal(generator, 0, 1, {depth, columns}, gpu(0));
    const Tensor added = normal(generator, 0, 1, {rows, columns}, gpu(0));
    const std::vector<float> product = matmul(in_odd_rows(left), in_odd_rows(right)).to_vector<float>();
    const std::vector<float> ended = addmm_relu(added, in_odd_rows(left), in_odd_rows(right)).to_vector<float>();
    const Tensor exact = matmul(left.to(DType::float64), right.to(DType::float64));
    const Tensor error = max(abs(from_vector(product, gpu(0)).reshape({rows, columns}).to(DType::float64) - exact));
    EXPECT_LT(error.item<double>(), 1e-4) << rows << ' ' << depth << ' ' << columns;
    for (const Tensor& one : {left, by_columns(left)}) {
      for (const Tensor& other : {right, by_columns(right)}) {
        EXPECT_EQ(matmul(one, other).to_vector<float>(), product) << rows << ' ' << depth << ' ' << columns;
        EXPECT_EQ(addmm_relu(added, one, other).to_vector<float>(), ended) << rows << ' ' << depth << ' ' << columns;
      }
    }
  }
}

}  // namespace
}  // namespace stretto
