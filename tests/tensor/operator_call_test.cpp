#include "tensor/operator_call.h"

#include <cmath>

#include "tensor/testing.h"

namespace stretto {
namespace {

/// out = first + second * number, over any strides: what the door hands to kernels, looked at closely.
void combine(const KernelCall& call, KernelContext&) {
  const Array& out = call.outputs[0];
  std::array<std::int64_t, max_rank> index{};
  for (std::int64_t i = 0; i < out.numel(); ++i) {
    const auto at = [&](const Array& array) -> float& {
      std::int64_t offset = 0;
      for (int axis = 0; axis < array.rank; ++axis) {
        EXPECT_EQ(array.shape[axis], out.shape[axis]);
        offset += index[static_cast<std::size_t>(axis)] * array.strides[axis];
      }
      return array.as<float>()[offset];
    };
    at(out) = at(call.inputs[0]) + at(call.inputs[1]) * at(call.inputs[2]);
    for (int axis = out.rank - 1; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < out.shape[axis]) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

void refuse(const KernelCall& call, KernelContext&) {
  throw IndexError("index " + std::to_string(call.parameters.get<std::int64_t>()) + " is out of range");
}

/// Notes for each array whether it is a constant, and its first element as a double.
void look(const KernelCall& call, KernelContext&) {
  auto* seen = call.outputs[0].as<double>();
  for (const Array& input : call.inputs) {
    *seen++ = visit_dtype(input.dtype, [&]<typename T>(std::type_identity<T>) {
      return static_cast<double>(static_cast<float>(*input.as<T>()));
    });
    EXPECT_TRUE(input.constant);
    EXPECT_EQ(input.rank, call.outputs[0].rank);
    EXPECT_EQ(input.strides[0], 0);
  }
}

const KernelRegistration combine_registration{"test_combine", DeviceKind::cpu, &combine};
const KernelRegistration refuse_registration{"test_refuse", DeviceKind::cpu, &refuse};
const KernelRegistration look_registration{"test_look", DeviceKind::cpu, &look};

class OperatorCallOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(OperatorCallOn);

TEST_P(OperatorCallOn, HandsViewsBroadcastsAndNumbersToTheKernel) {
  const Tensor x = counting({4, 3}, device());
  const Tensor row = counting({3}, device());
  const Tensor out = filled<float>({3, 6}, -1, device());
  const Tensor target = out.slice(1, 1, 5);
  const Tensor transposed = x.t();
  const Tensor column = row.unsqueeze(1);
  OperatorCall call("combine", kernel_row("test_combine"), CallSite());
  call.write(target);
  call.read(transposed);
  call.read(column, target.shape());
  call.constant(10, DType::float32);
  apply(call);
  std::vector<float> expected;
  for (int i = 0; i < 3; ++i) {
    expected.push_back(-1);
    for (int j = 0; j < 4; ++j) expected.push_back(static_cast<float>(3 * j + i + 10 * i));
    expected.push_back(-1);
  }
  EXPECT_EQ(out.to_vector<float>(), expected);
}

TEST_P(OperatorCallOn, ConvertsNumbersAsACastWould) {
  const Tensor out = filled<double>({6}, 0, device());
  OperatorCall call("look", kernel_row("test_look"), CallSite());
  call.write(out);
  call.constant(300, DType::uint8);
  call.constant(-1.9, DType::int32);
  call.constant(1e30, DType::int32);
  call.constant(NAN, DType::int64);
  call.constant(2, DType::bool_);
  call.constant(0.5, DType::float16);
  apply(call);
  EXPECT_EQ(out.to_vector<double>(), (std::vector<double>{44, -1, 2147483648.0, 0, 1, 0.5}));
}

TEST_P(OperatorCallOn, NamesOperandsAndLineWhenTheKernelRefuses) {
  const Tensor x = empty({3, 4}, device());
  const Tensor index = empty({2}, device(), DType::int64);
  const Tensor out = make_output({2, 4}, DType::float32, device());
  OperatorCall call("gather", kernel_row("test_refuse"), CallSite("program.cpp", "main", 21));
  call.write(out);
  call.read(x);
  call.read(index);
  call.constant(1, DType::float32);
  call.parameters(std::int64_t{7});
  apply(call);
  EXPECT_FAILURE(out.wait(), IndexError,
                 "[gather] index 7 is out of range, with (3,4) float32, (2,) int64, a number (at program.cpp:21)");
}

TEST(OperatorCall, NamesWhatDoesNotFit) {
  const CallSite site("program.cpp", "main", 4);
  const Tensor here_tensor = empty({2, 3}), there = empty({2, 3}, sim());
  const auto call_with = [&](const Tensor& out, const Tensor& in, const char* kernel) {
    OperatorCall call("combine", kernel_row(kernel), site);
    call.write(out);
    call.read(in, out.shape());
    apply(call);
  };
  EXPECT_FAILURE(call_with(here_tensor, there, "test_combine"), DeviceError,
                 "[combine] tensors are on different devices, cpu:0 and sim:0: move one with to(device) (at "
                 "program.cpp:4)");
  EXPECT_FAILURE(call_with(here_tensor, Tensor(), "test_combine"), UsageError,
                 "[combine] the tensor is not defined: it was made by Tensor() and nothing was assigned to it (at "
                 "program.cpp:4)");
  EXPECT_FAILURE(call_with(here_tensor, here_tensor, "test_nothing"), UsageError,
                 "[combine] there is no kernel for cpu devices (at program.cpp:4)");
  EXPECT_FAILURE(call_with(here_tensor, empty({3, 2}), "test_combine"), ShapeError,
                 "[combine] shape (3,2) cannot be broadcast to (2,3) (at program.cpp:4)");
  EXPECT_FAILURE(call_with(empty({1, 3}).expand({2, 3}), here_tensor, "test_combine"), UsageError,
                 "[combine] cannot write into a tensor whose elements share memory, as expand makes them: clone it "
                 "first (at program.cpp:4)");
}

}  // namespace
}  // namespace stretto
