#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/core/scalar.h>

#include "core/expect_error.h"

namespace stretto {
namespace {

TEST(Scalar, KindsOfCppNumbers) {
  EXPECT_EQ(Scalar(true).dtype(), DType::bool_);
  EXPECT_EQ(Scalar(1).dtype(), DType::int64);
  EXPECT_EQ(Scalar(std::uint8_t{1}).dtype(), DType::int64);
  EXPECT_EQ(Scalar(1.0f).dtype(), DType::float64);
  EXPECT_EQ(Scalar(Float16(1.0f)).dtype(), DType::float64);
}

TEST(Scalar, Converts) {
  EXPECT_EQ(Scalar(3).to<float>(), 3.0f);
  EXPECT_EQ(Scalar(-2.7).to<std::int32_t>(), -2);
  EXPECT_EQ(Scalar(255.9).to<std::uint8_t>(), 255);
  EXPECT_EQ(Scalar(-0.9).to<std::uint8_t>(), 0);
  EXPECT_TRUE(Scalar(0.5).to<bool>());
  EXPECT_FALSE(Scalar(0).to<bool>());
  EXPECT_EQ(Scalar(true).to<double>(), 1.0);
  EXPECT_TRUE(std::isinf(Scalar(1e300).to<float>()));
  EXPECT_EQ(static_cast<float>(Scalar(2049).to<Float16>()), 2048.0f);
  EXPECT_EQ(Scalar(std::numeric_limits<std::int64_t>::max()).to<std::int64_t>(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Scalar(-0x1p63).to<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
}

TEST(Scalar, SaysWhatDoesNotFit) {
  EXPECT_ERROR(Scalar(256).to<std::uint8_t>(), DTypeError, "256 cannot be represented as uint8");
  EXPECT_ERROR(Scalar(-1).to<std::uint8_t>(), DTypeError, "-1 cannot be represented as uint8");
  EXPECT_ERROR(Scalar(0x1p31).to<std::int32_t>(), DTypeError, "2147483648 cannot be represented as int32");
  EXPECT_ERROR(Scalar(0x1p63).to<std::int64_t>(), DTypeError, "9223372036854775808 cannot be represented as int64");
  EXPECT_ERROR(Scalar(std::nan("")).to<std::int32_t>(), DTypeError, "nan cannot be represented as int32");
  EXPECT_ERROR(Scalar(std::numeric_limits<std::uint64_t>::max()), DTypeError,
               "18446744073709551615 cannot be represented as int64");
}

TEST(Scalar, Text) {
  EXPECT_EQ(to_string(Scalar(true)), "true");
  EXPECT_EQ(to_string(Scalar(-3)), "-3");
  EXPECT_EQ(to_string(Scalar(0.1)), "0.1");
}

}  // namespace
}  // namespace stretto
