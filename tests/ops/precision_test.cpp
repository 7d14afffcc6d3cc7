// How precisely products of float32 are computed.

#include <string>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

class MatmulPrecision : public testing::Test {
 protected:
  ~MatmulPrecision() override { set_float32_matmul_precision("highest"); }
};

TEST_F(MatmulPrecision, IsTheHighestUntilSomebodySaysOtherwise) {
  EXPECT_EQ(float32_matmul_precision(), "highest");
  set_float32_matmul_precision("high");
  EXPECT_EQ(float32_matmul_precision(), "high");
  set_float32_matmul_precision("highest");
  EXPECT_EQ(float32_matmul_precision(), "highest");
}

TEST_F(MatmulPrecision, MakesNoDifferenceOnTheCpu) {
  const Tensor x = uniform({33, 65}), y = uniform({65, 17});
  const Tensor highest = matmul(x, y);
  set_float32_matmul_precision("high");
  EXPECT_EQ(matmul(x, y).to_vector<float>(), highest.to_vector<float>());
}

TEST_F(MatmulPrecision, IsOneOfTwoWords) {
  try {
    set_float32_matmul_precision("medium");
    FAIL() << "nothing is thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "set_float32_matmul_precision takes \"highest\" or \"high\", not \"medium\"");
  }
  EXPECT_EQ(float32_matmul_precision(), "highest");
}

}  // namespace
}  // namespace stretto
