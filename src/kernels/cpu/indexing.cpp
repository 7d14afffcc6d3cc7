#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <stretto/base/error.h>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/dimensions.h"
#include "kernels/cpu/element_types.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"
#include "kernels/rules/failures.h"
#include "kernels/visit_size.h"

namespace stretto {

namespace {

constexpr std::int64_t elements_a_chunk = 16384;

std::int64_t lines_a_chunk(std::int64_t elements_a_line) {
  return std::max<std::int64_t>(1, elements_a_chunk / std::max<std::int64_t>(1, elements_a_line));
}

Dimensions all_dimensions(const Array& array) { return lines_along(array, -1); }

// Throws before anything is written, and names the first index, in C order, that is outside, however the work is cut.
void check_indices(const Array& index, std::int64_t extent, const std::string& where, KernelContext& context) {
  const Dimensions dimensions = all_dimensions(index);
  const auto* const indices = index.as<const std::int64_t>();
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> first_outside = none;
  run_ranges(context, dimensions.count(), elements_a_chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t value = indices[dimensions.offset(i)];
      if (!rules::is_outside(value, extent)) continue;
      std::int64_t known = first_outside.load();
      while (i < known && !first_outside.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  if (first_outside == none) return;
  throw rules::index_out_of_range(indices[dimensions.offset(first_outside)], where);
}

void check_axis_indices(const Array& index, const Array& indexed, std::int64_t axis, KernelContext& context) {
  check_indices(index, indexed.shape[axis], rules::place_of_axis(indexed, axis), context);
}

// output[..., k, ...] = x[..., index[..., k, ...], ...]
void gather_kernel(const KernelCall& call, KernelContext& context) {
  const Array& x = call.inputs[0];
  const Array& index = call.inputs[1];
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  if (output.numel() == 0) return;
  check_axis_indices(index, x, axis, context);
  const std::int64_t count = output.shape[axis];
  const Dimensions x_lines = lines_along(x, axis), index_lines = lines_along(index, axis);
  const Dimensions out_lines = lines_along(output, axis);
  visit_size(output.dtype, [&]<class T>(std::type_identity<T>) {
    run_ranges(context, out_lines.count(), lines_a_chunk(count), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        const T* const from = x.as<const T>() + x_lines.offset(line);
        const auto* const indices = index.as<const std::int64_t>() + index_lines.offset(line);
        T* const to = output.as<T>() + out_lines.offset(line);
        for (std::int64_t k = 0; k < count; ++k) {
          to[k * output.strides[axis]] = from[indices[k * index.strides[axis]] * x.strides[axis]];
        }
      }
    });
  });
}

// The dimensions behind an axis, if their elements lie side by side; then they are moved at once.
bool is_block_behind(const Array& array, std::int64_t axis) {
  Dimensions behind;
  for (std::int64_t i = axis + 1; i < array.rank; ++i) behind.append(array.shape[i], array.strides[i]);
  return behind.rank == 0 || (behind.rank == 1 && behind.strides[0] == 1);
}

Dimensions dimensions_before(const Array& array, std::int64_t axis) {
  Dimensions before;
  for (std::int64_t i = 0; i < axis; ++i) before.append(array.shape[i], array.strides[i]);
  return before;
}

// output[..., k, ...] = x[..., index[k], ...]
void index_select_kernel(const KernelCall& call, KernelContext& context) {
  const Array& x = call.inputs[0];
  const Array& index = call.inputs[1];
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  check_axis_indices(index, x, axis, context);
  if (output.numel() == 0) return;
  const std::int64_t count = output.shape[axis];
  const auto source = [&](std::int64_t k) {
    return index.as<const std::int64_t>()[k * index.strides[0]] * x.strides[axis];
  };
  visit_size(output.dtype, [&]<class T>(std::type_identity<T>) {
    if (is_block_behind(x, axis) && is_block_behind(output, axis)) {
      const Dimensions x_before = dimensions_before(x, axis), out_before = dimensions_before(output, axis);
      const std::int64_t slices = out_before.count() * count;
      const std::int64_t block = output.numel() / slices;
      run_ranges(context, slices, lines_a_chunk(block), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t slice = begin; slice < end; ++slice) {
          const std::int64_t k = slice % count;
          std::memcpy(output.as<T>() + out_before.offset(slice / count) + k * output.strides[axis],
                      x.as<const T>() + x_before.offset(slice / count) + source(k),
                      static_cast<std::size_t>(block) * sizeof(T));
        }
      });
      return;
    }
    const Dimensions x_lines = lines_along(x, axis), out_lines = lines_along(output, axis);
    run_ranges(context, out_lines.count(), lines_a_chunk(count), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        const T* const from = x.as<const T>() + x_lines.offset(line);
        T* const to = output.as<T>() + out_lines.offset(line);
        for (std::int64_t k = 0; k < count; ++k) to[k * output.strides[axis]] = from[source(k)];
      }
    });
  });
}

template <typename T>
T add(T a, T b) {
  if constexpr (Half<T>) {
    return T(static_cast<float>(a) + static_cast<float>(b));
  } else if constexpr (Boolean<T>) {
    return a || b;
  } else if constexpr (Integer<T>) {
    return rules::sum(a, b);
  } else {
    return a + b;
  }
}

// output[..., index[k], ...] += source[..., k, ...], in order of k for each element, which one thread alone changes.
void index_add_kernel(const KernelCall& call, KernelContext& context) {
  const Array& index = call.inputs[0];
  const Array& source = call.inputs[1];
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  check_axis_indices(index, output, axis, context);
  if (source.numel() == 0) return;
  const std::int64_t count = source.shape[axis];
  const Dimensions source_lines = lines_along(source, axis), out_lines = lines_along(output, axis);
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    // Lines are taken in stretches of the innermost dimension, so that those side by side are walked together.
    constexpr std::int64_t stretch = 64;
    run_ranges(context, out_lines.count(), std::max(stretch, lines_a_chunk(count)),
               [&](std::int64_t begin, std::int64_t end) {
                 std::int64_t from[stretch], to[stretch];
                 for (std::int64_t first = begin; first < end; first += stretch) {
                   const std::int64_t lines = std::min(stretch, end - first);
                   for (std::int64_t i = 0; i < lines; ++i) {
                     from[i] = source_lines.offset(first + i);
                     to[i] = out_lines.offset(first + i);
                   }
                   for (std::int64_t k = 0; k < count; ++k) {
                     const std::int64_t at = index.as<const std::int64_t>()[k * index.strides[0]];
                     const T* const added = source.as<const T>() + k * source.strides[axis];
                     T* const sums = output.as<T>() + at * output.strides[axis];
                     for (std::int64_t i = 0; i < lines; ++i) sums[to[i]] = add(sums[to[i]], added[from[i]]);
                   }
                 }
               });
  });
}

// output[..., c] = index[...] == c
void one_hot_kernel(const KernelCall& call, KernelContext& context) {
  const Array& index = call.inputs[0];
  const Array& output = call.outputs[0];
  const std::int64_t axis = output.rank - 1;
  const std::int64_t classes = output.shape[axis];
  check_indices(index, classes, rules::place_of_classes(classes), context);
  const Dimensions rows = lines_along(output, axis), indices = all_dimensions(index);
  run_ranges(context, indices.count(), lines_a_chunk(classes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t* const row = output.as<std::int64_t>() + rows.offset(i);
      for (std::int64_t c = 0; c < classes; ++c) row[c * output.strides[axis]] = 0;
      row[index.as<const std::int64_t>()[indices.offset(i)] * output.strides[axis]] = 1;
    }
  });
}

const KernelRegistration registrations[] = {
    {"gather", DeviceKind::cpu, &gather_kernel},
    {"index_select", DeviceKind::cpu, &index_select_kernel},
    {"index_add", DeviceKind::cpu, &index_add_kernel},
    {"one_hot", DeviceKind::cpu, &one_hot_kernel},
};

}  // namespace

}  // namespace stretto
