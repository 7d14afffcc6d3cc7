#include <cmath>
#include <cstdint>
#include <exception>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cuda/find_fault.cuh"
#include "kernels/cuda/line_folds.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"
#include "kernels/rules/failures.h"

namespace stretto {
namespace {

// All of these compute in double, of which each element is one rounding; these GPUs have the throughput for it. A block
// takes a line, so the order of its sums is a function of the line's length alone.

struct SoftmaxLine {
  template <class In, class Out>
  static __device__ void apply(LineView<In> x, LineView<In>, LineView<Out> out) {
    const Exponentials all = exponentials(x);
    each(x, [&](std::int64_t i) { out.store(i, std::exp(x.load(i) - all.largest) / all.sum); });
  }
};

struct LogSoftmaxLine {
  template <class In, class Out>
  static __device__ void apply(LineView<In> x, LineView<In>, LineView<Out> out) {
    const Exponentials all = exponentials(x);
    const double log_of_sum = std::log(all.sum);
    each(x, [&](std::int64_t i) { out.store(i, x.load(i) - all.largest - log_of_sum); });
  }
};

// Of the gradient and the softmax y: y * (gradient - sum(gradient * y)).
struct SoftmaxBackwardLine {
  template <class In, class Out>
  static __device__ void apply(LineView<In> gradient, LineView<In> y, LineView<Out> out) {
    const double dot = fold_block<PlusFold>(gradient, [&](std::int64_t i) { return gradient.load(i) * y.load(i); });
    each(y, [&](std::int64_t i) { out.store(i, y.load(i) * (gradient.load(i) - dot)); });
  }
};

// Of the gradient and the log softmax y: gradient - exp(y) * sum(gradient).
struct LogSoftmaxBackwardLine {
  template <class In, class Out>
  static __device__ void apply(LineView<In> gradient, LineView<In> y, LineView<Out> out) {
    const double sum = fold_block<PlusFold>(gradient, [&](std::int64_t i) { return gradient.load(i); });
    each(y, [&](std::int64_t i) { out.store(i, gradient.load(i) - std::exp(y.load(i)) * sum); });
  }
};

template <class Op, class T>
__global__ void __launch_bounds__(line_threads)
    lines_kernel(const T* first, const T* second, T* out, Layout<3> lines, std::int64_t extent,
                 std::int64_t first_stride, std::int64_t second_stride, std::int64_t out_stride) {
  for (std::int64_t line = blockIdx.x; line < lines.count; line += gridDim.x) {
    std::int64_t offsets[3];
    lines.offsets(line, offsets);
    Op::apply(LineView<const T>{first + offsets[0], first_stride, extent},
              LineView<const T>{second + offsets[1], second_stride, extent},
              LineView<T>{out + offsets[2], out_stride, extent});
    __syncthreads();
  }
}

template <class F>
void with_floating(DType dtype, F f) {
  visit_dtype(dtype, [&]<class T>(std::type_identity<T> type) {
    if constexpr (Real<T> || Half<T>) {
      f(type);
    } else {
      throw DTypeError("the operation is not defined for dtype " + std::string(name(dtype)));
    }
  });
}

template <class Op>
void along_axis(const KernelCall& call, KernelContext& context) {
  const Array& first = call.inputs.front();
  const Array& second = call.inputs.back();
  const Array& output = call.outputs[0];
  if (output.numel() == 0) return;
  const std::int64_t axis = call.parameters.get<AxisParameters>().axis;
  const Layout<3> lines = layout_of(axis, first, second, output);
  const bool flat = output.rank == 0;
  with_floating(output.dtype, [&]<class T>(std::type_identity<T>) {
    lines_kernel<Op, T><<<grid_of(lines.count), line_threads, 0, cuda_context(context).stream()>>>(
        first.as<const T>(), second.as<const T>(), output.as<T>(), lines, flat ? 1 : output.shape[axis],
        flat ? 1 : first.strides[axis], flat ? 1 : second.strides[axis], flat ? 1 : output.strides[axis]);
  });
  check_launch();
}

struct IsNoLabel {
  std::int64_t classes;
  __host__ __device__ bool operator()(std::int64_t label) const { return rules::is_outside(label, classes); }
};

void check_labels(const Array& labels, std::int64_t classes, KernelContext& context) {
  fail_for_bad_element<std::int64_t>(labels, IsNoLabel{classes}, context, [classes](const DeviceFault& fault) {
    return std::make_exception_ptr(rules::label_out_of_range(fault.value, fault.position - 1, classes));
  });
}

struct RowStrides {
  std::int64_t logits_row, logits_class, labels, out_row, out_class, gradients;
};

/// The loss of a row: log(sum of exp(logits)) - logit of the label.
template <class T>
__global__ void __launch_bounds__(line_threads)
    cross_entropy_kernel(const T* logits, const std::int64_t* labels, T* losses, std::int64_t rows,
                         std::int64_t classes, RowStrides strides) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const LineView<const T> line{logits + row * strides.logits_row, strides.logits_class, classes};
    const Exponentials all = exponentials(line);
    const std::int64_t label = labels[row * strides.labels];
    if (threadIdx.x == 0 && label >= 0 && label < classes) {
      LineView<T>{losses, strides.out_row, rows}.store(row, std::log(all.sum) - (line.load(label) - all.largest));
    }
    __syncthreads();
  }
}

/// The gradient of the loss of a row, times what comes from above: softmax(logits), minus one at the label.
template <class T>
__global__ void __launch_bounds__(line_threads)
    cross_entropy_backward_kernel(const T* logits, const std::int64_t* labels, const T* gradients, T* out,
                                  std::int64_t rows, std::int64_t classes, RowStrides strides) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const LineView<const T> line{logits + row * strides.logits_row, strides.logits_class, classes};
    const Exponentials all = exponentials(line);
    const std::int64_t label = labels[row * strides.labels];
    const double above = LineView<const T>{gradients, strides.gradients, rows}.load(row);
    const LineView<T> result{out + row * strides.out_row, strides.out_class, classes};
    each(line, [&](std::int64_t i) {
      const double share = std::exp(line.load(i) - all.largest) / all.sum;
      result.store(i, (i == label ? share - 1 : share) * above);
    });
    __syncthreads();
  }
}

void cross_entropy(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& losses = call.outputs[0];
  const std::int64_t rows = logits.shape[0], classes = logits.shape[1];
  if (rows == 0) return;
  check_labels(labels, classes, context);
  const RowStrides strides{logits.strides[0], logits.strides[1], labels.strides[0], losses.strides[0], 0, 0};
  with_floating(logits.dtype, [&]<class T>(std::type_identity<T>) {
    cross_entropy_kernel<T><<<grid_of(rows), line_threads, 0, cuda_context(context).stream()>>>(
        logits.as<const T>(), labels.as<const std::int64_t>(), losses.as<T>(), rows, classes, strides);
  });
  check_launch();
}

void cross_entropy_backward(const KernelCall& call, KernelContext& context) {
  const Array& logits = call.inputs[0];
  const Array& labels = call.inputs[1];
  const Array& gradients = call.inputs[2];
  const Array& output = call.outputs[0];
  const std::int64_t rows = logits.shape[0], classes = logits.shape[1];
  if (rows == 0) return;
  check_labels(labels, classes, context);
  const RowStrides strides{logits.strides[0], logits.strides[1], labels.strides[0],
                           output.strides[0], output.strides[1], gradients.strides[0]};
  with_floating(logits.dtype, [&]<class T>(std::type_identity<T>) {
    cross_entropy_backward_kernel<T><<<grid_of(rows), line_threads, 0, cuda_context(context).stream()>>>(
        logits.as<const T>(), labels.as<const std::int64_t>(), gradients.as<const T>(), output.as<T>(), rows, classes,
        strides);
  });
  check_launch();
}

const KernelRegistration registrations[] = {
    {"softmax", DeviceKind::cuda, &along_axis<SoftmaxLine>},
    {"log_softmax", DeviceKind::cuda, &along_axis<LogSoftmaxLine>},
    {"softmax_backward", DeviceKind::cuda, &along_axis<SoftmaxBackwardLine>},
    {"log_softmax_backward", DeviceKind::cuda, &along_axis<LogSoftmaxBackwardLine>},
    {"cross_entropy", DeviceKind::cuda, &cross_entropy},
    {"cross_entropy_backward", DeviceKind::cuda, &cross_entropy_backward},
};

}  // namespace
}  // namespace stretto
