#include "cli/check/printer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

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
  const CommandResult printed = run_command({"helper", "check-source", "25", "--device", "cpu:0", "--device", "cpu:1",
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

}  // namespace
}  // namespace stretto::cli
