#include "kernels/kernel_cost.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/parameters.h"

namespace stretto {
namespace {

struct Description {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  DType dtype = DType::float32;

  Array array() const {
    return {.data = address,
            .shape = shape.data(),
            .strides = strides.data(),
            .dtype = dtype,
            .rank = static_cast<std::uint8_t>(shape.size())};
  }
  static inline std::byte address[1];
};

KernelCost cost(const char* name, const std::vector<Array>& outputs, const std::vector<Array>& inputs) {
  const Parameters parameters{};
  return cost_of(kernel_row(name), {outputs, inputs, parameters});
}

TEST(KernelCost, BytesAreThoseOfTheElementsInMemory) {
  const Description out{{4, 6}, {6, 1}, DType::float64}, row{{4, 6}, {0, 1}, DType::float64},
      bytes{{4, 6}, {6, 1}, DType::uint8};
  Array constant = row.array();
  constant.constant = true;
  const KernelCost known = cost("add", {out.array()}, {row.array(), bytes.array(), constant});
  EXPECT_EQ(known.bytes, 24 * 8 + 6 * 8 + 24);
  EXPECT_EQ(known.flops, 0);
  EXPECT_EQ(known.dtype, DType::float64);
  const Description empty{{0, 6}, {0, 0}};
  EXPECT_EQ(cost("add", {empty.array()}, {empty.array()}).bytes, 0);
}

TEST(KernelCost, ProductsCountAMultiplicationAndAnAdditionATerm) {
  const Description out{{3, 5, 7}, {35, 7, 1}}, left{{3, 5, 11}, {55, 11, 1}}, right{{3, 11, 7}, {77, 7, 1}};
  EXPECT_EQ(cost("matmul", {out.array()}, {left.array(), right.array()}).flops, 2 * 3 * 5 * 7 * 11);
  const Description sum{{5, 7}, {7, 1}}, added{{5, 7}, {0, 1}}, first{{5, 11}, {11, 1}}, second{{11, 7}, {7, 1}};
  EXPECT_EQ(cost("addmm", {sum.array()}, {added.array(), first.array(), second.array()}).flops, 2 * 5 * 7 * 11);
  EXPECT_EQ(cost("addmm_relu", {sum.array()}, {added.array(), first.array(), second.array()}).flops, 2 * 5 * 7 * 11);
  EXPECT_EQ(cost("matmul_relu_backward", {sum.array()}, {first.array(), second.array(), sum.array()}).flops,
            2 * 5 * 7 * 11);
}

class Recorder final : public KernelMeter {
 public:
  bool begin(const KernelCost& cost, std::span<const std::byte* const> arrays) override {
    bytes = cost.bytes;
    count = arrays.size();
    return false;
  }
  double bytes = 0;
  std::size_t count = 0;
};

TEST(KernelCost, AMeterIsToldOfArraysButNotOfConstantsAndEmptyOnes) {
  const Description out{{2}, {1}}, empty{{0}, {1}};
  Array constant = out.array();
  constant.constant = true;
  const std::vector<Array> outputs{out.array()}, inputs{out.array(), empty.array(), constant};
  const Parameters parameters{};
  Recorder meter;
  EXPECT_FALSE(begin_kernel(meter, kernel_row("add"), {outputs, inputs, parameters}));
  EXPECT_EQ(meter.count, 2U);
  EXPECT_EQ(meter.bytes, 16);
}

}  // namespace
}  // namespace stretto
