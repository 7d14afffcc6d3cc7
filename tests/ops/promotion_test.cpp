// Types of results where operands differ: numbers written in the program and tensors of rank 0 weigh less than tensors
// with axes. (Tensors with axes are in the operator table.) What PyTorch gives, written down.

#include <limits>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

Tensor of(DType dtype) { return ones({2}, cpu(), dtype); }
Tensor of_rank_zero(DType dtype) { return ones({}, cpu(), dtype); }

#define EXPECT_DTYPE(expression, expected) EXPECT_EQ(name((expression).dtype()), name(expected))

TEST(OperatorPromotion, NumbersAreWeak) {
  EXPECT_DTYPE(of(DType::uint8) + 1, DType::uint8);
  EXPECT_DTYPE(1 + of(DType::uint8), DType::uint8);
  EXPECT_DTYPE(of(DType::int32) * 2.5, DType::float32);
  EXPECT_DTYPE(of(DType::float16) - 2.5, DType::float16);
  EXPECT_DTYPE(2.5 * of(DType::bfloat16), DType::bfloat16);
  EXPECT_DTYPE(of(DType::bool_) + 1, DType::int64);
  EXPECT_DTYPE(of(DType::bool_) + true, DType::bool_);
  EXPECT_DTYPE(of(DType::bool_) * 0.5, DType::float32);
  EXPECT_DTYPE(of(DType::float64) + 1, DType::float64);
  EXPECT_DTYPE(of(DType::int64) / 2, DType::float32);
  EXPECT_DTYPE(of(DType::float16) / 2, DType::float16);
  EXPECT_DTYPE(of(DType::int32) < 2.5, DType::bool_);
  EXPECT_DTYPE(where(of(DType::bool_), 1, 2.5), DType::float32);
  EXPECT_DTYPE(where(of(DType::bool_), 1, 2), DType::int64);
  EXPECT_DTYPE(where(of(DType::bool_), of(DType::float16), 2.5), DType::float16);
  EXPECT_DTYPE(clamp(of(DType::int32), 0.5, 2), DType::float32);
  EXPECT_DTYPE(clamp_min(of(DType::uint8), 1), DType::uint8);
  EXPECT_DTYPE(pow(of(DType::int32), 0.5), DType::float32);
  EXPECT_DTYPE(pow(2, of(DType::float16)), DType::float16);
}

TEST(OperatorPromotion, TensorsOfRankZeroYieldWithinAKind) {
  EXPECT_DTYPE(of(DType::float16) + of_rank_zero(DType::float64), DType::float16);
  EXPECT_DTYPE(of(DType::int32) + of_rank_zero(DType::int64), DType::int32);
  EXPECT_DTYPE(of(DType::int32) + of_rank_zero(DType::float64), DType::float64);
  EXPECT_DTYPE(of_rank_zero(DType::float32) + of_rank_zero(DType::float64), DType::float64);
}

TEST(OperatorPromotion, NamedTypes) {
  EXPECT_DTYPE(sum(of(DType::float32), {}, false, DType::float64), DType::float64);
  EXPECT_DTYPE(sum(of(DType::float32), {}, false, DType::int32), DType::int32);
  EXPECT_DTYPE(prod(of(DType::bool_), {}, false, DType::uint8), DType::uint8);
  EXPECT_DTYPE(mean(of(DType::int64), {}, false, DType::float16), DType::float16);
  EXPECT_DTYPE(cumsum(of(DType::uint8), 0, DType::float32), DType::float32);
  // Converted first: the halves are gone before they are added.
  EXPECT_EQ(sum(full({4}, 1.5), {}, false, DType::int64).item<std::int64_t>(), 4);
}

/// In PyTorch a number takes the tensor's type with its low bits, also before a comparison.
TEST(OperatorPromotion, IntegersThatDoNotFitWrap) {
  EXPECT_EQ((of(DType::uint8) + 300)[0].item<int>(), 45);
  EXPECT_EQ((of(DType::uint8) + -2)[0].item<int>(), 255);
  EXPECT_TRUE((full({1}, 44, cpu(), DType::uint8) == 300).item<bool>());
  EXPECT_EQ((of(DType::int32) + (std::int64_t{1} << 32))[0].item<int>(), 1);
  EXPECT_EQ((of(DType::float16) + 1e6)[0].item<float>(), std::numeric_limits<float>::infinity());
}

/// Nothing passes through double on the way.
TEST(OperatorPromotion, LargeIntegersAreExact) {
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  const Tensor x = full({1}, large);
  EXPECT_EQ(x.item<std::int64_t>(), large);
  EXPECT_EQ((x + 1).item<std::int64_t>(), large + 1);
  EXPECT_TRUE((x == large).item<bool>());
  EXPECT_FALSE((x == large - 1).item<bool>());
  EXPECT_EQ(sum(x).item<std::int64_t>(), large);
  EXPECT_EQ(max(x).item<std::int64_t>(), large);
  EXPECT_EQ((x + x).item<std::int64_t>(), std::numeric_limits<std::int64_t>::min() + 2);
}

TEST(OperatorPromotion, InPlaceResultsMustFitTheLeftSide) {
  Tensor x = ones({2}, cpu(), DType::int32);
  x += 2;
  EXPECT_EQ(x.to_vector<std::int32_t>(), (std::vector<std::int32_t>{3, 3}));
  EXPECT_THROW(x += 0.5, DTypeError);
  EXPECT_THROW(x /= 2, DTypeError);
  EXPECT_THROW(x += ones({3, 2}, cpu(), DType::int32), ShapeError);
}

}  // namespace
}  // namespace stretto
