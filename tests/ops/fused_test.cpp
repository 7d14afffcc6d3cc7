// Operators that do in one pass what several do one after the other: each has their bits.

#include <cmath>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "ops/operator_row.h"
#include "ops/values.h"

namespace stretto {
namespace {

struct Product {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// Some of each kind: without terms, of one tile and of several, and too large for a GPU's kernel for small ones.
constexpr Product products[] = {{3, 0, 5}, {1, 7, 1}, {67, 130, 71}, {129, 33, 40}, {200, 1500, 65}};

Tensor numbers(const Shape& shape, DType dtype, Device device, std::uint64_t seed) {
  const Values values{shape, numbers_between(-2, 2, shape.numel(), dtype, seed)};
  return make_tensor(values, dtype, Layout::contiguous, device);
}

/// With what a comparison treats in its own way in some places.
void put_specials(const Tensor& matrix) {
  if (!is_floating(matrix.dtype()) || matrix.size(0) == 0) return;
  const double specials[] = {std::nan(""), INFINITY, -INFINITY, 0.0, -0.0};
  for (std::int64_t k = 0; k < std::min<std::int64_t>(5, matrix.size(-1)); ++k)
    matrix.narrow(-1, k, 1).fill_(specials[k]);
}

void expect_parts(const Product& product, DType dtype, Device device) {
  SCOPED_TRACE(std::to_string(product.rows) + " x " + std::to_string(product.depth) + " x " +
               std::to_string(product.columns) + " " + std::string(name(dtype)) + " on " + to_string(device));
  const Tensor a = numbers({product.rows, product.depth}, dtype, device, 1);
  const Tensor b = numbers({product.depth, product.columns}, dtype, device, 2);
  const Tensor row = numbers({1, product.columns}, dtype, device, 3);
  const Tensor whole = numbers({product.rows, product.columns}, dtype, device, 4);
  put_specials(row);
  put_specials(whole);
  const Tensor bias = row.squeeze(0);
  const Tensor weight = b.t().contiguous();
  EXPECT_EQ(read_bytes(addmm_relu(bias, a, b)), read_bytes(relu(addmm(bias, a, b))));
  EXPECT_EQ(read_bytes(addmm_relu(whole, a, b)), read_bytes(relu(addmm(whole, a, b))));
  EXPECT_EQ(read_bytes(linear_relu(a, weight, bias)), read_bytes(relu(linear(a, weight, bias))));
  if (!is_floating(dtype)) return;
  EXPECT_EQ(read_bytes(matmul_relu_backward(a, b, whole)), read_bytes(relu_backward(matmul(a, b), whole)));
  const Tensor columns = whole.t().contiguous().t();
  EXPECT_EQ(read_bytes(matmul_relu_backward(a, b, columns)), read_bytes(relu_backward(matmul(a, b), whole)));
}

void expect_parts_on(Device device) {
  for (const DType dtype : number_dtypes)
    for (const Product& product : products) expect_parts(product, dtype, device);
}

TEST(Fused, HaveTheBitsOfTheirParts) {
  expect_parts_on(cpu());
  expect_parts_on(sim());
}

TEST(Fused, HaveTheBitsOfTheirPartsOnCudaDevices) {
  if (device_count(DeviceKind::cuda) == 0) GTEST_SKIP() << "no CUDA device here";
  expect_parts_on(gpu());
}

}  // namespace
}  // namespace stretto
