#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu/targets.h"
#include "kernels/dtypes.h"
#include "kernels/number_array.h"
#include "kernels/parameters.h"

#include <hwy/highway.h>

namespace stretto {
namespace {

// Kernels run with one instruction set while this lives.
class InstructionSet {
 public:
  explicit InstructionSet(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  InstructionSet(const InstructionSet&) = delete;
  InstructionSet& operator=(const InstructionSet&) = delete;
  ~InstructionSet() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// The bits of a kernel's result with each instruction set this processor has.
std::vector<std::vector<std::byte>> on_all_sets(std::string_view kernel, const Extents& output_shape,
                                                const std::vector<NumberArray*>& inputs, const Parameters& parameters,
                                                std::vector<std::vector<double>>* values = nullptr) {
  std::vector<std::vector<std::byte>> all;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const InstructionSet only(target);
    NumberArray result(inputs[0]->dtype(), output_shape);
    call_kernel(kernel, {&result}, inputs, parameters);
    all.push_back(result.contents());
    if (values) values->push_back(result.values());
  }
  return all;
}

TEST(InstructionSets, ChangeNoReduction) {
  for (const DType dtype : floating_types) {
    NumberArray input = NumberArray(dtype, {1100, 37}).randomize(1);
    for (const Extents& shape : {Extents{1, 37}, Extents{1100, 1}, Extents{1, 1}}) {
      for (const std::string_view kernel : {"sum", "mean", "max", "min", "prod", "var"}) {
        const auto all = on_all_sets(kernel, shape, {&input}, VarianceParameters{1});
        for (const auto& bits : all) ASSERT_EQ(bits, all[0]) << kernel << " " << name(dtype);
      }
    }
  }
}

TEST(InstructionSets, ChangeNoSoftmaxAndNoLoss) {
  for (const DType dtype : floating_types) {
    NumberArray input = NumberArray(dtype, {20, 37}).randomize(2), other = NumberArray(dtype, {20, 37}).randomize(3);
    for (const std::int64_t axis : {0, 1}) {
      const AxisParameters parameters{.axis = axis, .descending = false};
      for (const std::string_view kernel : {"softmax", "log_softmax"}) {
        const auto all = on_all_sets(kernel, {20, 37}, {&input}, parameters);
        for (const auto& bits : all) ASSERT_EQ(bits, all[0]) << kernel << " " << name(dtype);
      }
      for (const std::string_view kernel : {"softmax_backward", "log_softmax_backward"}) {
        const auto all = on_all_sets(kernel, {20, 37}, {&input, &other}, parameters);
        for (const auto& bits : all) ASSERT_EQ(bits, all[0]) << kernel << " " << name(dtype);
      }
    }
    NumberArray labels(DType::int64, {20}, std::vector<double>(20, 5.0));
    const auto all = on_all_sets("cross_entropy", {20}, {&input, &labels}, {});
    for (const auto& bits : all) ASSERT_EQ(bits, all[0]) << name(dtype);
  }
}

// Where multiplication and addition are one instruction they round once, and all such sets agree. The baseline rounds
// twice: it is near, and equal for integers.
TEST(InstructionSets, AgreeOnMatrixProducts) {
  for (const DType dtype :
       {DType::float32, DType::float64, DType::bfloat16, DType::int32, DType::int64, DType::uint8}) {
    for (const Extents& shape : {Extents{9, 400, 70}, Extents{70, 130, 200}}) {
      NumberArray a = NumberArray(dtype, {shape[0], shape[1]}).randomize(4);
      NumberArray b = NumberArray(dtype, {shape[1], shape[2]}).randomize(5);
      std::vector<std::vector<double>> values;
      const auto all = on_all_sets("matmul", {shape[0], shape[2]}, {&a, &b}, {}, &values);
      const auto targets = hwy::SupportedAndGeneratedTargets();
      for (std::size_t i = 0; i < targets.size(); ++i) {
        // A lower number is a better set of the same processors.
        const bool rounds_once = targets[i] <= HWY_AVX2;
        if ((rounds_once && targets[0] <= HWY_AVX2) || !is_floating(dtype)) {
          ASSERT_EQ(all[i], all[0]) << name(dtype);
        } else {
          for (std::size_t k = 0; k < values[i].size(); ++k) {
            ASSERT_TRUE(near(values[i][k], values[0][k], dtype == DType::bfloat16 ? 0x1p-7 : 1e-3)) << name(dtype);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stretto
