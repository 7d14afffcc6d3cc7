#include <string>
#include <unordered_set>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/core/device.h>

#include "core/expect_error.h"

namespace stretto {
namespace {

TEST(Device, TextReadsBack) {
  for (const char* text : {"cpu:0", "cuda:1", "sim:12"}) EXPECT_EQ(to_string(Device::parse(text)), text);
  EXPECT_EQ(Device::parse("cuda"), Device(DeviceKind::cuda, 0));
  EXPECT_EQ(Device(), Device(DeviceKind::cpu, 0));
}

TEST(Device, UnknownTextSaysWhatIsAllowed) {
  for (const std::string text :
       {"gpu:0", "", "cpu:", "cpu:-1", "cpu:-0", "cpu:1x", "cpu: 1", "cuda:99999999999", ":0"}) {
    EXPECT_ERROR(Device::parse(text), DeviceError, "unknown device \"" + text + "\": write cpu:N, cuda:N or sim:N");
  }
}

TEST(Device, HashesApart) {
  std::unordered_set<Device> devices;
  std::unordered_set<std::size_t> hashes;
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::sim}) {
    for (int i = 0; i < 8; ++i) {
      devices.insert(Device(kind, i));
      hashes.insert(std::hash<Device>()(Device(kind, i)));
    }
  }
  EXPECT_EQ(devices.size(), 24u);
  EXPECT_EQ(hashes.size(), 24u);
}

}  // namespace
}  // namespace stretto
