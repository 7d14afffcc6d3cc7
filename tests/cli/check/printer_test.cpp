#include "cli/check/printer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/check/generator.h"
#include "cli/run_command.h"

namespace stretto::cli {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  for (std::size_t count = 0; (count = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    output.append(part.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

/// tests/printed/program.cpp says how it is made anew.
TEST(Printer, WritesTheProgramThatIsCompiled) {
  std::ifstream file(std::string(STRETTO_SOURCE_FOLDER) + "/tests/printed/program.cpp");
  std::ostringstream text;
  text << file.rdbuf();
  const CommandResult printed = run_command({"helper", "check-source", "126", "--device", "cpu:0", "--device", "cpu:1",
                                             "--device", "sim:0", "--device", "sim:1"});
  EXPECT_EQ(printed.exit_code, 0) << printed.errors;
  EXPECT_EQ(printed.output, text.str());
}

TEST(Printer, WritesAProgramThatSeesWhatTheCheckerSees) {
  const std::string settings = "STRETTO_CPU_DEVICES=2 STRETTO_SIM_DEVICES=2 ";
  const std::string serial = output_of(settings + "STRETTO_ENGINE=serial " STRETTO_PRINTED_PROGRAM);
  EXPECT_NE(serial, "");
  EXPECT_EQ(output_of(settings + "STRETTO_STREAMS=1 " STRETTO_PRINTED_PROGRAM), serial);
}

/// That process has done nothing before, either: so what the checker saw go wrong goes wrong in the printed program.
TEST(Printer, WritesAProgramThatTakesTheDecisionsThatTheCheckerSaw) {
  const std::vector<Device> devices = {Device(DeviceKind::cpu, 0), Device(DeviceKind::cpu, 1),
                                       Device(DeviceKind::sim, 0), Device(DeviceKind::sim, 1)};
  const Program program = generate_program(126, devices);
  ASSERT_GT(program.threads, 1);
  std::string line = fmt::format("{} {}", program.seed, program.schedule);
  for (const Statement& statement : program.statements) line += fmt::format(" {}", statement.number);
  const TemporaryFolder folder;
  std::ofstream(folder.path("program")) << line << "\n";
  const std::vector<std::string> settings = {"STRETTO_CPU_DEVICES=2", "STRETTO_SIM_DEVICES=2", "STRETTO_WORKERS=3",
                                             "STRETTO_STREAMS=2", "STRETTO_SCHEDULE=deterministic:7"};
  const CommandResult checked = run_command(
      {"helper", "check", "--device", "cpu:0", "--device", "cpu:1", "--device", "sim:0", "--device", "sim:1"}, settings,
      folder.path("program"));
  ASSERT_EQ(checked.exit_code, 0) << checked.errors;
  const auto decisions = nlohmann::json::parse(checked.output).at("decisions").get<std::uint64_t>();
  std::string command;
  for (const std::string& setting : settings) command += setting + " ";
  const std::string printed = output_of(command + STRETTO_PRINTED_PROGRAM " 2>&1 >/dev/null");
  EXPECT_EQ(printed, fmt::format("schedule {:016x}\n", decisions));
}

}  // namespace
}  // namespace stretto::cli
