#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/elementwise_values.h"

namespace stretto {
namespace {

TEST(ElementwiseLayout, DependsNotOnLayout) {
  ReverseContext context;
  ThreadsContext threads;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{7, 6}, {2, 3, 5, 3}, {3, 140}, {}}) {
      auto inputs = make_inputs<T>(c, shape, TestLayout::contiguous);
      TestArray expected(result_dtype(c, dtype_of<T>()), shape);
      run_kernel(c.name, {expected.array()}, arrays_of(inputs), context);
      for (const TestLayout input_layout : all_layouts) {
        for (const TestLayout output_layout : {TestLayout::contiguous, TestLayout::gaps, TestLayout::twisted}) {
          auto laid_out = make_inputs<T>(c, shape, input_layout);
          auto arguments = arrays_of(laid_out);
          if (c.inputs > 1) arguments[0] = inputs[0].array();  // operands of different layouts
          TestArray output(result_dtype(c, dtype_of<T>()), shape, output_layout);
          run_kernel(c.name, {output.array()}, arguments, threads);
          ASSERT_EQ(output.contents(), expected.contents()) << c.name << " " << name(dtype_of<T>());
          ASSERT_TRUE(output.gaps_untouched()) << c.name;
        }
      }
    }
  });
}

TEST(ElementwiseLayout, WorksInPlace) {
  ReverseContext context;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    if (result_dtype(c, dtype_of<T>()) != dtype_of<T>()) return;
    for (const TestLayout layout : all_layouts) {
      for (int operand = 0; operand < c.inputs; ++operand) {
        auto inputs = make_inputs<T>(c, {9, 70}, layout);
        const auto expected = one_at_a_time<T>(c, inputs);
        TestArray& target = inputs[static_cast<std::size_t>(operand)];
        run_kernel(c.name, {target.array()}, arrays_of(inputs), context);
        ASSERT_EQ(target.contents(), expected) << c.name << " " << name(dtype_of<T>());
        ASSERT_TRUE(target.gaps_untouched()) << c.name;
      }
    }
  });
}

TEST(ElementwiseLayout, BroadcastsByZeroStridesAndConstants) {
  ReverseContext context;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    if (c.inputs < 2) return;
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t columns = 600;  // more than one buffer
    const std::int64_t shape[] = {rows, columns};
    const std::int64_t strides[3][2] = {{0, 1}, {1, 0}, {0, 0}};
    for (int kind = 0; kind < 4; ++kind) {  // the last is a constant
      auto inputs = make_inputs<T>(c, {rows, columns}, TestLayout::contiguous);
      auto last = make_inputs<T>(c, {columns}, TestLayout::contiguous, 3).back();
      auto arguments = arrays_of(inputs);
      arguments.back() =
          kind == 3 ? last.constant() : Array{last.array().data, shape, strides[kind], dtype_of<T>(), 2, false};
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        const std::int64_t from = kind == 0 ? i % columns : kind == 1 ? i / columns : 0;
        inputs.back().template set<T>(i, last.template get<T>(from));
      }
      TestArray expected(result_dtype(c, dtype_of<T>()), {rows, columns});
      run_kernel(c.name, {expected.array()}, arrays_of(inputs), context);
      for (const TestLayout layout : all_layouts) {
        TestArray output(result_dtype(c, dtype_of<T>()), {rows, columns}, layout);
        run_kernel(c.name, {output.array()}, arguments, context);
        ASSERT_EQ(output.contents(), expected.contents()) << c.name << " " << name(dtype_of<T>()) << " " << kind;
      }
    }
  });
}

TEST(ElementwiseLayout, DependsNotOnChunksOrThreads) {
  constexpr std::int64_t large = 70'003;
  constexpr std::int64_t piece = 1001;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    if (sizeof(T) == 8 || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, Float16>)
      return;  // for the time it takes
    auto inputs = make_inputs<T>(c, {large}, TestLayout::contiguous);
    TestArray reversed(result_dtype(c, dtype_of<T>()), {large});
    ReverseContext context;
    run_kernel(c.name, {reversed.array()}, arrays_of(inputs), context);
    EXPECT_GE(context.chunks(), 3) << c.name;

    TestArray threaded(result_dtype(c, dtype_of<T>()), {large});
    ThreadsContext threads;
    run_kernel(c.name, {threaded.array()}, arrays_of(inputs), threads);
    ASSERT_EQ(threaded.contents(), reversed.contents()) << c.name;

    TestArray pieces(result_dtype(c, dtype_of<T>()), {large});
    ReverseContext unused;
    for (std::int64_t begin = 0; begin < large; begin += piece) {
      const std::int64_t shape[] = {std::min(piece, large - begin)};
      const auto part = [&](TestArray& whole) {
        Array array = whole.array();
        array.data += begin * static_cast<std::int64_t>(item_size(array.dtype));
        array.shape = shape;
        return array;
      };
      std::vector<Array> arguments;
      for (TestArray& input : inputs) arguments.push_back(part(input));
      run_kernel(c.name, {part(pieces)}, arguments, unused);
    }
    EXPECT_EQ(unused.calls(), 0) << "one chunk needs no other worker";
    ASSERT_EQ(pieces.contents(), reversed.contents()) << c.name;
  });
}

}  // namespace
}  // namespace stretto
