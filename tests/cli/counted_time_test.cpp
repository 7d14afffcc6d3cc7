// What `stretto bench` predicts for two devices with the speeds of an H200, in counted time: the figures that the
// engine must reach, and that it would not if it waited for too much.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_command.h"

namespace {

using Figures = std::map<std::string, double>;

/// The figures of the chapter's program: products of 4000 x 4000 on each device, and their copies to the CPU. So many
/// of them that the last copy, which has nothing beside it, is not too much of the whole.
Figures figures(const std::vector<std::string>& names, const std::vector<std::string>& settings, int count = 30) {
  std::vector<std::string> arguments = {"bench"};
  arguments.insert(arguments.end(), names.begin(), names.end());
  const TemporaryFolder folder;
  const std::string file = folder.path("figures.json"), products = std::to_string(count);
  for (const char* argument : {"--device", "sim:0", "--device", "sim:1", "--size", "4000", "--count", products.c_str(),
                               "--repeat", "1", "--json", file.c_str()})
    arguments.emplace_back(argument);
  std::vector<std::string> environment = {"STRETTO_SCHEDULE=deterministic:0", "STRETTO_SIM_DEVICES=2",
                                          "STRETTO_SIM_MODEL=h200,dry,capacity=100G", "STRETTO_LOG=error"};
  environment.insert(environment.end(), settings.begin(), settings.end());
  const CommandResult result = run_command(arguments, environment);
  EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
  Figures found;
  std::ifstream stream(file);
  if (!stream) return found;
  const nlohmann::json file_of_figures = nlohmann::json::parse(stream);
  for (const auto& figure : file_of_figures.at("results")) found[figure.at("name")] = figure.at("value");
  return found;
}

constexpr double most_parallel = 1.01, most_overlap = 1.02, most_into_ordinary_memory = 1.05, most_overlap_all = 1.05;
/// Enough for what is missed by much.
constexpr int few = 10;

const std::string locked = "STRETTO_PINNED_LIMIT=50G", ordinary = "STRETTO_PINNED_LIMIT=1";

TEST(CountedTime, DevicesWorkAtTheSameTimeAndCopiesBesideThem) {
  Figures found = figures({"parallel", "overlap.ratio", "overlap.all"}, {locked});
  EXPECT_GE(found["parallel.ratio"], 1);
  EXPECT_LE(found["parallel.ratio"], most_parallel);
  EXPECT_GE(found["overlap.ratio.sim:0"], 1);
  EXPECT_LE(found["overlap.ratio.sim:0"], most_overlap);
  EXPECT_GE(found["overlap.all"], 1);
  EXPECT_LE(found["overlap.all"], most_overlap_all);
}

TEST(CountedTime, CopiesIntoOrdinaryMemoryGoOnBesideProducts) {
  Figures found = figures({"overlap.ratio", "overlap.all"}, {ordinary});
  EXPECT_GE(found["overlap.ratio.sim:0"], 1);
  EXPECT_LE(found["overlap.ratio.sim:0"], most_into_ordinary_memory);
  EXPECT_GE(found["overlap.all"], 1);
  EXPECT_LE(found["overlap.all"], most_overlap_all);
}

TEST(CountedTime, AnEventThatIsRecordedLateIsSeen) {
  Figures found = figures({"overlap.ratio"}, {locked, "STRETTO_MUTATION=late_event"}, few);
  EXPECT_GT(found["overlap.ratio.sim:0"], most_overlap);
}

TEST(CountedTime, OneLaneForAllIsSeen) {
  Figures found = figures({"parallel", "overlap.ratio"}, {locked, "STRETTO_MUTATION=one_lane"}, few);
  EXPECT_GT(found["parallel.ratio"], most_parallel);
  EXPECT_GT(found["overlap.ratio.sim:0"], most_overlap);
}

}  // namespace
