#include "backends/sim/sim_model.h"

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include <string>

namespace stretto {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::string failure(const std::string& text, int devices = 2) {
  try {
    parse_sim_model(text, devices);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SimModel, WithoutOneDevicesAreAsFastAsTheHost) {
  for (const SimDeviceOptions& device : parse_sim_model("", 2)) {
    EXPECT_EQ(device.model.kernel_time({.flops = 1e18, .bytes = 1e18}), nanoseconds(0));
    EXPECT_EQ(SimModel::copy_time(std::size_t{1} << 40, device.model.to_host), nanoseconds(0));
    EXPECT_EQ(device.model.launch, nanoseconds(0));
    EXPECT_FALSE(device.model.dry);
    EXPECT_FALSE(device.protect);
    EXPECT_TRUE(device.peer_access);
    EXPECT_EQ(device.faults.lost_at, 0U);
  }
  EXPECT_TRUE(parse_sim_model("h200", 0).empty());
}

TEST(SimModel, ReadsRatesTimesSwitchesAndFaults) {
  const SimDeviceOptions device = parse_sim_model(
      "launch=2.5us,event=800ns,float32=48.8T,float64=500M,to_host=55G,memory=3K,capacity=64M,lost_at=7,no_memory_at=3,"
      "no_stream_at=2,no_event_at=9,dry,protect,staged_peers",
      1)[0];
  EXPECT_EQ(device.model.launch, nanoseconds(2500));
  EXPECT_EQ(device.model.event, nanoseconds(800));
  EXPECT_EQ(device.model.float32, 48.8e12);
  EXPECT_EQ(device.model.float64, 500e6);
  EXPECT_EQ(device.model.to_host, 55e9);
  EXPECT_EQ(device.model.memory, 3000);
  EXPECT_EQ(device.model.from_host, 0);
  EXPECT_EQ(device.memory_bytes, std::size_t{64} << 20);
  EXPECT_EQ(device.faults.lost_at, 7U);
  EXPECT_EQ(device.faults.no_memory_at, 3U);
  EXPECT_EQ(device.faults.no_stream_at, 2U);
  EXPECT_EQ(device.faults.no_event_at, 9U);
  EXPECT_TRUE(device.model.dry);
  EXPECT_TRUE(device.protect);
  EXPECT_FALSE(device.peer_access);
}

TEST(SimModel, LaterItemsHoldAndSomeAreForOneDevice) {
  const auto devices = parse_sim_model("float32=1G,h200,launch=1ms,sim:1.speed=0.5,sim:0.launch=2ms,sim:1.dry", 2);
  EXPECT_EQ(devices[0].model.float32, 48.8e12);
  EXPECT_EQ(devices[1].model.float32, 24.4e12);
  EXPECT_EQ(devices[1].model.to_host, devices[0].model.to_host / 2);
  EXPECT_EQ(devices[0].model.launch, milliseconds(2));
  EXPECT_EQ(devices[1].model.launch, milliseconds(1));
  EXPECT_FALSE(devices[0].model.dry);
  EXPECT_TRUE(devices[1].model.dry);
}

TEST(SimModel, SaysWhatIsWrongInOneLine) {
  const std::string begin = "environment variable STRETTO_SIM_MODEL=";
  EXPECT_EQ(failure("float32=fast"),
            begin + "float32=fast: \"float32=fast\": the value must be a rate a second, such as 500M, 55G or 48.8T");
  EXPECT_EQ(failure("h200,launch=3"),
            begin + "h200,launch=3: \"launch=3\": the value must be a time, such as 800ns, 3us or 2ms");
  EXPECT_EQ(failure("sim:2.launch=3us"), begin +
                                             "sim:2.launch=3us: \"sim:2.launch=3us\": the simulated devices of this "
                                             "process are sim:0 to sim:1");
  EXPECT_EQ(failure("sim:0=0.5"),
            begin + "sim:0=0.5: \"sim:0=0.5\" must be written sim:K.name=value, K the device's number");
  EXPECT_NE(failure("flot32=1T").find("\"flot32\" is nothing that a simulated device has; what there is: h200, dry"),
            std::string::npos);
  EXPECT_NE(failure("a100").find("\"a100\" is nothing that can be said of a simulated device"), std::string::npos);
  for (const char* bad :
       {"h200,", ",h200", "float32=", "float32=-1", "float32=0", "float32=1e400", "launch=us", "launch=1e9s", "speed=0",
        "speed=nan", "lost_at=0", "lost_at=2.5", "capacity=0", "sim:.dry", "sim:0.", "sim:-1.dry", "dry=1"})
    EXPECT_NE(failure(bad), "accepted") << bad;
}

TEST(SimModel, AKernelTakesTheLongerOfItsArithmeticAndItsMemory) {
  const SimModel model =
      parse_sim_model("float32=1G,float64=500M,float16=2G,bfloat16=4G,integer=8G,memory=1G", 1)[0].model;
  EXPECT_EQ(model.kernel_time({.flops = 1e6, .bytes = 1e5, .dtype = DType::float32}), milliseconds(1));
  EXPECT_EQ(model.kernel_time({.flops = 1e5, .bytes = 1e6, .dtype = DType::float32}), milliseconds(1));
  EXPECT_EQ(model.kernel_time({.flops = 1e6, .bytes = 0, .dtype = DType::float64}), milliseconds(2));
  EXPECT_EQ(model.kernel_time({.flops = 1e6, .bytes = 0, .dtype = DType::float16}), microseconds(500));
  EXPECT_EQ(model.kernel_time({.flops = 1e6, .bytes = 0, .dtype = DType::bfloat16}), microseconds(250));
  EXPECT_EQ(model.kernel_time({.flops = 1e6, .bytes = 0, .dtype = DType::int64}), microseconds(125));
  EXPECT_EQ(SimModel::copy_time(5'000'000, 1e9), milliseconds(5));
}

TEST(SimModel, TheChaptersProductsTakeWhatWasMeasured) {
  const SimModel model = parse_sim_model("h200", 1)[0].model;
  const double product = std::chrono::duration<double>(model.kernel_time({.flops = 2 * 4e3 * 4e3 * 4e3})).count();
  EXPECT_NEAR(50 * product, 0.1310, 0.001);
  EXPECT_NEAR(50 * std::chrono::duration<double>(SimModel::copy_time(64'000'000, model.to_host)).count(), 0.0581,
              0.0005);
}

}  // namespace
}  // namespace stretto
