#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "cli/nearest.h"
#include "cli/results.h"

namespace stretto::cli {
namespace {

TEST(Results, AreMediansWithTheLeastAndTheLargest) {
  const Result odd = summarise("a", "s", {3, 1, 2});
  EXPECT_EQ(odd.value, 2);
  EXPECT_EQ(odd.minimum, 1);
  EXPECT_EQ(odd.maximum, 3);
  EXPECT_EQ(summarise("b", "s", {4, 1, 2, 3}).value, 2.5);
  EXPECT_EQ(summarise("c", "s", {7}).value, 7);
}

TEST(Results, SayAtOnceThatTheyCannotBeWritten) {
  EXPECT_THROW(ResultFile("/nowhere/at/all"), FileError);
  EXPECT_NO_THROW(ResultFile(""));
}

TEST(Nearest, IsTheFewestEditsAway) {
  const std::vector<std::string> names = {"info", "demo", "bench", "train"};
  EXPECT_EQ(nearest("bnech", names), "bench");
  EXPECT_EQ(nearest("trian", names), "train");
  EXPECT_EQ(nearest("inf", names), "info");
  EXPECT_EQ(nearest("", names), "info");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace stretto::cli
