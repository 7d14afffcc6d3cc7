// With STRETTO_CHECK=access, which CTest runs all these tests with once: tasks that touch what they did not declare.
#include "tensor/testing.h"

namespace stretto {
namespace {

class Access : public OnEachDevice {
 protected:
  void SetUp() override {
    if (!environment().check_access) GTEST_SKIP() << "only with STRETTO_CHECK=access";
  }
};
INSTANTIATE_ON_EACH_DEVICE(Access);

TEST_P(Access, APointerThatATaskKeepsIsNotADeclaration) {
  const Tensor x = filled<float>({100}, 1, device());
  const Tensor y = empty({1}, device());
  float* place = nullptr;
  task("finds", device()).read_write(x).run([&](TaskContext& context) { place = context.data<float>(0); });
  x.wait();
  task("keeps", device()).write(y).run([&](TaskContext& context) { *context.data<float>(0) = place[3]; });
  std::string error;
  try {
    y.wait();
  } catch (const UsageError& thrown) {
    error = thrown.what();
  }
  const std::string expected = "[keeps] reads byte 12 of a tensor that it did not declare: 400 bytes on " +
                               to_string(device()) + ", made by fill_ (";
  EXPECT_EQ(error.substr(0, expected.size()), expected);
}

TEST_P(Access, ARowIsNotItsNeighbour) {
  const Tensor x = filled<float>({4, 4}, 1, device());
  const CallSite site("program.cpp", "main", 7);
  task("row", device(), site).write(x[1]).run([](TaskContext& context) {
    for (int i = 0; i < 5; ++i) context.data<float>(0)[i] = 2;
  });
  EXPECT_THROW(x[1].wait(), UsageError);
  // Of the row that was not declared nothing has changed.
  EXPECT_EQ(x[2].to_vector<float>(), repeated<float>(4, 1));
}

TEST_P(Access, ATaskMayHaveAnotherWriteTheRowBeside) {
  if (!on_host()) GTEST_SKIP() << "a body that issues to a lane submits nothing that it would wait for";
  const Tensor x = filled<float>({4, 4}, 1, device());
  task("outer", device()).read_write(x[0]).run([x, device = device()](TaskContext& context) {
    task("inner", device).read_write(x[1]).run([](TaskContext& inside) { inside.data<float>(0)[3] = 5; });
    context.data<float>(0)[3] = x[1][3].item<float>() + 1;
  });
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 1, 1, 6, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_P(Access, TheProgramMayLookAgain) {
  const Tensor x = filled<float>({5000}, 1, device());
  const auto values = x.host<float>();
  for (int i = 0; i < 20; ++i) {
    Tensor y = x.clone();
    y += static_cast<float>(i);
    EXPECT_EQ(y[4000].item<float>(), static_cast<float>(i + 1));
    EXPECT_EQ(values[4000], 1);
  }
}

}  // namespace
}  // namespace stretto
