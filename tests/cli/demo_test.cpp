#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_command.h"

namespace {

std::map<std::string, double> figures_in(const std::string& file) {
  std::map<std::string, double> figures;
  const auto document = nlohmann::json::parse(std::ifstream(file));
  for (const auto& figure : document["results"]) figures[figure["name"]] = figure["value"];
  return figures;
}

TEST(Demo, TrainsToTheWeightsOfTheSerialEngine) {
  const TemporaryFolder folder;
  folder.write_data_set(1000, 200);
  const CommandResult result = run_command(
      {"demo", "--quick", "--size", "64", "--count", "3", "--data", folder.path(), "--json", folder.path("demo.json")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_TRUE(contains(result.output, "the demo splits the CPU in two:")) << result.output;
  for (const char* row : {"cpu:0 alone", "cpu:1 alone", "both at once", "run ", "copy ", "run and copy", "epoch 1",
                          "with a wait before sending", "serial engine", "The first gradient was on cpu:0"}) {
    EXPECT_TRUE(contains(result.output, row)) << row << "\n" << result.output;
  }
  EXPECT_TRUE(contains(result.output, "equal bit for bit")) << result.output;
  EXPECT_FALSE(contains(result.output, "\033"));
  const auto figures = figures_in(folder.path("demo.json"));
  for (const char* name : {"demo.parallel.cpu:0", "demo.parallel.cpu:1", "demo.parallel.all", "demo.parallel.ratio",
                           "demo.overlap.run", "demo.overlap.copy", "demo.overlap.run_and_copy", "demo.overlap.ratio",
                           "demo.training.images", "demo.training.waiting_images", "demo.serial.parallel",
                           "demo.serial.run_and_copy", "demo.serial.images", "demo.training.loss"}) {
    EXPECT_GT(figures.at(name), 0) << name;
  }
  EXPECT_TRUE(figures.contains("demo.training.lead"));
}

TEST(Demo, SaysThatThereIsNoData) {
  const CommandResult result = run_command({"demo", "--data", "/nowhere"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(contains(result.errors, "there is no train-images-idx3-ubyte in /nowhere")) << result.errors;
}

TEST(Demo, NeedsTwoDevices) {
  const CommandResult result = run_command({"demo", "--cpu-devices", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "stretto: the demo needs two devices; --cpu-devices 2 splits the CPU\n");
}

TEST(Train, LearnsOnEveryKindOfDevice) {
  const TemporaryFolder folder;
  folder.write_data_set(1000, 200);
  for (const std::string device : {"cpu:0", "sim:1"}) {
    const CommandResult result = run_command({"train",           "fashion-mnist",
                                              "--data",          folder.path(),
                                              "--epochs",        "4",
                                              "--batch",         "64",
                                              "--hidden",        "32",
                                              "--learning-rate", "0.2",
                                              "--sim-devices",   "2",
                                              "--device",        device,
                                              "--device",        "sim:0",
                                              "--json",          folder.path("train.json")});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    EXPECT_GT(figures_in(folder.path("train.json")).at("train.accuracy"), 0.9) << result.output;
  }
}

TEST(Train, RefusesWhatCannotBe) {
  const TemporaryFolder folder;
  folder.write_data_set(20, 10);
  const CommandResult split =
      run_command({"train", "fashion-mnist", "--data", folder.path(), "--batch", "1", "--cpu-devices", "2"});
  EXPECT_EQ(split.exit_code, 2);
  EXPECT_TRUE(contains(split.errors, "a batch of 1 images cannot be split over 2 devices")) << split.errors;
  const CommandResult device = run_command({"train", "fashion-mnist", "--data", folder.path(), "--device", "cuda:9"});
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_EQ(device.errors, "stretto: there is no device cuda:9 here; there is cpu:0\n");
}

}  // namespace
