#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/layout.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"
#include "kernels/rules/sort_key.h"
#include "kernels/visit_size.h"

namespace stretto {
namespace {

constexpr int sort_threads = 256;
constexpr std::size_t alignment = 256;

// All lines are sorted at once, by elements and then, where there are several, by lines; both times equals keep their
// order. What is sorted are positions: the numbers of elements, line after line.

/// How many of a key's bits tell elements apart.
int key_bits(DType dtype) {
  return visit_dtype(dtype, []<class T>(std::type_identity<T>) { return rules::sort_key_bits<T>; });
}

template <class T>
__global__ void __launch_bounds__(sort_threads)
    make_items(const T* input, const __grid_constant__ Layout<1> lines, std::int64_t extent, std::int64_t stride,
               std::uint64_t flip, std::uint64_t* keys, std::int64_t* positions) {
  const std::int64_t count = lines.count * extent, step = static_cast<std::int64_t>(gridDim.x) * sort_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sort_threads + threadIdx.x; i < count; i += step) {
    keys[i] = rules::sort_key(widen(input[lines.offset(0, i / extent) + i % extent * stride])) ^ flip;
    positions[i] = i;
  }
}

__global__ void __launch_bounds__(sort_threads)
    number_lines(const std::int64_t* positions, std::int64_t count, std::int64_t extent, std::uint64_t* keys) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * sort_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sort_threads + threadIdx.x; i < count; i += step)
    keys[i] = static_cast<std::uint64_t>(positions[i] / extent);
}

/// The first elements of each sorted line. They are collected before they are written, since the output may be the
/// input.
template <class Bits>
__global__ void __launch_bounds__(sort_threads)
    collect(const Bits* input, const __grid_constant__ Layout<1> lines, std::int64_t extent, std::int64_t stride,
            const std::int64_t* positions, std::int64_t wanted, Bits* collected) {
  const std::int64_t count = lines.count * wanted, step = static_cast<std::int64_t>(gridDim.x) * sort_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sort_threads + threadIdx.x; i < count; i += step) {
    const std::int64_t line = i / wanted;
    const std::int64_t place = positions[line * extent + i % wanted] - line * extent;
    collected[i] = input[lines.offset(0, line) + place * stride];
  }
}

/// Operands of the layout: values, positions.
template <class Bits>
__global__ void __launch_bounds__(sort_threads)
    write_items(const Bits* collected, const std::int64_t* positions, const __grid_constant__ Layout<2> lines,
                std::int64_t extent, std::int64_t wanted, Bits* values, std::int64_t values_stride,
                std::int64_t* places, std::int64_t places_stride) {
  const std::int64_t count = lines.count * wanted, step = static_cast<std::int64_t>(gridDim.x) * sort_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sort_threads + threadIdx.x; i < count; i += step) {
    const std::int64_t line = i / wanted, rank = i % wanted;
    std::int64_t offsets[2];
    lines.offsets(line, offsets);
    values[offsets[0] + rank * values_stride] = collected[i];
    places[offsets[1] + rank * places_stride] = positions[line * extent + rank] - line * extent;
  }
}

using Keys = cub::DoubleBuffer<std::uint64_t>;
using Positions = cub::DoubleBuffer<std::int64_t>;

/// Sorts by the lowest `bits` of the keys; equals keep their order. `space` null: says how much it needs.
std::size_t sort_items(std::byte* space, std::size_t bytes, Keys& keys, Positions& positions, std::int64_t count,
                       int bits, cudaStream_t stream) {
  check_cuda(cub::DeviceRadixSort::SortPairs(space, bytes, keys, positions, count, 0, bits, stream),
             "cub::DeviceRadixSort");
  return bytes;
}

/// outputs: the first elements along the axis in order, and where each was; how many is the extent of the outputs.
void sort(const KernelCall& call, KernelContext& context) {
  const auto parameters = call.parameters.get<AxisParameters>();
  const Array& input = call.inputs[0];
  const Array& values = call.outputs[0];
  const Array& places = call.outputs[1];
  if (values.numel() == 0) return;
  const std::int64_t axis = parameters.axis, count = input.numel();
  const bool flat = input.rank == 0;
  const auto along = [&](const std::int64_t* numbers, std::int64_t otherwise) {
    return flat ? otherwise : numbers[axis];
  };
  const std::int64_t extent = along(input.shape, 1), wanted = along(values.shape, 1);
  const Layout<1> lines = layout_of(axis, input);

  CudaKernelContext& cuda = cuda_context(context);
  const cudaStream_t stream = cuda.stream();
  const int line_bits = std::bit_width(static_cast<std::uint64_t>(lines.count - 1));
  Keys keys;
  Positions positions;
  const std::size_t temporary =
      std::max(sort_items(nullptr, 0, keys, positions, count, key_bits(input.dtype), stream),
               sort_items(nullptr, 0, keys, positions, count, std::max(line_bits, 1), stream));
  const std::size_t part = (static_cast<std::size_t>(count) * 8 + alignment - 1) / alignment * alignment;
  std::byte* const space = cuda.workspace(4 * part + temporary);
  const auto at = [&](std::size_t index) { return space + index * part; };
  keys = Keys(reinterpret_cast<std::uint64_t*>(at(0)), reinterpret_cast<std::uint64_t*>(at(1)));
  positions = Positions(reinterpret_cast<std::int64_t*>(at(2)), reinterpret_cast<std::int64_t*>(at(3)));

  const unsigned blocks = grid_of(divide_up(count, sort_threads));
  visit_dtype(input.dtype, [&]<class T>(std::type_identity<T>) {
    make_items<T><<<blocks, sort_threads, 0, stream>>>(input.as<const T>(), lines, extent, along(input.strides, 1),
                                                       parameters.descending ? ~std::uint64_t{0} : 0, keys.Current(),
                                                       positions.Current());
  });
  sort_items(at(4), temporary, keys, positions, count, key_bits(input.dtype), stream);
  if (line_bits > 0) {
    number_lines<<<blocks, sort_threads, 0, stream>>>(positions.Current(), count, extent, keys.Current());
    sort_items(at(4), temporary, keys, positions, count, line_bits, stream);
  }
  visit_size(input.dtype, [&]<class Bits>(std::type_identity<Bits>) {
    const unsigned few = grid_of(divide_up(lines.count * wanted, sort_threads));
    auto* const collected = reinterpret_cast<Bits*>(keys.Alternate());
    collect<Bits><<<few, sort_threads, 0, stream>>>(input.as<const Bits>(), lines, extent, along(input.strides, 1),
                                                    positions.Current(), wanted, collected);
    write_items<Bits><<<few, sort_threads, 0, stream>>>(collected, positions.Current(), layout_of(axis, values, places),
                                                        extent, wanted, values.as<Bits>(), along(values.strides, 1),
                                                        places.as<std::int64_t>(), along(places.strides, 1));
  });
  check_launch();
}

const KernelRegistration registrations[] = {
    {"sort", DeviceKind::cuda, &sort},
    {"topk", DeviceKind::cuda, &sort},
};

}  // namespace
}  // namespace stretto
