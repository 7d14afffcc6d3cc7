// Copies between a device and ordinary memory of the host go on while every core is in a long task.

#include "tensor/testing.h"

namespace stretto {
namespace {

TEST(StagedCopies, NeedNoWorkerOfTheCpu) {
  if (serial_engine()) GTEST_SKIP() << "a task that waits would hold up the program";
  constexpr std::int64_t count = 3 << 20;
  const Tensor source = counting<std::int32_t>({count}, cpu());
  source.wait();
  Gate gate;
  std::atomic<int> passed = 0;
  for (const Device device : {cpu(0), cpu(1)})
    for (int i = 0; i < 16; ++i) task("long", device).run([gate, &passed](TaskContext&) { passed += gate.pass(); });
  std::vector<Tensor> there;
  for (int i = 0; i < 3; ++i) there.push_back(source.to(sim(i % 2)).clone());
  there.push_back(there[0].to(sim(1)));
  for (const Tensor& tensor : there) {
    const std::vector<std::int32_t> values = tensor.to_vector<std::int32_t>();
    EXPECT_EQ(values.front(), 0);
    EXPECT_EQ(values.back(), static_cast<std::int32_t>(count - 1));
  }
  EXPECT_EQ(passed, 0) << "the copies waited for a task";
  gate.open();
  wait_all();
  EXPECT_EQ(passed, 32);
}

}  // namespace
}  // namespace stretto
