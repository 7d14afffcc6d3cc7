// What happens to a program whose kernel does what a GPU does not forgive. In processes of their own: to these the GPU
// is lost.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cuda/cell_kernels.h"
#include "cuda/cuda_programs.h"

namespace stretto {
namespace {

class CudaLoss : public CudaPrograms {
 protected:
  void SetUp() override {
    CudaPrograms::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

void expect(bool what, const char* text, const std::string& seen) {
  if (what) return;
  std::fprintf(stderr, "%s; seen: %s\n", text, seen.c_str());
  std::_Exit(1);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void fail_on_the_gpu(const Tensor& x) {
  task("touch nothing", x.device()).read_write(x).run([](TaskContext& context) {
    append_fault(context.cuda_stream());
  });
}

void lose_the_gpu() {
  const Tensor x = ones({1000}, gpu(0));
  const Tensor host = ones({1000}, cpu());
  x.wait();
  fail_on_the_gpu(x);
  const Tensor behind = (x + 1).to(cpu());
  const Tensor beside = host * 2;
  const std::string own = failure_of(x), passed_on = failure_of(behind);
  expect(contains(own, "touch nothing") && contains(own, "lost"), "the task is named", own);
  expect(contains(own, "illegal memory access"), "the driver's reason is told", own);
  expect(contains(passed_on, "lost"), "what is behind it fails", passed_on);
  expect(beside.to_vector<float>() == std::vector<float>(1000, 2), "the CPU goes on", failure_of(beside));
  // A device that is lost stays so, and says so at once.
  const std::string later = failure_of(ones({1 << 24}, gpu(0)) + 1);
  expect(contains(later, "lost"), "what comes later fails, too", later);
  try {
    wait_all();
  } catch (const Error&) {
    // Read above.
  }
  std::exit(0);
}

TEST_F(CudaLoss, IsToldByName) { EXPECT_EXIT(lose_the_gpu(), testing::ExitedWithCode(0), ""); }

void leave_a_lost_gpu() {
  const Tensor x = ones({1000}, gpu(0));
  fail_on_the_gpu(x);
  for (int i = 0; i < 100; ++i) x.copy_(x + 1);
  std::exit(0);
}

TEST_F(CudaLoss, HoldsNobodyBackAtTheEnd) { EXPECT_EXIT(leave_a_lost_gpu(), testing::ExitedWithCode(0), ""); }

void lose_one_of_two() {
  const Tensor x = ones({1000}, gpu(0)), y = ones({1000}, gpu(1));
  y.wait();
  fail_on_the_gpu(x);
  const std::string own = failure_of(x);
  expect(contains(own, "lost"), "it is lost", own);
  // Whether the other GPU goes on is the driver's affair: seen on H200s joined by NVLink, it ends all of them.
  const Tensor other = y * 3;
  const std::string others = failure_of(other);
  if (others == "no failure") {
    expect(other.to_vector<float>() == std::vector<float>(1000, 3), "the other GPU is right", others);
  } else {
    expect(contains(others, "illegal memory access"), "the other GPU says why it does not go on", others);
  }
  const Tensor here = ones({1000}, cpu()) * 3;
  expect(here.to_vector<float>() == std::vector<float>(1000, 3), "the CPU goes on", failure_of(here));
  try {
    wait_all();
  } catch (const Error&) {
    // Read above.
  }
  std::exit(0);
}

TEST_F(CudaLoss, IsToldByTheOtherGpuWhereItEndsThatToo) {
  const char* const gpus = std::getenv("STRETTO_CUDA_DEVICES");
  if (device_count(DeviceKind::cuda) < 2 || (gpus != nullptr && std::string(gpus) == "0,0"))
    GTEST_SKIP() << "needs two GPUs";
  EXPECT_EXIT(lose_one_of_two(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stretto
