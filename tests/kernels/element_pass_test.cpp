#include "kernels/element_pass.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "kernels/kernel_cost.h"
#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {
namespace {

/// An operand where it lies: an offset from an address.
Array at(TestArray& array, std::int64_t bytes = 0) {
  Array result = array.array();
  result.data = reinterpret_cast<std::byte*>(bytes);
  return result;
}

struct OneCall {
  const char* name;
  std::vector<Array> arrays;
  std::vector<std::int32_t> places;
};

std::unique_ptr<const ElementPass> make_pass(const std::vector<OneCall>& calls) {
  std::vector<ElementPass::Call> list;
  std::uint32_t line = 0;
  for (const OneCall& call : calls)
    list.push_back({call.name, CallSite("test.cpp", "", ++line), &kernel_row(call.name), {}, call.arrays, call.places});
  return ElementPass::make(list);
}

TestArray counting(const std::vector<std::int64_t>& shape, float scale, TestLayout layout = TestLayout::contiguous) {
  TestArray array(DType::float32, shape, layout);
  for (std::int64_t i = 0; i < array.size(); ++i) array.set<float>(i, static_cast<float>(i % 1013) * scale - 7);
  return array;
}

TEST(ElementPass, GivesWhatTheCallsGiveOneByOne) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {1}, {65}, {8191}, {8192}, {50'001}, {1, 300, 1, 200}, {3, 20'000}}) {
    TestArray x = counting(shape, 0.25f), y = counting(shape, -0.5f), out(DType::float32, shape);
    TestArray first(DType::float32, shape), second(DType::float32, shape), wanted(DType::float32, shape);
    ReverseContext context;
    run_kernel("mul", {first.array()}, {x.array(), y.array()}, context);
    run_kernel("exp", {second.array()}, {first.array()}, context);
    run_kernel("sub", {wanted.array()}, {second.array(), first.array()}, context);
    const auto pass = make_pass({{"mul", {at(first), at(x), at(y)}, {~0, 0, 1}},
                                 {"exp", {at(second), at(first)}, {~1, ~0}},
                                 {"sub", {at(out), at(second), at(first)}, {2, ~1, ~0}}});
    ASSERT_NE(pass, nullptr);
    std::byte* const addresses[] = {x.array().data, y.array().data, out.array().data};
    element_pass_maker(DeviceKind::cpu)(*pass, 0)->run(addresses, context);
    EXPECT_EQ(std::memcmp(out.contents().data(), wanted.contents().data(), out.contents().size()), 0);
    ThreadsContext threads;
    TestArray again(DType::float32, shape);
    std::byte* const others[] = {x.array().data, y.array().data, again.array().data};
    element_pass_maker(DeviceKind::sim)(*pass, 0)->run(others, threads);
    EXPECT_EQ(std::memcmp(again.contents().data(), wanted.contents().data(), again.contents().size()), 0);
  }
}

TEST(ElementPass, ValuesThatAreNotNeededTogetherShareABlock) {
  TestArray x = counting({4096}, 1);
  const Array array = at(x);
  std::vector<OneCall> calls = {{"neg", {array, array}, {~0, 0}}};
  for (std::int32_t value = 1; value < 9; ++value) calls.push_back({"neg", {array, array}, {~value, ~(value - 1)}});
  calls.push_back({"add", {array, array, array}, {1, ~8, 0}});
  const auto pass = make_pass(calls);
  EXPECT_EQ(pass->near_sizes().size(), 1u);
  EXPECT_EQ(pass->extents().size(), 1u);
  EXPECT_EQ(pass->numel(), 4096);
  // Two that are both needed by the last.
  const auto both = make_pass({{"neg", {array, array}, {~0, 0}},
                               {"abs", {array, array}, {~1, 0}},
                               {"add", {array, array, array}, {1, ~0, ~1}}});
  EXPECT_EQ(both->near_sizes().size(), 2u);
}

TEST(ElementPass, ManyValuesOfTheWidestTypeFitNear) {
  TestArray x(DType::float64, {20'000});
  for (std::int64_t i = 0; i < x.size(); ++i) x.set<double>(i, static_cast<double>(i));
  const Array array = at(x);
  std::vector<OneCall> calls;
  for (std::int32_t value = 0; value < 16; ++value) calls.push_back({"neg", {array, array}, {~value, 0}});
  for (std::int32_t value = 1; value < 15; ++value) calls.push_back({"add", {array, array, array}, {~0, ~0, ~value}});
  calls.push_back({"add", {array, array, array}, {1, ~0, ~15}});
  const auto pass = make_pass(calls);
  EXPECT_EQ(pass->near_sizes().size(), 16u);
  TestArray out(DType::float64, {20'000});
  std::byte* const addresses[] = {x.array().data, out.array().data};
  ReverseContext context;
  element_pass_maker(DeviceKind::cpu)(*pass, 0)->run(addresses, context);
  for (std::int64_t i = 0; i < out.size(); ++i) ASSERT_EQ(out.get<double>(i), -16.0 * static_cast<double>(i));
}

TEST(ElementPass, AFailureNamesItsStep) {
  // Nothing that is elementwise finds fault with values; whatever else goes wrong is the step's.
  static const KernelRegistration registration{"test_broken_step", DeviceKind::cpu,
                                               [](const KernelCall&, KernelContext&) { throw Error("it broke"); },
                                               [](const KernelCall&) { return true; }};
  TestArray x = counting({10}, 1);
  const Array array = at(x);
  const auto pass = make_pass({{"neg", {array, array}, {~0, 0}},
                               {"test_broken_step", {array, array}, {~1, ~0}},
                               {"neg", {array, array}, {0, ~1}}});
  std::byte* const addresses[] = {x.array().data};
  ReverseContext context;
  try {
    element_pass_maker(DeviceKind::cpu)(*pass, 0)->run(addresses, context);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[test_broken_step] it broke (at test.cpp:2)");
  }
}

class PassMeter final : public KernelMeter {
 public:
  bool begin(const KernelCost& cost, std::span<const std::byte* const> arrays) override {
    bytes = cost.bytes;
    count = arrays.size();
    return false;
  }
  double bytes = 0;
  std::size_t count = 0;
};

TEST(ElementPass, AsksForWhatIsInMemoryOnce) {
  TestArray x = counting({4, 100}, 1), y = counting({4, 100}, 1), row = counting({4, 100}, 1);
  constexpr std::int64_t shape[] = {4, 100}, strides[] = {0, 1};
  Array broadcast = at(row);
  broadcast.shape = shape;
  broadcast.strides = strides;
  // x is changed in place, y is written, and read again by the pass alone.
  const auto pass = make_pass({{"add", {at(x), at(x), broadcast}, {0, 0, 1}},
                               {"mul", {at(y), at(x), at(x)}, {2, 0, 0}},
                               {"neg", {at(x), at(y)}, {0, 2}}});
  std::byte* const addresses[] = {x.array().data, row.array().data, y.array().data};
  PassMeter meter;
  EXPECT_FALSE(begin_pass(meter, *pass, addresses));
  EXPECT_EQ(meter.bytes, 4 * (400 + 400 + 400 + 100));
  EXPECT_EQ(meter.count, 4u);
}

TEST(ElementPass, WhatIsElementwise) {
  TestArray numbers(DType::float32, {2}), integers(DType::int32, {2}), flags(DType::bool_, {2});
  const auto is_elementwise = [](const char* name, TestArray& array, int inputs) {
    const Array one = array.array();
    const std::vector<Array> list(static_cast<std::size_t>(inputs), one);
    const KernelIsElementwise test = kernel_row(name).elementwise.load();
    return test != nullptr && test({{&one, 1}, list, {}});
  };
  EXPECT_TRUE(is_elementwise("add", integers, 2));
  EXPECT_TRUE(is_elementwise("where", flags, 3));
  EXPECT_TRUE(is_elementwise("copy", numbers, 1));
  EXPECT_FALSE(is_elementwise("sum", numbers, 1));
  // They may find a zero, or a negative power.
  for (const char* name : {"floor_divide", "remainder", "pow"}) {
    EXPECT_TRUE(is_elementwise(name, numbers, 2));
    EXPECT_FALSE(is_elementwise(name, integers, 2));
  }
  // There is no such loop.
  EXPECT_FALSE(is_elementwise("neg", flags, 1));
}

}  // namespace
}  // namespace stretto
