#include <stretto/base/error.h>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace stretto {
namespace {

TEST(Error, IsItsMessageWithoutContext) {
  const ShapeError error("shapes (2, 3) and (4, 5) do not match");
  EXPECT_STREQ(error.what(), "shapes (2, 3) and (4, 5) do not match");
  EXPECT_TRUE(error.operation().empty());
  EXPECT_FALSE(error.site().known());
}

TEST(Error, NamesOperationAndLine) {
  ShapeError error("shapes (2, 3) and (4, 5) do not match");
  error.with_context("matmul", CallSite("/home/someone/program.cpp", "main", 42));
  EXPECT_STREQ(error.what(), "[matmul] shapes (2, 3) and (4, 5) do not match (at program.cpp:42)");
  EXPECT_STREQ(error.message(), "shapes (2, 3) and (4, 5) do not match");
}

TEST(Error, OutermostContextWinsAndIsAddedOnce) {
  Error error("inner", "no such thing", CallSite("library.cpp", "inner", 7));
  error.with_context("softmax", CallSite("program.cpp", "main", 9));
  EXPECT_STREQ(error.what(), "[softmax] no such thing (at program.cpp:9)");
}

TEST(Error, NamesTheOperands) {
  IndexError error("gather", "index 7 is out of range", CallSite("program.cpp", "main", 3));
  error.with_operands("(3,4) float32, (2,) int64");
  error.with_operands("");
  EXPECT_STREQ(error.what(), "[gather] index 7 is out of range, with (3,4) float32, (2,) int64 (at program.cpp:3)");
  EXPECT_STREQ(error.message(), "index 7 is out of range");
}

TEST(Error, EmptyContextLeavesWhatIsThere) {
  Error error("add", "no such thing", CallSite("program.cpp", "main", 9));
  error.with_context("", CallSite());
  EXPECT_STREQ(error.what(), "[add] no such thing (at program.cpp:9)");
}

TEST(Error, RethrowKeepsTheKindAndTheContext) {
  const auto outer = [] {
    try {
      throw IndexError("index 5 is outside 0..4");
    } catch (Error& error) {
      error.with_context("gather", CallSite("program.cpp", "main", 3));
      throw;
    }
  };
  try {
    outer();
    FAIL() << "nothing was thrown";
  } catch (const IndexError& error) {
    EXPECT_STREQ(error.what(), "[gather] index 5 is outside 0..4 (at program.cpp:3)");
  }
}

}  // namespace
}  // namespace stretto
