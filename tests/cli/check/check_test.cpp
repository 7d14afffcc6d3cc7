#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/run_command.h"

namespace {

TEST(Check, RefusesWhatMakesNoSense) {
  const auto errors = [](const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output, "");
    return result.errors;
  };
  EXPECT_EQ(errors({"check", "--device", "gpu"}), "stretto: unknown device \"gpu\": write cpu:N, cuda:N or sim:N\n");
  EXPECT_EQ(errors({"check", "--device", "sim:7"}),
            "stretto: there is no device sim:7 here; there is cpu:0, cpu:1, sim:0, sim:1\n");
  EXPECT_EQ(errors({"check", "--second", "3"}), "stretto: unknown option --second of check; did you mean --seconds?\n");
  EXPECT_EQ(errors({"check", "seed"}), "stretto: check takes no argument seed\n");
  EXPECT_EQ(errors({"check", "--seconds", "-1"}), "stretto: --seconds: it must be more than 0 seconds, not -1\n");
  EXPECT_EQ(errors({"check", "--seed", "x"}),
            "stretto: --seed: it must be a whole number from 0 to 18446744073709551615, not x\n");
  EXPECT_EQ(errors({"check", "--shrink", "-1"}), "stretto: --shrink: it must be 0 seconds or more, not -1\n");
}

TEST(Check, CountsProgramsAndEdges) {
  const TemporaryFolder folder;
  const CommandResult result =
      run_command({"check", "--seconds", "2", "--device", "cpu:0", "--json", folder.path("check.json")});
  EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_EQ(result.errors, "");
  const auto document = nlohmann::json::parse(std::ifstream(folder.path("check.json")));
  std::vector<std::string> names;
  for (const auto& figure : document["results"]) {
    EXPECT_GT(figure["value"], 0) << figure["name"];
    names.push_back(figure["name"]);
  }
  // One CPU device has no other kinds of edges.
  EXPECT_EQ(names,
            (std::vector<std::string>{"check.programs", "check.tasks", "check.edges.read_after_write.cpu_to_cpu",
                                      "check.edges.write_after_read.cpu_to_cpu",
                                      "check.edges.write_after_write.cpu_to_cpu", "check.edges.host_read.cpu_to_cpu"}));
}

TEST(Check, SaysWhichKindsOfEdgesAShortRunMissed) {
  // One program.
  const CommandResult result = run_command({"check", "--seconds", "0.000001", "--seed", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "1 programs, ")) << result.output;
  EXPECT_TRUE(contains(result.output, "nothing ever waited in these ways: ")) << result.output;
}

TEST(Check, FindsAWrongOperatorAndMakesTheProgramShort) {
  // In this program the wrong value is looked at without a chain of statements between, of which none could be dropped.
  const CommandResult result = run_command({"check", "--seed", "200", "--seconds", "60", "--device", "cpu:0", "--wrong",
                                            "check::drawn_integers(n3, {n0}, d0, t0)"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(contains(result.errors, "stretto: seed ")) << result.errors;
  EXPECT_TRUE(contains(result.errors, " of cpu:0 goes wrong: statement ")) << result.errors;
  EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  const std::string main = result.output.substr(result.output.find("int main"));
  EXPECT_TRUE(contains(main, "check::drawn_integers(")) << main;
  // Something that is wrong, and something that sees it; the rest is the frame.
  std::istringstream lines(main);
  int statements = 0;
  for (std::string line; std::getline(lines, line);) statements += contains(line, "= Tensor()") ? 0 : 1;
  EXPECT_LE(statements, 11) << main;
}

/// What a process that plays programs tells of the first statements of one, under a deterministic schedule.
std::string played(const std::string& program, const std::string& schedule) {
  std::string line = program + " " + schedule;
  for (int number = 0; number < 10; ++number) line += " " + std::to_string(number);
  const TemporaryFolder folder;
  std::ofstream(folder.path("programs")) << line << "\n" << line << "\n";
  const CommandResult result = run_command(
      {"helper", "check", "--device", "cpu:0", "--device", "sim:0", "--device", "sim:1"},
      {"STRETTO_SCHEDULE=deterministic:1", "STRETTO_SIM_DEVICES=2", "STRETTO_WORKERS=4"}, folder.path("programs"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return result.output;
}

TEST(Check, ADeterministicScheduleGivesTheSameRunAgain) {
  const std::string first = played("24", "25");
  EXPECT_TRUE(contains(first, "\"decisions\":")) << first;
  EXPECT_EQ(played("24", "25"), first);
  EXPECT_NE(played("24", "26"), first);
}

TEST(Check, NoticesWhatIsBrokenInTheEngine) {
  // Seeds that show it, which others do later: which seed it is makes the test short, no more.
  using Broken = std::pair<std::string_view, const char*>;
  for (const auto& [mutation, seed] :
       {Broken{"box_intersection", "9"}, Broken{"template_edge", "27"}, Broken{"template_argument", "49"}}) {
    const CommandResult result = run_command({"check", "--seconds", "60", "--seed", seed, "--shrink", "0"},
                                             {"STRETTO_MUTATION=" + std::string(mutation)});
    EXPECT_EQ(result.exit_code, 1) << mutation << ": " << result.output;
    EXPECT_TRUE(contains(result.errors, " goes wrong: ")) << mutation << ": " << result.errors;
    // What is wrong with replays shows where there are some.
    if (!mutation.starts_with("template")) continue;
    EXPECT_TRUE(contains(result.output, "  check::Function f0([&](const Tensor& a, const Tensor& b) -> Tensor {\n"))
        << result.output;
  }
}

}  // namespace
