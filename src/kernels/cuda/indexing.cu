#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/find_fault.cuh"
#include "kernels/cuda/layout.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"
#include "kernels/rules/failures.h"
#include "kernels/visit_size.h"

namespace stretto {
namespace {

constexpr int index_threads = 256;

struct IsOutside {
  std::int64_t extent;
  __host__ __device__ bool operator()(std::int64_t index) const { return rules::is_outside(index, extent); }
};

void check_indices(const Array& index, std::int64_t extent, const std::string& where, KernelContext& context) {
  fail_for_bad_element<std::int64_t>(index, IsOutside{extent}, context, [where](const DeviceFault& fault) {
    return std::make_exception_ptr(rules::index_out_of_range(fault.value, where));
  });
}

void check_axis_indices(const Array& index, const Array& indexed, std::int64_t axis, KernelContext& context) {
  check_indices(index, indexed.shape[axis], rules::place_of_axis(indexed, axis), context);
}

/// A thread an element of the output. Operands of the layout: output, x (its stride along the axis 0), index.
template <class T>
__global__ void __launch_bounds__(index_threads)
    gather_kernel(T* out, const T* x, const std::int64_t* index, Layout<3> layout, std::int64_t x_extent,
                  std::int64_t x_stride) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * index_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x; i < layout.count;
       i += step) {
    std::int64_t offsets[3];
    layout.offsets(i, offsets);
    const std::int64_t at = index[offsets[2]];
    if (at >= 0 && at < x_extent) out[offsets[0]] = x[offsets[1] + at * x_stride];
  }
}

/// outputs[0][..., k, ...] = x[..., index, ...], where the index has the strides given.
void run_gather(const KernelCall& call, KernelContext& context, const std::int64_t* index_strides) {
  const Array& x = call.inputs[0];
  const Array& index = call.inputs[1];
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  check_axis_indices(index, x, axis, context);
  Layout<3> layout;
  for (int i = 0; i < output.rank; ++i)
    layout.append(output.shape[i], {output.strides[i], i == axis ? 0 : x.strides[i], index_strides[i]});
  if (layout.count == 0) return;
  visit_size(output.dtype, [&]<class T>(std::type_identity<T>) {
    gather_kernel<T>
        <<<grid_of(divide_up(layout.count, index_threads)), index_threads, 0, cuda_context(context).stream()>>>(
            output.as<T>(), x.as<const T>(), index.as<const std::int64_t>(), layout, x.shape[axis], x.strides[axis]);
  });
  check_launch();
}

void gather(const KernelCall& call, KernelContext& context) {
  if (call.outputs[0].numel() > 0) run_gather(call, context, call.inputs[1].strides);
}

/// The index is a vector along the axis.
void index_select(const KernelCall& call, KernelContext& context) {
  std::int64_t strides[max_rank] = {};
  strides[call.parameters.get<AxisParameters>().axis] = call.inputs[1].strides[0];
  run_gather(call, context, strides);
}

template <class T>
__device__ T add(T a, T b) {
  if constexpr (Half<T>)
    return convert<T>(widen(a) + widen(b));
  else if constexpr (Boolean<T>)
    return a || b;
  else if constexpr (Integer<T>)
    return rules::sum(a, b);
  else
    return a + b;
}

/// A thread a line along the axis, which it alone changes, in order of k.
template <class T>
__global__ void __launch_bounds__(index_threads)
    index_add_kernel(T* out, const T* source, const std::int64_t* index, Layout<2> lines, std::int64_t count,
                     std::int64_t out_extent, std::int64_t out_stride, std::int64_t source_stride,
                     std::int64_t index_stride) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * index_threads;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x; line < lines.count;
       line += step) {
    std::int64_t offsets[2];
    lines.offsets(line, offsets);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t at = index[k * index_stride];
      if (at < 0 || at >= out_extent) continue;
      T& sum = out[offsets[0] + at * out_stride];
      sum = add(sum, source[offsets[1] + k * source_stride]);
    }
  }
}

void index_add(const KernelCall& call, KernelContext& context) {
  const Array& index = call.inputs[0];
  const Array& source = call.inputs[1];
  const Array& output = call.outputs[0];
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  check_axis_indices(index, output, axis, context);
  if (source.numel() == 0) return;
  const Layout<2> lines = layout_of(axis, output, source);
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    index_add_kernel<T>
        <<<grid_of(divide_up(lines.count, index_threads)), index_threads, 0, cuda_context(context).stream()>>>(
            output.as<T>(), source.as<const T>(), index.as<const std::int64_t>(), lines, source.shape[axis],
            output.shape[axis], output.strides[axis], source.strides[axis], index.strides[0]);
  });
  check_launch();
}

/// output[..., c] = index[...] == c
__global__ void __launch_bounds__(index_threads)
    one_hot_kernel(std::int64_t* out, const std::int64_t* index, Layout<2> layout, std::int64_t classes) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * index_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * index_threads + threadIdx.x; i < layout.count;
       i += step) {
    std::int64_t offsets[2];
    layout.offsets(i, offsets);
    out[offsets[0]] = index[offsets[1]] == i % classes ? 1 : 0;
  }
}

void one_hot(const KernelCall& call, KernelContext& context) {
  const Array& index = call.inputs[0];
  const Array& output = call.outputs[0];
  const std::int64_t classes = output.shape[output.rank - 1];
  check_indices(index, classes, rules::place_of_classes(classes), context);
  Layout<2> layout;
  for (int i = 0; i < output.rank; ++i)
    layout.append(output.shape[i], {output.strides[i], i < index.rank ? index.strides[i] : 0});
  if (layout.count == 0) return;
  one_hot_kernel<<<grid_of(divide_up(layout.count, index_threads)), index_threads, 0, cuda_context(context).stream()>>>(
      output.as<std::int64_t>(), index.as<const std::int64_t>(), layout, classes);
  check_launch();
}

const KernelRegistration registrations[] = {
    {"gather", DeviceKind::cuda, &gather},
    {"index_select", DeviceKind::cuda, &index_select},
    {"index_add", DeviceKind::cuda, &index_add},
    {"one_hot", DeviceKind::cuda, &one_hot},
};

}  // namespace
}  // namespace stretto
