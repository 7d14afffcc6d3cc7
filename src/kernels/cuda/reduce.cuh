#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/folds.cuh"
#include "kernels/cuda/layout.cuh"

namespace stretto {

// How a reduction is computed. Each result is a tree over its elements in C order, the same tree for every layout:
// segments of `segment` elements, in a segment 32 lanes that take fours in turn, folded in halves; then the values of
// the segments are folded in the same way, until there is one. So no layout and no grid changes a result.

inline constexpr std::int64_t segment = 2048;
inline constexpr int fold_lanes = 32;
inline constexpr int fold_threads = 256;

/// What is kept and what is reduced of an array, as offsets into it.
struct ReducedLayout {
  Layout<2> kept;     // input, output
  Layout<1> reduced;  // input
  std::int64_t results;
  std::int64_t elements;

  /// An axis of `input` is reduced where `output` has extent 1.
  ReducedLayout(const Array& input, const Array& output) {
    for (int axis = 0; axis < input.rank; ++axis) {
      if (output.shape[axis] == 1) {
        reduced.append(input.shape[axis], {input.strides[axis]});
      } else {
        kept.append(input.shape[axis], {input.strides[axis], output.strides[axis]});
      }
    }
    results = kept.count;
    elements = reduced.count;
  }
  /// Whether results side by side in the input are walked together, a thread each.
  bool by_columns() const {
    const bool rows_packed = reduced.rank == 0 || reduced.strides[0][reduced.rank - 1] == 1;
    return !rows_packed && kept.rank > 0 && kept.strides[0][kept.rank - 1] == 1 &&
           kept.extents[kept.rank - 1] >= fold_lanes / 4;
  }
};

template <class Value>
__device__ Value shuffle_down(Value value, int distance) {
  if constexpr (sizeof(Value) <= 8) {
    return __shfl_down_sync(0xffffffff, value, distance);
  } else {
    using Extreme = decltype(value.value);
    return {static_cast<Extreme>(__shfl_down_sync(0xffffffff, value.value, distance)),
            __shfl_down_sync(0xffffffff, value.position, distance)};
  }
}

/// Folds the 32 values of a warp; the first thread has the result.
template <class Fold>
__device__ typename Fold::Value fold_warp(typename Fold::Value value) {
#pragma unroll
  for (int distance = fold_lanes / 2; distance > 0; distance /= 2)
    value = Fold::join(value, shuffle_down(value, distance));
  return value;
}

/// One lane of a segment: fours of elements side by side, every 32nd of them, in order. `line.load_four<packed>` gives
/// four.
template <class Fold, bool packed, class Line>
__device__ typename Fold::Value fold_lane(const Line& line, std::int64_t first, std::int64_t count, int lane) {
  using Value = typename Fold::Value;
  constexpr int ahead = sizeof(Value) <= 8 ? 4 : 2;
  constexpr int stride = 4 * fold_lanes;
  Value value = Fold::neutral();
  std::int64_t i = 4 * lane;
  for (; i + (ahead - 1) * stride + 3 < count; i += ahead * stride) {
    Value loaded[ahead][4];
#pragma unroll
    for (int k = 0; k < ahead; ++k) line.template load_four<packed>(first + i + k * stride, loaded[k]);
#pragma unroll
    for (int k = 0; k < ahead; ++k)
#pragma unroll
      for (int item = 0; item < 4; ++item) value = Fold::join(value, loaded[k][item]);
  }
  for (; i < count; i += stride)
    for (int item = 0; item < 4 && i + item < count; ++item) value = Fold::join(value, line.load(first + i + item));
  return value;
}

/// A warp for each segment of each result.
template <class Fold, class Source>
__global__ void __launch_bounds__(fold_threads) fold_rows(const __grid_constant__ Source source, std::int64_t results,
                                                          std::int64_t elements, typename Fold::Value* values) {
  const std::int64_t segments = elements > segment ? (elements + segment - 1) / segment : 1;
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (fold_threads / fold_lanes);
  const int lane = threadIdx.x % fold_lanes;
  for (std::int64_t unit = (static_cast<std::int64_t>(blockIdx.x) * fold_threads + threadIdx.x) / fold_lanes;
       unit < results * segments; unit += warps) {
    const std::int64_t result = unit / segments;
    const std::int64_t first = unit % segments * segment;
    const std::int64_t count = elements - first < segment ? elements - first : segment;
    const auto line = source.line(result);
    // Asked once, so that the loads of a lane are all on their way before the first is used.
    const typename Fold::Value value = fold_warp<Fold>(line.packed ? fold_lane<Fold, true>(line, first, count, lane)
                                                                   : fold_lane<Fold, false>(line, first, count, lane));
    if (lane == 0) values[unit] = value;
  }
}

/// A block for each segment of 32 results side by side: 32 lines by 32 results.
template <class Fold, class Source>
__global__ void __launch_bounds__(fold_lanes* fold_lanes)
    fold_columns(const __grid_constant__ Source source, std::int64_t results, std::int64_t elements,
                 typename Fold::Value* values) {
  using Value = typename Fold::Value;
  __shared__ Value lines[fold_lanes][fold_lanes + 1];
  const std::int64_t segments = elements > segment ? (elements + segment - 1) / segment : 1;
  const std::int64_t groups = (results + fold_lanes - 1) / fold_lanes;
  for (std::int64_t unit = blockIdx.x; unit < groups * segments; unit += gridDim.x) {
    const std::int64_t result = unit / segments * fold_lanes + threadIdx.x;
    const std::int64_t first = unit % segments * segment;
    const std::int64_t left = elements - first;
    Value value = Fold::neutral();
    if (result < results) {
      const auto line = source.line(result);
      value = fold_lane<Fold, false>(line, first, left < segment ? left : segment, static_cast<int>(threadIdx.y));
    }
    lines[threadIdx.x][threadIdx.y] = value;
    __syncthreads();
    // From here on a warp is one result again.
    value = fold_warp<Fold>(lines[threadIdx.y][threadIdx.x]);
    const std::int64_t finished = unit / segments * fold_lanes + threadIdx.y;
    if (threadIdx.x == 0 && finished < results) values[finished * segments + unit % segments] = value;
    __syncthreads();
  }
}

/// Where an element of a line lies. Not inlined where it takes divisions: eight of them side by side take a compiler
/// minutes, and lines of several dimensions that do not merge are rare.
__noinline__ static __device__ std::int64_t divided_offset(const Layout<1>& layout, std::int64_t i) {
  return layout.offset(0, i);
}
__device__ inline std::int64_t line_offset(const Layout<1>& layout, std::int64_t i) {
  if (layout.rank > 1) return divided_offset(layout, i);
  return layout.rank == 0 ? 0 : i * layout.strides[0][0];
}

/// Of 32 bytes at most, loaded as two of 16 then.
template <class T>
struct alignas(sizeof(T) * 4 < 16 ? sizeof(T) * 4 : 16) Four {
  T items[4];
};

/// One line of an array: what is folded to one result.
template <class T>
struct ReducedLine {
  const T* data;
  const Layout<1>& reduced;
  bool packed;  ///< Fours can be loaded at once.

  __device__ ReducedLine(const T* begin, const Layout<1>& layout)
      : data(begin),
        reduced(layout),
        packed(layout.rank == 1 && layout.strides[0][0] == 1 &&
               reinterpret_cast<std::uintptr_t>(begin) % sizeof(Four<T>) == 0) {}

  __device__ T load(std::int64_t i) const { return data[line_offset(reduced, i)]; }
  template <bool at_once>
  __device__ Four<T> load_four(std::int64_t i) const {
    if constexpr (at_once) {
      return *reinterpret_cast<const Four<T>*>(data + i);
    } else {
      return {load(i), load(i + 1), load(i + 2), load(i + 3)};
    }
  }
};

/// Elements of an array, of type In.
template <class Fold, class In>
struct ArraySource {
  const In* data;
  Layout<2> kept;
  Layout<1> reduced;

  struct Line : ReducedLine<In> {
    using ReducedLine<In>::ReducedLine;
    __device__ typename Fold::Value load(std::int64_t i) const { return Fold::load(ReducedLine<In>::load(i), i); }
    template <bool at_once>
    __device__ void load_four(std::int64_t i, typename Fold::Value (&out)[4]) const {
      const Four<In> four = ReducedLine<In>::template load_four<at_once>(i);
#pragma unroll
      for (int k = 0; k < 4; ++k) out[k] = Fold::load(four.items[k], i + k);
    }
  };
  __device__ Line line(std::int64_t result) const { return {data + kept.offset(0, result), reduced}; }
};

/// The values of the segments of each result.
template <class Value>
struct ValueSource {
  const Value* values;
  std::int64_t count;

  struct Line {
    static constexpr bool packed = false;
    const Value* values;
    __device__ Value load(std::int64_t i) const { return values[i]; }
    template <bool>
    __device__ void load_four(std::int64_t i, Value (&out)[4]) const {
      for (int k = 0; k < 4; ++k) out[k] = values[i + k];
    }
  };
  __device__ Line line(std::int64_t result) const { return {values + result * count}; }
};

inline std::int64_t segments_of(std::int64_t elements) {
  return std::max<std::int64_t>(1, divide_up(elements, segment));
}

/// How many values a reduction needs space for, the results among them.
inline std::int64_t values_needed(std::int64_t results, std::int64_t elements) {
  std::int64_t values = 0;
  do {
    elements = segments_of(elements);
    values += results * elements;
  } while (elements > 1);
  return values;
}

/// Folds each result of `source`; `space` is for `values_needed` values. Returns where the results are.
template <class Fold, class Source>
const typename Fold::Value* fold_all(const Source& source, std::int64_t results, std::int64_t elements, bool by_columns,
                                     typename Fold::Value* space, cudaStream_t stream) {
  using Value = typename Fold::Value;
  constexpr std::int64_t warps = fold_threads / fold_lanes;
  std::int64_t segments = segments_of(elements);
  if (by_columns) {
    fold_columns<Fold><<<grid_of(divide_up(results, fold_lanes) * segments), dim3(fold_lanes, fold_lanes), 0, stream>>>(
        source, results, elements, space);
  } else {
    fold_rows<Fold>
        <<<grid_of(divide_up(results * segments, warps)), fold_threads, 0, stream>>>(source, results, elements, space);
  }
  while (segments > 1) {
    const std::int64_t next = segments_of(segments);
    Value* const folded = space + results * segments;
    fold_rows<Fold><<<grid_of(divide_up(results * next, warps)), fold_threads, 0, stream>>>(
        ValueSource<Value>{space, segments}, results, segments, folded);
    space = folded;
    segments = next;
  }
  return space;
}

template <class Finish, class Value, class Out>
__global__ void __launch_bounds__(fold_threads)
    write_results(const Value* values, Layout<2> kept, Finish finish, Out* out) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * fold_threads;
  for (std::int64_t result = static_cast<std::int64_t>(blockIdx.x) * fold_threads + threadIdx.x; result < kept.count;
       result += step) {
    out[kept.offset(1, result)] = convert<Out>(finish(values[result]));
  }
}

template <class Out, class Finish, class Value>
void write(const Value* values, const ReducedLayout& layout, Finish finish, const Array& output, cudaStream_t stream) {
  if (layout.results == 0) return;
  write_results<<<grid_of(divide_up(layout.results, fold_threads)), fold_threads, 0, stream>>>(
      values, layout.kept, finish, output.as<Out>());
  check_launch();
}

}  // namespace stretto
