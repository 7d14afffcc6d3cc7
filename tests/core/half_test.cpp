#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>
#include <stretto/core/half.h>

namespace stretto {
namespace {

template <class Half>
class HalfTest : public testing::Test {};
using Halves = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfTest, Halves);

template <class Half>
constexpr int infinity_bits = std::numeric_limits<Half>::infinity().bits();

TYPED_TEST(HalfTest, EveryValueSurvivesFloatAndDouble) {
  for (int bits = 0; bits <= 0xffff; ++bits) {
    const TypeParam half = TypeParam::from_bits(static_cast<std::uint16_t>(bits));
    const float wide = half;
    if ((bits & 0x7fff) > infinity_bits<TypeParam>) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(wide))));
      EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(static_cast<double>(wide)))));
    } else {
      ASSERT_EQ(TypeParam(wide).bits(), bits);
      ASSERT_EQ(TypeParam(static_cast<double>(wide)).bits(), bits);
    }
  }
}

/// Between each two neighbours: the middle goes to the even one, anything nearer to one goes there.
TYPED_TEST(HalfTest, RoundsOnceToNearestEven) {
  for (int bits = 0; bits < infinity_bits<TypeParam>; ++bits) {
    const double low = static_cast<float>(TypeParam::from_bits(static_cast<std::uint16_t>(bits)));
    // Beyond the largest value the next step of the same size would be a power of two: the edge of infinity.
    const double step = bits + 1 < infinity_bits<TypeParam>
                            ? static_cast<float>(TypeParam::from_bits(static_cast<std::uint16_t>(bits + 1))) - low
                            : low - static_cast<float>(TypeParam::from_bits(static_cast<std::uint16_t>(bits - 1)));
    const double middle = low + step / 2;
    const int even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(TypeParam(middle).bits(), even);
    ASSERT_EQ(TypeParam(-middle).bits(), even | 0x8000);
    ASSERT_EQ(TypeParam(std::nextafter(middle, 0.0)).bits(), bits);
    ASSERT_EQ(TypeParam(std::nextafter(middle, HUGE_VAL)).bits(), bits + 1);
    const float narrow = static_cast<float>(middle);
    ASSERT_EQ(narrow, middle);
    ASSERT_EQ(TypeParam(narrow).bits(), even);
    ASSERT_EQ(TypeParam(-narrow).bits(), even | 0x8000);
    ASSERT_EQ(TypeParam(std::nextafter(narrow, 0.0f)).bits(), bits);
    ASSERT_EQ(TypeParam(std::nextafter(narrow, HUGE_VALF)).bits(), bits + 1);
  }
}

TYPED_TEST(HalfTest, ExtremesOfTheSource) {
  EXPECT_EQ(TypeParam(1e300).bits(), infinity_bits<TypeParam>);
  EXPECT_EQ(TypeParam(-HUGE_VAL).bits(), infinity_bits<TypeParam> | 0x8000);
  EXPECT_EQ(TypeParam(std::numeric_limits<double>::denorm_min()).bits(), 0);
  EXPECT_EQ(TypeParam(-0.0).bits(), 0x8000);
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::max()).bits(), infinity_bits<TypeParam>);
  EXPECT_EQ(TypeParam(std::numeric_limits<float>::denorm_min()).bits(), 0);
}

TYPED_TEST(HalfTest, Limits) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam one(1);
  EXPECT_EQ(static_cast<float>(Limits::epsilon()),
            static_cast<float>(TypeParam::from_bits(static_cast<std::uint16_t>(one.bits() + 1))) - 1.0f);
  EXPECT_EQ(static_cast<float>(Limits::round_error()), 0.5f);
  EXPECT_EQ(static_cast<float>(Limits::min()), std::ldexp(1.0f, Limits::min_exponent - 1));
  EXPECT_EQ(static_cast<float>(Limits::max()),
            std::ldexp(2.0f - static_cast<float>(Limits::epsilon()), Limits::max_exponent - 1));
  EXPECT_EQ(static_cast<float>(Limits::lowest()), -static_cast<float>(Limits::max()));
  EXPECT_TRUE(std::isinf(static_cast<float>(Limits::infinity())));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
}

TEST(HalfLimits, DecimalDigits) {
  EXPECT_EQ(std::numeric_limits<Float16>::digits10, 3);
  EXPECT_EQ(std::numeric_limits<Float16>::max_digits10, 5);
  EXPECT_EQ(std::numeric_limits<Float16>::max_exponent10, 4);
  EXPECT_EQ(std::numeric_limits<Float16>::min_exponent10, -4);
  EXPECT_EQ(std::numeric_limits<BFloat16>::digits10, 2);
  EXPECT_EQ(std::numeric_limits<BFloat16>::max_digits10, 4);
  EXPECT_EQ(std::numeric_limits<BFloat16>::max_exponent10, 38);
  EXPECT_EQ(std::numeric_limits<BFloat16>::min_exponent10, -37);
}

TEST(Half, IntegersRoundOnce) {
  EXPECT_EQ(static_cast<float>(Float16(2049)), 2048.0f);
  EXPECT_EQ(static_cast<float>(Float16(2051)), 2052.0f);
  EXPECT_EQ(static_cast<float>(Float16(-2051)), -2052.0f);
  EXPECT_EQ(static_cast<float>(Float16(true)), 1.0f);
  // Just above the middle of two bfloat16 neighbours, by less than a double can tell.
  const std::int64_t above_middle = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
  EXPECT_EQ(static_cast<float>(BFloat16(above_middle)), std::ldexp(129.0f, 55));
  EXPECT_EQ(static_cast<float>(BFloat16(-above_middle)), -std::ldexp(129.0f, 55));
  EXPECT_EQ(static_cast<float>(BFloat16(above_middle - 1)), std::ldexp(1.0f, 62));
  EXPECT_EQ(static_cast<float>(BFloat16(std::numeric_limits<std::int64_t>::min())), -std::ldexp(1.0f, 63));
}

static_assert(Float16(1.5f).bits() == 0x3e00);
static_assert(BFloat16(1.5).bits() == 0x3fc0);

}  // namespace
}  // namespace stretto
