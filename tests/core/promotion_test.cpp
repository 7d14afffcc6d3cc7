#include <gtest/gtest.h>
#include <stretto/core/promotion.h>

namespace stretto {
namespace {

constexpr DType b1 = DType::bool_, u1 = DType::uint8, i4 = DType::int32, i8 = DType::int64, f2 = DType::float16,
                bf = DType::bfloat16, f4 = DType::float32, f8 = DType::float64;

/// PyTorch's table of `promote_types`, for the types there are here.
TEST(Promotion, TableOfPairs) {
  constexpr DType types[] = {b1, u1, i4, i8, f2, bf, f4, f8};
  constexpr DType expected[8][8] = {
      {b1, u1, i4, i8, f2, bf, f4, f8},  // bool
      {u1, u1, i4, i8, f2, bf, f4, f8},  // uint8
      {i4, i4, i4, i8, f2, bf, f4, f8},  // int32
      {i8, i8, i8, i8, f2, bf, f4, f8},  // int64
      {f2, f2, f2, f2, f2, f4, f4, f8},  // float16
      {bf, bf, bf, bf, f4, bf, f4, f8},  // bfloat16
      {f4, f4, f4, f4, f4, f4, f4, f8},  // float32
      {f8, f8, f8, f8, f8, f8, f8, f8},  // float64
  };
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(promote(types[i], types[j]), expected[i][j]) << name(types[i]) << " and " << name(types[j]);
    }
  }
}

PromotionOperand dimensioned(DType dtype) { return PromotionOperand::tensor(dtype, 2); }
PromotionOperand zero_rank(DType dtype) { return PromotionOperand::tensor(dtype, 0); }
PromotionOperand scalar(const Scalar& value) { return PromotionOperand::scalar(value); }

TEST(Promotion, ScalarsAreWeak) {
  EXPECT_EQ(result_type({dimensioned(i4), scalar(2.5)}), f4);
  EXPECT_EQ(result_type({dimensioned(i8), scalar(2.5)}), f4);
  EXPECT_EQ(result_type({dimensioned(b1), scalar(2.5)}), f4);
  EXPECT_EQ(result_type({dimensioned(b1), scalar(1)}), i8);
  EXPECT_EQ(result_type({dimensioned(b1), scalar(true)}), b1);
  EXPECT_EQ(result_type({dimensioned(u1), scalar(3)}), u1);
  EXPECT_EQ(result_type({scalar(3), dimensioned(u1)}), u1);
  EXPECT_EQ(result_type({dimensioned(f2), scalar(2.5)}), f2);
  EXPECT_EQ(result_type({dimensioned(f8), scalar(1)}), f8);
  EXPECT_EQ(result_type({zero_rank(u1), scalar(3)}), u1);
  EXPECT_EQ(result_type({zero_rank(i4), scalar(2.5)}), f4);
  EXPECT_EQ(result_type({zero_rank(bf), scalar(2.5)}), bf);
  EXPECT_EQ(result_type({scalar(1), scalar(2.5)}), f4);
  EXPECT_EQ(result_type({scalar(true), scalar(2)}), i8);
}

TEST(Promotion, TensorsOfRankZeroYieldWithinAKind) {
  EXPECT_EQ(result_type({dimensioned(f2), zero_rank(f8)}), f2);
  EXPECT_EQ(result_type({dimensioned(f4), zero_rank(f8)}), f4);
  EXPECT_EQ(result_type({dimensioned(i4), zero_rank(i8)}), i4);
  EXPECT_EQ(result_type({dimensioned(u1), zero_rank(i8)}), u1);
  EXPECT_EQ(result_type({dimensioned(i4), zero_rank(f8)}), f8);
  EXPECT_EQ(result_type({dimensioned(i4), zero_rank(f2)}), f2);
  EXPECT_EQ(result_type({dimensioned(b1), zero_rank(i4)}), i4);
  EXPECT_EQ(result_type({dimensioned(f2), zero_rank(i8)}), f2);
}

TEST(Promotion, WithinAGroupTheTablePromotes) {
  EXPECT_EQ(result_type({dimensioned(f2), dimensioned(bf)}), f4);
  EXPECT_EQ(result_type({zero_rank(f2), zero_rank(bf)}), f4);
  EXPECT_EQ(result_type({zero_rank(f4), zero_rank(f8)}), f8);
  EXPECT_EQ(result_type({dimensioned(u1), dimensioned(i4), zero_rank(i8), scalar(1)}), i4);
  EXPECT_EQ(result_type({dimensioned(u1), zero_rank(i8), scalar(1.5)}), f4);
  EXPECT_EQ(result_type({dimensioned(u1), zero_rank(f2), scalar(1.5)}), f2);
  EXPECT_EQ(result_type({dimensioned(i8)}), i8);
}

}  // namespace
}  // namespace stretto
