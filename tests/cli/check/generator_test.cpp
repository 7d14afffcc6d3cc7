#include "cli/check/generator.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "cli/check/printer.h"
#include "cli/check/program_model.h"
#include "cli/check/runner.h"

namespace stretto::cli {
namespace {

const std::vector<Device> devices_of_programs = {Device(DeviceKind::cpu, 0), Device(DeviceKind::cpu, 1),
                                                 Device(DeviceKind::sim, 0), Device(DeviceKind::sim, 1)};

void use_devices() {
  setenv("STRETTO_CPU_DEVICES", "2", 1);
  setenv("STRETTO_SIM_DEVICES", "2", 1);
}

TEST(Generator, MakesOneProgramOfASeed) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Program program = generate_program(seed, devices_of_programs);
    EXPECT_EQ(program, generate_program(seed, devices_of_programs));
    EXPECT_NE(program.statements, generate_program(seed + 1, devices_of_programs).statements);
  }
}

TEST(Generator, UsesEveryRow) {
  std::set<int> seen;
  const auto rows = statement_rows();
  for (std::uint64_t seed = 0; seed < 3000 && seen.size() < rows.size(); ++seed) {
    for (const Statement& statement : generate_program(seed, devices_of_programs).statements)
      seen.insert(statement.row);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_TRUE(seen.contains(static_cast<int>(row))) << rows[row].text;
  }
}

TEST(ProgramModel, KeepsProgramsRightWhenStatementsAreDropped) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program = generate_program(seed, devices_of_programs);
    EXPECT_EQ(repaired(program), program);
    std::erase_if(program.statements, [](const Statement& statement) { return statement.number % 3 == 0; });
    const Program right = repaired(program);
    EXPECT_EQ(repaired(right), right);
  }
}

/// What the model says of shapes is what the library gives, and no call of a program throws.
TEST(ProgramModel, KnowsWhatStatementsGive) {
  use_devices();
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Program program = generate_program(seed, devices_of_programs);
    const std::vector<std::string> lines = run_program(program);
    ProgramModel model(program.variables, program.threads);
    for (const Statement& statement : program.statements) {
      ASSERT_TRUE(model.accept(statement));
      const std::string& line = lines[static_cast<std::size_t>(statement.number)];
      EXPECT_FALSE(line.starts_with("threw")) << "seed " << seed << ": " << to_text(program, statement) << ": " << line;
      if (statement.row != see_row() || line.starts_with("[")) continue;
      const std::string shape = to_string(model.variable(statement.x[0]).shape());
      EXPECT_TRUE(line.ends_with(" " + shape))
          << "seed " << seed << ": " << to_text(program, statement) << ": " << line;
    }
  }
}

}  // namespace
}  // namespace stretto::cli
