#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/dimensions.h"
#include "kernels/cpu/element_types.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"
#include "kernels/rules/sort_key.h"

namespace stretto {

namespace {

constexpr std::int64_t elements_a_chunk = 2048;
// Longer lines are sorted in blocks of this many elements, which are then merged.
constexpr std::int64_t sorted_block = 32768;
// So many lines keep all threads busy, a line each.
constexpr std::int64_t enough_lines = 16;

// An element on its way to its place. Equal keys keep their order, so all items of a line differ, and however a line is
// sorted the result is the same.
struct Item {
  std::uint64_t key;
  std::int64_t position;

  bool operator<(const Item& other) const { return key < other.key || (key == other.key && position < other.position); }
};

// One line of the input and where its sorted elements and their positions go.
struct SortedLine {
  const Array& input;
  const Array& values;
  const Array& positions;
  std::int64_t axis;
  std::int64_t input_offset;
  std::int64_t values_offset;
  std::int64_t positions_offset;

  std::int64_t count() const { return input.shape[axis]; }
};

template <class T>
auto computed(T x) {
  if constexpr (Half<T>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

void make_items(const SortedLine& line, bool descending, std::int64_t begin, std::int64_t end, Item* items) {
  visit_dtype(line.input.dtype, [&]<class T>(std::type_identity<T>) {
    const T* const from = line.input.as<const T>() + line.input_offset;
    const std::uint64_t flip = descending ? ~std::uint64_t{0} : 0;
    for (std::int64_t i = begin; i < end; ++i) {
      items[i] = {rules::sort_key(computed(from[i * line.input.strides[line.axis]])) ^ flip, i};
    }
  });
}

// Writes the first items; the values are collected first, since the output may be the input.
void write_items(const SortedLine& line, const Item* items) {
  const std::int64_t count = line.values.shape[line.axis];
  std::int64_t* const positions = line.positions.as<std::int64_t>() + line.positions_offset;
  for (std::int64_t i = 0; i < count; ++i) positions[i * line.positions.strides[line.axis]] = items[i].position;
  visit_dtype(line.input.dtype, [&]<class T>(std::type_identity<T>) {
    const Scratch collected(static_cast<std::size_t>(count) * sizeof(T));
    const T* const from = line.input.as<const T>() + line.input_offset;
    T* const to = line.values.as<T>() + line.values_offset;
    for (std::int64_t i = 0; i < count; ++i) {
      collected.as<T>()[i] = from[items[i].position * line.input.strides[line.axis]];
    }
    for (std::int64_t i = 0; i < count; ++i) to[i * line.values.strides[line.axis]] = collected.as<T>()[i];
  });
}

// Sorts one long line: blocks side by side, then pairs of neighbours are merged until one is left.
void sort_long_line(const SortedLine& line, bool descending, KernelContext& context) {
  const std::int64_t count = line.count();
  const Scratch scratch(2 * static_cast<std::size_t>(count) * sizeof(Item));
  Item* items = scratch.as<Item>();
  Item* merged = items + count;
  run_ranges(context, count, sorted_block, [&](std::int64_t begin, std::int64_t end) {
    make_items(line, descending, begin, end, items);
    std::sort(items + begin, items + end);
  });
  for (std::int64_t width = sorted_block; width < count; width *= 2) {
    run_ranges(context, count, 2 * width, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t middle = std::min(begin + width, end);
      std::merge(items + begin, items + middle, items + middle, items + end, merged + begin);
    });
    std::swap(items, merged);
  }
  write_items(line, items);
}

// Calls `sort_line` for each line along the axis.
template <typename SortLine>
void for_each_line(const KernelCall& call, KernelContext& context, std::int64_t lines_a_chunk, SortLine sort_line) {
  const Array& input = call.inputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  const Dimensions lines[] = {lines_along(input, axis), lines_along(call.outputs[0], axis),
                              lines_along(call.outputs[1], axis)};
  run_ranges(context, lines[0].count(), lines_a_chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      sort_line(SortedLine{input, call.outputs[0], call.outputs[1], axis, lines[0].offset(i), lines[1].offset(i),
                           lines[2].offset(i)});
    }
  });
}

// outputs: the elements along the axis in order, and where each was.
void sort_kernel(const KernelCall& call, KernelContext& context) {
  const auto parameters = call.parameters.get<AxisParameters>();
  const std::int64_t count = call.inputs[0].shape[parameters.axis];
  if (call.inputs[0].numel() == 0) return;
  const std::int64_t lines = call.inputs[0].numel() / count;
  if (count > sorted_block && lines < enough_lines) {
    // One line after another, each on many threads.
    for_each_line(call, context, lines,
                  [&](const SortedLine& line) { sort_long_line(line, parameters.descending, context); });
    return;
  }
  for_each_line(call, context, std::max<std::int64_t>(1, elements_a_chunk / count), [&](const SortedLine& line) {
    const Scratch items(static_cast<std::size_t>(count) * sizeof(Item));
    make_items(line, parameters.descending, 0, count, items.as<Item>());
    std::sort(items.as<Item>(), items.as<Item>() + count);
    write_items(line, items.as<Item>());
  });
}

// outputs: the first k elements along the axis in order, and where each was; k is the extent of the outputs.
void topk_kernel(const KernelCall& call, KernelContext& context) {
  const auto parameters = call.parameters.get<AxisParameters>();
  const std::int64_t count = call.inputs[0].shape[parameters.axis];
  if (call.outputs[0].numel() == 0) return;
  for_each_line(call, context, std::max<std::int64_t>(1, elements_a_chunk / count), [&](const SortedLine& line) {
    const std::int64_t wanted = line.values.shape[line.axis];
    const Scratch scratch(static_cast<std::size_t>(count) * sizeof(Item));
    Item* const items = scratch.as<Item>();
    make_items(line, parameters.descending, 0, count, items);
    std::nth_element(items, items + wanted - 1, items + count);
    std::sort(items, items + wanted);
    write_items(line, items);
  });
}

const KernelRegistration registrations[] = {
    {"sort", DeviceKind::cpu, &sort_kernel},
    {"topk", DeviceKind::cpu, &topk_kernel},
};

}  // namespace

}  // namespace stretto
