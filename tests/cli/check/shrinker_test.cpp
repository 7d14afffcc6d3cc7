#include "cli/check/shrinker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cli/check/generator.h"
#include "cli/check/program_model.h"

namespace stretto::cli {
namespace {

TEST(Shrinker, KeepsOnlyWhatTheFailureNeeds) {
  const std::vector<Device> devices = {Device(DeviceKind::cpu, 0)};
  const Program program = generate_program(5, devices);
  const Statement last = program.statements.back();
  ASSERT_EQ(last.row, see_row());
  const auto fails = [&](const Program& smaller) {
    return std::ranges::find(smaller.statements, last) != smaller.statements.end();
  };
  const Program smallest = shrink(program, 60, fails);
  EXPECT_TRUE(fails(smallest));
  EXPECT_LT(smallest.statements.size(), program.statements.size() / 2);
  for (std::size_t i = 0; i + 1 < smallest.statements.size(); ++i) {
    Program smaller = smallest;
    smaller.statements.erase(smaller.statements.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(fails(repaired(smaller))) << i;
  }
}

TEST(Shrinker, StopsWhenTheTimeIsOver) {
  const std::vector<Device> devices = {Device(DeviceKind::cpu, 0)};
  const Program program = generate_program(5, devices);
  EXPECT_EQ(shrink(program, 0, [](const Program&) { return true; }), program);
}

}  // namespace
}  // namespace stretto::cli
