#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_command.h"

namespace {

/// Wrong usage and failures: nothing on standard output, one line on standard error.
void expect_error(const CommandResult& result, int exit_code, const std::string& line) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "stretto: " + line + "\n");
}

TEST(CommandLine, SaysWhichVerbsThereAre) {
  expect_error(run_command({}), 2,
               "which verb? info, demo, bench, train, check, trace, graph (stretto --help says more)");
  expect_error(run_command({"train"}), 2, "train what? fashion-mnist");
}

TEST(CommandLine, NamesTheNearestVerb) {
  expect_error(run_command({"bnech"}), 2, "unknown verb bnech; did you mean bench?");
  expect_error(run_command({"dmeo", "--quick"}), 2, "unknown verb dmeo; did you mean demo?");
  expect_error(run_command({"train", "fashion"}), 2, "unknown argument fashion of train; did you mean fashion-mnist?");
  expect_error(run_command({"info", "please"}), 2, "info takes no argument please");
}

TEST(CommandLine, NamesTheNearestOption) {
  expect_error(run_command({"bench", "--sise", "4"}), 2, "unknown option --sise of bench; did you mean --size?");
  expect_error(run_command({"demo", "--quik"}), 2, "unknown option --quik of demo; did you mean --quick?");
  expect_error(run_command({"train", "fashion-mnist", "--epoch=3"}), 2,
               "unknown option --epoch of fashion-mnist; did you mean --epochs?");
  expect_error(run_command({"--verison"}), 2, "unknown option --verison; did you mean --version?");
}

TEST(CommandLine, RefusesValuesOutOfRangeInOneLine) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"bench", "--repeat", "0"},
                                                                     {"bench", "--size", "-3"},
                                                                     {"bench", "--count", "many"},
                                                                     {"bench", "--count", "0"},
                                                                     {"bench", "--size", "99999999999999999999"},
                                                                     {"check", "--seed", "-3"},
                                                                     {"check", "--seconds", "soon"},
                                                                     {"check", "--seconds", "-1"},
                                                                     {"demo", "--size", "1"},
                                                                     {"demo", "--count", "1.5"},
                                                                     {"demo", "--data"},
                                                                     {"info", "--cpu-devices", "0"},
                                                                     {"info", "--cpu-devices", "65"},
                                                                     {"info", "--sim-devices", "x"},
                                                                     {"bench", "--json"},
                                                                     {"demo", "--epochs", "0"}}) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments[1];
    EXPECT_EQ(result.output, "");
    EXPECT_TRUE(result.errors.starts_with("stretto: " + arguments[1].substr(0, arguments[1].find('='))))
        << result.errors;
    EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
  }
}

TEST(CommandLine, EveryVerbRefusesWhatItDoesNotKnowInOneLine) {
  const std::vector<std::vector<std::string>> verbs = {
      {"info"}, {"demo"}, {"bench"}, {"train", "fashion-mnist"}, {"check"}};
  const std::vector<std::vector<std::string>> wrong = {
      {"--nonsense"}, {"--json"}, {"--cpu-devices", "0"}, {"--sim-devices", "-1"}, {"nonsense"}};
  for (const auto& verb : verbs) {
    for (const auto& arguments : wrong) {
      std::vector<std::string> all = verb;
      all.insert(all.end(), arguments.begin(), arguments.end());
      const CommandResult result = run_command(all);
      EXPECT_EQ(result.exit_code, 2) << verb.back() << " " << arguments.front();
      EXPECT_EQ(result.output, "") << verb.back() << " " << arguments.front();
      EXPECT_TRUE(result.errors.starts_with("stretto: ")) << result.errors;
      EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors;
    }
  }
  expect_error(run_command({"demo", "--quick=3"}), 2, "quick was given a disallowed flag override");
  expect_error(run_command({"check", "--seed", "-3"}), 2,
               "--seed: it must be a whole number from 0 to 18446744073709551615, not -3");
  expect_error(run_command({"check", "--device", "tpu"}), 2, "unknown device \"tpu\": write cpu:N, cuda:N or sim:N");
}

TEST(CommandLine, TellsItsVersionAndHelps) {
  const CommandResult version = run_command({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(contains(version.output, "0.1.0")) << version.output;
  const CommandResult help = run_command({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_TRUE(contains(help.output, "demo"));
  EXPECT_FALSE(contains(help.output, "helper"));
}

TEST(CommandLine, RefusesABadEnvironment) {
  const CommandResult result = run_command({"info"}, {"STRETTO_ENGINE=fast"});
  expect_error(result, 2, "environment variable STRETTO_ENGINE=fast: the value must be parallel or serial");
  const CommandResult unknown = run_command({"info"}, {"STRETTO_WORKER=2"});
  EXPECT_EQ(unknown.exit_code, 0);
  EXPECT_TRUE(contains(unknown.errors, "STRETTO_WORKER is unknown; did you mean STRETTO_WORKERS?")) << unknown.errors;
}

TEST(CommandLine, SaysWhenTheFileCannotBeWritten) {
  expect_error(run_command({"info", "--json", "/nowhere/at/all"}), 1,
               "cannot write /nowhere/at/all: No such file or directory");
}

TEST(Info, ListsDevicesAndWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string file = folder.path("info.json");
  const CommandResult result = run_command({"info", "--cpu-devices", "2", "--sim-devices", "1", "--json", file});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* part : {"Stretto 0.1.0", "cpu:0", "cpu:1", "sim:0"})
    EXPECT_TRUE(contains(result.output, part)) << part;
  EXPECT_FALSE(contains(result.output, "\033"));

  const auto document = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(document["version"], "0.1.0");
  EXPECT_EQ(document["results"].size(), 0u);
  std::vector<std::string> names;
  for (const auto& device : document["machine"]["devices"]) names.push_back(device["name"]);
  EXPECT_TRUE(std::ranges::find(names, "cpu:1") != names.end());
  EXPECT_TRUE(std::ranges::find(names, "sim:0") != names.end());
}

}  // namespace
