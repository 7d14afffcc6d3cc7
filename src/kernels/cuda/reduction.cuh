#pragma once

#include <string>

#include <stretto/base/error.h>

#include "kernels/cuda/reduce.cuh"
#include "kernels/kernel.h"

namespace stretto {

// What the kernels of reductions share: a file for each or two of them, so that none takes long to compile.

// What sums, products and means are computed in: as wide as the wider of input and output.
template <class In, class Out>
using Arithmetic =
    std::conditional_t<std::same_as<In, double> || std::same_as<Out, double>, double,
                       std::conditional_t<Real<In> || Half<In> || Real<Out> || Half<Out>, float, std::int64_t>>;

struct AsItIs {
  template <class T>
  __device__ T operator()(T value) const {
    return value;
  }
};

struct DividedBy {
  double divisor;
  __device__ float operator()(float sum) const { return sum / static_cast<float>(divisor); }
  __device__ double operator()(double sum) const { return sum / divisor; }
};

template <class Fold, class In, class Out, class Finish>
void reduce(const KernelCall& call, KernelContext& context, Finish finish) {
  using Value = typename Fold::Value;
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  const ReducedLayout layout(input, output);
  if (layout.results == 0) return;
  CudaKernelContext& cuda = cuda_context(context);
  auto* const space = reinterpret_cast<Value*>(
      cuda.workspace(static_cast<std::size_t>(values_needed(layout.results, layout.elements)) * sizeof(Value)));
  const ArraySource<Fold, In> source{input.as<const In>(), layout.kept, layout.reduced};
  const Value* const results =
      fold_all<Fold>(source, layout.results, layout.elements, layout.by_columns(), space, cuda.stream());
  write<Out>(results, layout, finish, output, cuda.stream());
}

[[noreturn]] inline void throw_types(const KernelCall& call) {
  throw DTypeError("the operation does not make " + std::string(name(call.outputs[0].dtype)) + " of " +
                   std::string(name(call.inputs[0].dtype)));
}

/// Calls `f` with the types of input and output, where `allowed` is true of them.
template <class Allowed, class F>
void with_types(const KernelCall& call, Allowed, F f) {
  visit_dtype(call.inputs[0].dtype, [&]<class In>(std::type_identity<In> in) {
    visit_dtype(call.outputs[0].dtype, [&]<class Out>(std::type_identity<Out> out) {
      if constexpr (Allowed::template holds<In, Out>()) {
        f(in, out);
      } else {
        throw_types(call);
      }
    });
  });
}

// A total is of the input's type, and int64 of every type that is not floating.
struct TotalTypes {
  template <class In, class Out>
  static constexpr bool holds() {
    return (std::same_as<In, Out> && !Boolean<In>) || (std::same_as<Out, std::int64_t> && (Integer<In> || Boolean<In>));
  }
};
struct FloatingTypes {
  template <class In, class Out>
  static constexpr bool holds() {
    return std::same_as<In, Out> && (Real<In> || Half<In>);
  }
};
// Integers have float32 variances.
struct VarianceTypes {
  template <class In, class Out>
  static constexpr bool holds() {
    return FloatingTypes::holds<In, Out>() || (std::same_as<Out, float> && (Integer<In> || Boolean<In>));
  }
};
struct SameTypes {
  template <class In, class Out>
  static constexpr bool holds() {
    return std::same_as<In, Out>;
  }
};
struct TruthTypes {
  template <class In, class Out>
  static constexpr bool holds() {
    return Boolean<Out>;
  }
};
struct PositionTypes {
  template <class In, class Out>
  static constexpr bool holds() {
    return std::same_as<Out, std::int64_t> && !Boolean<In>;
  }
};

template <template <class> class Fold>
void total(const KernelCall& call, KernelContext& context) {
  with_types(call, TotalTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<Fold<Arithmetic<In, Out>>, In, Out>(call, context, AsItIs());
  });
}

}  // namespace stretto
