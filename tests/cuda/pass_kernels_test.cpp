// Kernels of passes as text, which is compiled, and not run, without a GPU.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include "backends/cuda/nvrtc.h"
#include "kernels/cuda/pass_kernel.h"
#include "kernels/element_pass.h"
#include "kernels/rules/elementwise_operators.h"

namespace stretto {
namespace {

constexpr int hopper = 90, ampere = 80;
constexpr DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                            DType::int32,   DType::int64,   DType::uint8,   DType::bool_};

/// An operand of one of the calls: where it begins in what it counts from, and how it lies.
struct Part {
  std::int32_t place;
  DType dtype = DType::float32;
  std::vector<std::int64_t> strides = {1};
  std::int64_t offset = 0;
};

/// Makes passes of calls over elements of one shape.
class Calls {
 public:
  explicit Calls(std::vector<std::int64_t> shape) : shape_(std::move(shape)) {}

  void add(const char* name, const std::vector<Part>& parts) {
    std::vector<Array>& arrays = *arrays_.emplace_back(std::make_unique<std::vector<Array>>());
    std::vector<std::int32_t>& places = *places_.emplace_back(std::make_unique<std::vector<std::int32_t>>());
    for (const Part& part : parts) {
      const std::vector<std::int64_t>& strides =
          *strides_.emplace_back(std::make_unique<std::vector<std::int64_t>>(part.strides));
      arrays.push_back({.data = reinterpret_cast<std::byte*>(part.offset),
                        .shape = shape_.data(),
                        .strides = strides.data(),
                        .dtype = part.dtype,
                        .rank = static_cast<std::uint8_t>(shape_.size())});
      places.push_back(part.place);
    }
    calls_.push_back({name, CallSite("test.cpp", "", 1), &kernel_row(name), {}, arrays, places});
  }

  void add_with_constant(const char* name, const Part& output, const Part& input, const float& constant) {
    add(name, {output, input, input});
    arrays_.back()->back() = {.data = reinterpret_cast<std::byte*>(const_cast<float*>(&constant)), .constant = true};
  }

  const ElementPass& pass() {
    pass_ = ElementPass::make(calls_);
    return *pass_;
  }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<std::unique_ptr<std::vector<Array>>> arrays_;
  std::vector<std::unique_ptr<std::vector<std::int32_t>>> places_;
  std::vector<std::unique_ptr<std::vector<std::int64_t>>> strides_;
  std::vector<ElementPass::Call> calls_;
  std::unique_ptr<const ElementPass> pass_;
};

/// Skipped where CUDA's compiler is not installed as a library.
class PassKernels : public testing::Test {
 protected:
  void SetUp() override {
    std::string problem;
    nvrtc_ = Nvrtc::load(problem);
    if (nvrtc_ == nullptr) GTEST_SKIP() << "no compiler here: " << problem;
  }
  static PassKernel write(const ElementPass& pass, bool in_packets = true) {
    std::optional<PassKernel> kernel = PassKernel::write(pass, in_packets);
    EXPECT_TRUE(kernel.has_value());
    return kernel.value_or(*PassKernel::write(pass, false));
  }
  void expect_compiles(const PassKernel& kernel, int architecture = hopper) const {
    try {
      EXPECT_GT(nvrtc_->compile(kernel.text(), architecture).size(), 1000u);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what() << "\n" << kernel.text();
    }
  }
  const Nvrtc& nvrtc() const { return *nvrtc_; }

 private:
  std::unique_ptr<const Nvrtc> nvrtc_;
};

struct Operator {
  const char* name;
  int inputs;
};

std::vector<Operator> operators() {
#define STRETTO_ONE_INPUT(name, Op) {name, 1},
#define STRETTO_TWO_INPUTS(name, Op) {name, 2},
  return {STRETTO_UNARY_OPERATORS(STRETTO_ONE_INPUT) STRETTO_FUNCTION_OPERATORS(STRETTO_ONE_INPUT)
              STRETTO_ARITHMETIC_OPERATORS(STRETTO_TWO_INPUTS) STRETTO_COMPARISON_OPERATORS(STRETTO_TWO_INPUTS)
                  STRETTO_BACKWARD_OPERATORS(STRETTO_TWO_INPUTS){"clamp", 3},
          {"where", 3}};
#undef STRETTO_ONE_INPUT
#undef STRETTO_TWO_INPUTS
}

bool gives_bool(const std::string& name) {
  static const std::vector<std::string> names = {"eq",         "ne",          "lt",         "le",       "gt",
                                                 "ge",         "isnan",       "isinf",      "isfinite", "logical_not",
                                                 "logical_or", "logical_and", "logical_xor"};
  return std::ranges::find(names, name) != names.end();
}

TEST_F(PassKernels, EveryOperatorOfEveryTypeCompiles) {
  for (const DType dtype : dtypes) {
    SCOPED_TRACE(name(dtype));
    // Each writes an array, so that nothing is left out: as many together as there may be.
    std::vector<std::unique_ptr<Calls>> passes;
    int written = static_cast<int>(ElementPass::max_steps), tried = 0;
    for (const Operator& one : operators()) {
      std::vector<Part> parts(static_cast<std::size_t>(one.inputs), Part{0, dtype});
      for (int input = 1; input < one.inputs; ++input) parts[static_cast<std::size_t>(input)].place = input;
      if (std::string(one.name) == "where") parts[0] = {3, DType::bool_};
      Array arrays[3];
      for (std::size_t input = 0; input < parts.size(); ++input) arrays[input].dtype = parts[input].dtype;
      const KernelIsElementwise test = kernel_row(one.name).elementwise.load();
      ASSERT_NE(test, nullptr) << one.name;
      if (!test({{arrays, 1}, {arrays, parts.size()}, {}})) continue;
      ++tried;
      if (written == static_cast<int>(ElementPass::max_steps)) {
        passes.push_back(std::make_unique<Calls>(std::vector<std::int64_t>{1000}));
        written = 0;
      }
      parts.insert(parts.begin(), Part{4 + written++, gives_bool(one.name) ? DType::bool_ : dtype});
      passes.back()->add(one.name, parts);
    }
    EXPECT_GT(tried, 15);
    for (const auto& calls : passes) {
      const ElementPass& pass = calls->pass();
      expect_compiles(write(pass));
      if (dtype == DType::bfloat16) expect_compiles(write(pass), ampere);
    }
  }
}

TEST_F(PassKernels, EveryConversionCompiles) {
  Calls calls({1000});
  std::int32_t next = 8;
  for (const std::size_t from : {0, 1, 2, 3, 4, 5, 6, 7}) {
    // What is converted once is converted back.
    const DType to = dtypes[(from + 3) % 8], back = dtypes[(from + 5) % 8];
    calls.add("copy", {{next, to}, {static_cast<std::int32_t>(from), dtypes[from]}});
    calls.add("copy", {{next + 1, back}, {next, to}});
    calls.add("copy", {{next + 2, dtypes[from]}, {next + 1, back}});
    next += 3;
  }
  expect_compiles(write(calls.pass()));
}

/// A row, a column and one element with a whole; some of it changed in place.
const ElementPass& mixed(Calls& calls, std::int64_t columns, const std::vector<std::int64_t>& whole) {
  calls.add("add", {{~0, DType::float32, {columns, 1}}, {0, DType::float32, whole}, {1, DType::float32, {0, 1}}});
  calls.add("mul",
            {{~1, DType::float32, {columns, 1}}, {~0, DType::float32, {columns, 1}}, {2, DType::float32, {1, 0}}});
  calls.add("sub", {{0, DType::float32, whole}, {~1, DType::float32, {columns, 1}}, {3, DType::float32, {0, 0}}});
  return calls.pass();
}

TEST_F(PassKernels, RowsAndColumnsCompile) {
  for (const std::int64_t columns : {64, 66, 67}) {
    Calls dense({50, columns}), padded({50, columns});
    const PassKernel kernel = write(mixed(dense, columns, {columns, 1}));
    EXPECT_EQ(kernel.in_packets(), columns != 67) << columns;
    expect_compiles(kernel);
    // Rows that begin anywhere cannot be moved in packets.
    const PassKernel anywhere = write(mixed(padded, columns, {columns + 3, 1}));
    EXPECT_FALSE(anywhere.in_packets() && columns != 67 && (columns + 3) % 2 != 0) << columns;
    expect_compiles(anywhere);
  }
  Calls three({5, 6, 70});
  three.add("abs", {{~0, DType::float32, {420, 70, 1}}, {0, DType::float32, {70, 0, 1}}});
  three.add("mul",
            {{1, DType::float32, {420, 70, 1}}, {~0, DType::float32, {420, 70, 1}}, {2, DType::float32, {6, 1, 0}}});
  expect_compiles(write(three.pass()));
  Calls one({});
  one.add("neg", {{~0, DType::float32, {}}, {0, DType::float32, {}}});
  one.add("abs", {{1, DType::float32, {}}, {~0, DType::float32, {}}});
  expect_compiles(write(one.pass()));
}

TEST_F(PassKernels, TheTextIsThatOfTheExpression) {
  const float two = 2, three = 3;
  const auto text = [](std::int64_t count, const float& constant, std::int64_t offset, const char* name) {
    Calls calls({count});
    calls.add_with_constant("mul", {~0}, {0, DType::float32, {1}, offset}, constant);
    calls.add(name, {{1}, {~0}, {0, DType::float32, {1}, offset}});
    return write(calls.pass()).text();
  };
  EXPECT_EQ(text(100, two, 0, "add"), text(4321, three, 64, "add"));
  EXPECT_NE(text(100, two, 0, "add"), text(100, two, 0, "sub"));
}

TEST_F(PassKernels, PacketsNeedAlignedElements) {
  const auto kernel = [](std::int64_t offset) {
    Calls calls({100});
    calls.add("neg", {{~0}, {0, DType::float32, {1}, offset}});
    calls.add("abs", {{1}, {~0}});
    return write(calls.pass());
  };
  alignas(64) std::byte memory[256];
  std::byte* const aligned[] = {memory, memory + 64};
  std::byte* const shifted[] = {memory, memory + 4};
  EXPECT_TRUE(kernel(16).in_packets());
  EXPECT_FALSE(kernel(4).in_packets());
  EXPECT_TRUE(kernel(16).suits(aligned));
  EXPECT_FALSE(kernel(16).suits(shifted));
  EXPECT_TRUE(kernel(4).suits(shifted));
}

TEST_F(PassKernels, WhatIsNotWrittenIsRefused) {
  Calls unknown({10});
  unknown.add("neg", {{~0}, {0}});
  unknown.add("softmax", {{1}, {~0}});
  EXPECT_FALSE(PassKernel::write(unknown.pass(), true).has_value());
  // Of one value twice it would be another maximum, with another NaN.
  Calls twice({10});
  twice.add("neg", {{~0}, {0}});
  twice.add("relu_backward", {{1}, {~0}, {~0}});
  EXPECT_FALSE(PassKernel::write(twice.pass(), true).has_value());
  Calls functions({10});
  functions.add("exp", {{~0}, {0}});
  functions.add("neg", {{1}, {~0}});
  EXPECT_TRUE(write(functions.pass()).depends_on_version());
  EXPECT_TRUE(nvrtc().is_of_this_version());
}

TEST_F(PassKernels, TheCompilerSaysWhatIsWrong) {
  try {
    static_cast<void>(nvrtc().compile("#include \"kernels/cuda/pass_parts.cuh\"\nnothing;", hopper));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("element_pass.cu(2)"), std::string::npos) << error.what();
  }
  EXPECT_THROW(static_cast<void>(nvrtc().compile("", 12)), Error);
}

}  // namespace
}  // namespace stretto
