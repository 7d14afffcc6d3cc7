#include <string>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/core/dtype.h>

#include "core/expect_error.h"

namespace stretto {
namespace {

constexpr DType all[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                         DType::int32,   DType::int64,   DType::uint8,   DType::bool_};

TEST(DType, NamesReadBack) {
  for (const DType dtype : all) EXPECT_EQ(parse_dtype(name(dtype)), dtype);
  EXPECT_EQ(name(DType::float32), "float32");
  EXPECT_EQ(name(DType::bool_), "bool");
}

TEST(DType, UnknownNameListsTheNames) {
  EXPECT_ERROR(parse_dtype("float"), DTypeError,
               "unknown dtype \"float\": write one of float32, float64, float16, bfloat16, int32, int64, uint8, bool");
}

TEST(DType, VisitGivesTheCppType) {
  for (const DType dtype : all) {
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      EXPECT_EQ(dtype_of<T>(), dtype);
      EXPECT_EQ(sizeof(T), item_size(dtype));
      EXPECT_EQ(is_floating(dtype), std::is_floating_point_v<T> || sizeof(T) == 2);
      EXPECT_EQ(is_integral(dtype), (std::is_integral_v<T> && !std::is_same_v<T, bool>));
    });
  }
}

}  // namespace
}  // namespace stretto
