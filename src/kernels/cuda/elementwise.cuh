#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <stretto/base/error.h>

#include "kernels/cuda/check.h"
#include "kernels/cuda/compute.cuh"
#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/layout.cuh"

namespace stretto {

/// An input: memory, or one number for all elements.
template <class T>
struct ElementwiseInput {
  const T* data;  // null for a constant
  T constant;
};

/// An array as elements of T, whatever its dtype is called: of its size.
template <class T>
ElementwiseInput<T> input_bits(const Array& array) {
  ElementwiseInput<T> input{};
  if (array.constant) {
    std::memcpy(&input.constant, array.data, sizeof(T));
  } else {
    input.data = array.as<const T>();
  }
  return input;
}

template <class T, int count>
struct ElementwiseInputs {
  ElementwiseInput<T> inputs[count];
};

inline constexpr int elementwise_threads = 256;
/// Packets of a thread, all loaded before the first is used.
inline constexpr int packets_a_thread = 4;

/// A vector of `items` elements a step; the widest type moves 16 bytes.
template <class In, class Out>
inline constexpr int packet_items = 16 / static_cast<int>(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));

/// Elements side by side in every array.
template <class Op, class Out, class In, int count>
__global__ void __launch_bounds__(elementwise_threads)
    packed_kernel(Out* out, ElementwiseInputs<In, count> in, std::int64_t elements) {
  constexpr int items = packet_items<In, Out>;
  using InPacket = Packet<In, items>;
  using OutPacket = Packet<Out, items>;
  const std::int64_t packets = elements / items;
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (elementwise_threads * packets_a_thread) + threadIdx.x;
  InPacket loaded[packets_a_thread][count];
#pragma unroll
  for (int step = 0; step < packets_a_thread; ++step) {
    const std::int64_t packet = first + step * elementwise_threads;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (in.inputs[k].data == nullptr) {
#pragma unroll
        for (int i = 0; i < items; ++i) loaded[step][k].items[i] = in.inputs[k].constant;
      } else if (packet < packets) {
        loaded[step][k] = reinterpret_cast<const InPacket*>(in.inputs[k].data)[packet];
      }
    }
  }
#pragma unroll
  for (int step = 0; step < packets_a_thread; ++step) {
    const std::int64_t packet = first + step * elementwise_threads;
    if (packet < packets) {
      OutPacket result;
#pragma unroll
      for (int i = 0; i < items; ++i) {
        In x[count];
#pragma unroll
        for (int k = 0; k < count; ++k) x[k] = loaded[step][k].items[i];
        result.items[i] = compute<Op, Out>(x);
      }
      reinterpret_cast<OutPacket*>(out)[packet] = result;
    }
  }
  // What is left of the last packet.
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x < elements % items) {
    const std::int64_t at = packets * items + threadIdx.x;
    In x[count];
    for (int k = 0; k < count; ++k) x[k] = in.inputs[k].data == nullptr ? in.inputs[k].constant : in.inputs[k].data[at];
    out[at] = compute<Op, Out>(x);
  }
}

/// Any strides.
template <class Op, class Out, class In, int count>
__global__ void __launch_bounds__(elementwise_threads)
    strided_kernel(Out* out, ElementwiseInputs<In, count> in, Layout<count + 1> layout) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * elementwise_threads;
  for (std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * elementwise_threads + threadIdx.x;
       index < layout.count; index += step) {
    std::int64_t offsets[count + 1];
    layout.offsets(index, offsets);
    In x[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      x[k] = in.inputs[k].data == nullptr ? in.inputs[k].constant : in.inputs[k].data[offsets[k + 1]];
    }
    out[offsets[0]] = compute<Op, Out>(x);
  }
}

template <int count>
Layout<count + 1> elementwise_layout(const KernelCall& call) {
  static constexpr std::int64_t none[max_rank] = {};
  const Array& output = call.outputs[0];
  Layout<count + 1> layout;
  for (int axis = 0; axis < output.rank; ++axis) {
    std::int64_t strides[count + 1] = {output.strides[axis]};
    for (int k = 0; k < count; ++k) strides[k + 1] = (call.inputs[k].constant ? none : call.inputs[k].strides)[axis];
    layout.append(output.shape[axis], strides);
  }
  return layout;
}

/// Computes outputs[0] of `count` inputs of one type. The same bits for every layout.
template <class Op, class Out, class In, int count>
void run_elementwise(const KernelCall& call, KernelContext& context) {
  const Layout<count + 1> layout = elementwise_layout<count>(call);
  if (layout.count == 0) return;
  const cudaStream_t stream = cuda_context(context).stream();
  Out* const out = call.outputs[0].as<Out>();
  ElementwiseInputs<In, count> in{};
  constexpr int items = packet_items<In, Out>;
  const auto packed = [&](const void* data, std::size_t size, int operand) {
    return layout.contiguous(operand) && reinterpret_cast<std::uintptr_t>(data) % (size * items) == 0;
  };
  bool all_packed = packed(out, sizeof(Out), 0);
  for (int k = 0; k < count; ++k) {
    in.inputs[k] = input_bits<In>(call.inputs[k]);
    if (!call.inputs[k].constant) all_packed = all_packed && packed(in.inputs[k].data, sizeof(In), k + 1);
  }
  if (all_packed) {
    const std::int64_t packets = divide_up(layout.count, items);
    packed_kernel<Op, Out, In, count>
        <<<grid_of(divide_up(packets, elementwise_threads * packets_a_thread)), elementwise_threads, 0, stream>>>(
            out, in, layout.count);
  } else {
    strided_kernel<Op, Out, In, count>
        <<<grid_of(divide_up(layout.count, elementwise_threads)), elementwise_threads, 0, stream>>>(out, in, layout);
  }
  check_launch();
}

/// Whether the operator is defined for elements of T, and what it makes of them.
template <class Op, class T, int count>
struct ElementwiseResult {
  static constexpr bool defined = false;
};
template <class Op, class T>
  requires requires(Computed<T> x) { Op::apply(x); }
struct ElementwiseResult<Op, T, 1> {
  static constexpr bool defined = true;
  using Value = decltype(Op::apply(Computed<T>{}));
};
template <class Op, class T>
  requires requires(Computed<T> x) { Op::apply(x, x); }
struct ElementwiseResult<Op, T, 2> {
  static constexpr bool defined = true;
  using Value = decltype(Op::apply(Computed<T>{}, Computed<T>{}));
};
template <class Op, class T>
  requires requires(Computed<T> x) { Op::apply(x, x, x); }
struct ElementwiseResult<Op, T, 3> {
  static constexpr bool defined = true;
  using Value = decltype(Op::apply(Computed<T>{}, Computed<T>{}, Computed<T>{}));
};

[[noreturn]] inline void throw_dtype(DType dtype) {
  throw DTypeError("the operation is not defined for dtype " + std::string(name(dtype)));
}

/// The kernel of an operator: which one is looked up by the type of its last input. A comparison gives bool.
template <class Op, int count>
void elementwise(const KernelCall& call, KernelContext& context) {
  const DType dtype = call.inputs.back().dtype;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    using Result = ElementwiseResult<Op, T, count>;
    if constexpr (Result::defined) {
      constexpr bool asks = std::same_as<typename Result::Value, bool> && !Boolean<T>;
      run_elementwise<Op, std::conditional_t<asks, bool, T>, T, count>(call, context);
    } else {
      throw_dtype(dtype);
    }
  });
}

}  // namespace stretto
