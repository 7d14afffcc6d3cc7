#include <atomic>
#include <memory>

#include "tensor/testing.h"

namespace stretto {
namespace {

class FailuresOn : public OnEachDevice {
 protected:
  /// A tensor whose only writer throws.
  Tensor failed(const char* why, CallSite site = CallSite("program.cpp", "main", 12)) const {
    Tensor x = empty({4}, device());
    task("explode", device(), site).write(x).run([why](TaskContext&) {
      sleep_for_milliseconds(2);
      throw Error(why);
    });
    return x;
  }
};
INSTANTIATE_ON_EACH_DEVICE(FailuresOn);

constexpr const char* explosion = "[explode] it went wrong (at program.cpp:12)";

/// Case E1.
TEST_P(FailuresOn, E1PassToWhatIsMadeOfThemAndNowhereElse) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = failed("it went wrong");
    const Tensor y = x.clone();
    y += 1;
    const Tensor z = filled<float>({4}, 3, device());
    z += 1;
    EXPECT_FAILURE(wait_all(), Error, explosion);
    EXPECT_FAILURE(x.to_vector<float>(), Error, explosion);
    EXPECT_FAILURE(y.to_vector<float>(), Error, explosion);
    EXPECT_FAILURE(y[1].item<float>(), Error, explosion);
    EXPECT_FAILURE(x.wait(), Error, explosion);
    EXPECT_FAILURE(x.to(cpu(1)).host<float>(), Error, explosion);
    EXPECT_FAILURE(to_string(y), Error, explosion);
    EXPECT_EQ(z.to_vector<float>(), repeated<float>(4, 4));
    EXPECT_NO_THROW(wait_all());
  }
}

TEST_P(FailuresOn, AreToldOnceByWaitAll) {
  const Tensor x = failed("it went wrong");
  EXPECT_FAILURE(x.wait(), Error, explosion);
  EXPECT_NO_THROW(wait_all());
}

/// Overwriting all of a failed tensor revives it; writing a part does not.
TEST_P(FailuresOn, OverwritingRevives) {
  const Tensor x = failed("it went wrong");
  x.fill_(2);
  EXPECT_EQ(x.to_vector<float>(), repeated<float>(4, 2));
  const Tensor y = failed("it went wrong");
  y += 1;
  EXPECT_FAILURE(y.wait(), Error, explosion);
  EXPECT_THROW(wait_all(), Error);
}

/// Case E2.
TEST_P(FailuresOn, E2SkipOnlyDependents) {
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const Tensor a = slowly_filled({4}, 1, device(), 3);
    const Tensor b = failed("it went wrong");
    const Tensor c = a.clone();
    c += 1;
    const auto ran = std::make_shared<std::atomic<bool>>(false);
    const Tensor d = empty({4}, device());
    task("D", device()).read(b).write(d).run([ran](TaskContext&) { ran->store(true); });
    EXPECT_EQ(a.to_vector<float>(), repeated<float>(4, 1));
    EXPECT_EQ(c.to_vector<float>(), repeated<float>(4, 2));
    EXPECT_FAILURE(d.wait(), Error, explosion);
    // A device runs what was issued to it; its result is poisoned all the same.
    if (on_host()) {
      EXPECT_FALSE(ran->load());
    }
    EXPECT_NO_THROW(wait_all());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
}

TEST_P(FailuresOn, KeepTheirKind) {
  const Tensor x = empty({1}, device());
  task("kind", device(), CallSite("program.cpp", "main", 5)).write(x).run([](TaskContext&) {
    throw IndexError("label 9 is out of range");
  });
  EXPECT_FAILURE(x.wait(), IndexError, "[kind] label 9 is out of range (at program.cpp:5)");
  task("foreign", device(), CallSite("program.cpp", "main", 6)).write(x).run([](TaskContext&) {
    throw std::runtime_error("not one of ours");
  });
  EXPECT_FAILURE(x.wait(), Error, "[foreign] not one of ours (at program.cpp:6)");
}

TEST_P(FailuresOn, AHostWriteThatThrowsFailsTheTensor) {
  const Tensor x = counting({4}, device());
  x.host_write<float>([](std::span<float>) { throw Error("it went wrong"); }, CallSite("program.cpp", "main", 7));
  EXPECT_FAILURE(x.wait(), Error, "[host_write] it went wrong (at program.cpp:7)");
}

TEST_P(FailuresOn, WaitingForWhatTheTaskItselfWritesIsAnError) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine runs the task inside its submission";
  const Tensor x = filled<float>({1}, 1, device());
  const Tensor y = empty({1}, device());
  task("selfish", device(), CallSite("program.cpp", "main", 8)).write(y).run([y](TaskContext&) {
    y.wait(CallSite("program.cpp", "main", 9));
  });
  EXPECT_FAILURE(y.wait(), UsageError,
                 "[wait] waits inside the task selfish (program.cpp:8) for a tensor that this task writes (at "
                 "program.cpp:9)");
}

}  // namespace
}  // namespace stretto
