#include "cli/training/shares.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <vector>

#include "cli/run_command.h"

namespace stretto::cli {
namespace {

using Images = std::vector<std::int64_t>;

TEST(Shares, OfEquallyFastDevicesAreEqual) {
  EXPECT_EQ(balanced({{1e-4, 1e-6}, {1e-4, 1e-6}}, 8192), (Images{4096, 4096}));
  EXPECT_EQ(balanced({{0, 1}}, 7), (Images{7}));
}

TEST(Shares, GoByWhatAnImageAndAnyPartTake) {
  EXPECT_EQ(balanced({{0, 1}, {0, 3}}, 400), (Images{300, 100}));
  // In 310 seconds the first does 310 images; the second begins 40 seconds later and does 90.
  EXPECT_EQ(balanced({{0, 1}, {40, 3}}, 400), (Images{310, 90}));
}

TEST(Shares, AreNothingWhereADeviceWouldOnlyHoldUpTheOthers) {
  EXPECT_EQ(balanced({{0, 1}, {500, 1}}, 400), (Images{400, 0}));
}

TEST(Shares, AddUpToTheBatch) {
  for (const std::int64_t batch : {2, 3, 255, 256, 60000}) {
    std::int64_t sum = 0;
    for (const std::int64_t images : balanced({{0, 1e-6}, {1e-5, 1.1e-6}, {1e-3, 6e-5}}, batch)) {
      EXPECT_GE(images, 0);
      sum += images;
    }
    EXPECT_EQ(sum, batch);
  }
}

class SharedTraining : public testing::Test {
 protected:
  SharedTraining() { folder_.write_data_set(1000, 200); }

  CommandResult train(const std::vector<std::string>& devices, const std::string& shares,
                      const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> arguments{"train", "fashion-mnist", "--data", folder_.path(), "--epochs", "2", "--batch",
                                       "64",    "--sim-devices", "2",      "--shares",     shares};
    for (const std::string& device : devices) arguments.insert(arguments.end(), {"--device", device});
    return run_command(arguments, environment);
  }
  /// The line that tells of the weights.
  static std::string weights(const CommandResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const std::size_t begin = result.output.find("weights: fingerprint");
    EXPECT_NE(begin, std::string::npos) << result.output;
    return result.output.substr(std::min(begin, result.output.size()));
  }

  TemporaryFolder folder_;
};

TEST_F(SharedTraining, ComesToTheWeightsOfTheSerialEngine) {
  const std::vector<std::string> devices{"sim:0", "sim:1", "cpu:0"};
  const CommandResult parallel = train(devices, "30,30,1");
  EXPECT_NE(parallel.output.find("of each batch 31 on sim:0, 31 on sim:1, 2 on cpu:0: --shares 30,30,1\n"),
            std::string::npos)
      << parallel.output;
  EXPECT_EQ(weights(parallel), weights(train(devices, "30,30,1", {"STRETTO_ENGINE=serial"})));
  EXPECT_NE(weights(parallel), weights(train(devices, "1,1,1")));
}

// The parameters that a device works with, its own or those sent to it, are those of the first.
TEST_F(SharedTraining, ComesToTheSameWhicheverDeviceDoesTheWork) {
  const std::string alone = weights(train({"sim:0"}, "1"));
  for (const std::string other : {"sim:1", "cpu:0"}) {
    EXPECT_EQ(weights(train({"sim:0", other}, "0,1")), alone) << other;
    EXPECT_EQ(weights(train({"sim:0", other}, "1,0")), alone) << other;
  }
}

TEST_F(SharedTraining, SaysWhatItMeasured) {
  const CommandResult measured = train({"sim:0", "cpu:0"}, "measured");
  const std::string mark = "--shares ";
  const std::size_t begin = measured.output.find(mark) + mark.size();
  ASSERT_GT(begin, mark.size()) << measured.output;
  const std::string shares = measured.output.substr(begin, measured.output.find('\n', begin) - begin);
  EXPECT_EQ(weights(measured), weights(train({"sim:0", "cpu:0"}, shares))) << shares;
}

TEST_F(SharedTraining, RefusesWhatSplitsNoBatch) {
  const auto errors = [&](const std::string& shares) {
    const CommandResult result = train({"sim:0", "cpu:0"}, shares);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.errors;
  };
  EXPECT_EQ(errors("1,2,3"), "stretto: there are 3 shares for 2 devices\n");
  EXPECT_EQ(errors("0,0"),
            "stretto: shares of 0,0 split no batch: they are numbers from 0 to 1000000000, not all of them 0\n");
  EXPECT_EQ(errors("1,-1"),
            "stretto: shares of 1,-1 split no batch: they are numbers from 0 to 1000000000, not all of them 0\n");
  for (const std::string text : {"half", "1,", "1;2"})
    EXPECT_EQ(errors(text),
              "stretto: --shares takes \"equal\", \"measured\" or a number for each device: " + text + "\n");
}

}  // namespace
}  // namespace stretto::cli
