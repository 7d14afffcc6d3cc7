#include <algorithm>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cuda/reduce.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

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

struct ItsPosition {
  template <class T>
  __device__ std::int64_t operator()(Located<T> found) const {
    return found.position;
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

[[noreturn]] void throw_types(const KernelCall& call) {
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

/// Elements of the line that one result is made of.
double elements_of(const KernelCall& call) {
  return static_cast<double>(ReducedLayout(call.inputs[0], call.outputs[0]).elements);
}

void mean(const KernelCall& call, KernelContext& context) {
  with_types(call, FloatingTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<SumFold<Arithmetic<In, Out>>, In, Out>(call, context, DividedBy{elements_of(call)});
  });
}

/// Squared distances from the mean of each result.
template <class Fold, class In>
struct DistanceSource {
  const In* data;
  Layout<2> kept;
  Layout<1> reduced;
  const typename Fold::Value* sums;
  double elements;

  struct Line {
    const In* data;
    const Layout<1>& reduced;
    typename Fold::Value mean;
    __device__ typename Fold::Value load(std::int64_t i) const {
      const typename Fold::Value distance = Fold::load(data[line_offset(reduced, i)], i) - mean;
      return distance * distance;
    }
    __device__ void load_four(std::int64_t i, typename Fold::Value (&out)[4]) const {
      for (int k = 0; k < 4; ++k) out[k] = load(i + k);
    }
  };
  __device__ Line line(std::int64_t result) const {
    return {data + kept.offset(0, result), reduced, sums[result] / static_cast<typename Fold::Value>(elements)};
  }
};

// In two passes, so that values far from zero lose nothing: first the means, then the squared distances from them.
void variance(const KernelCall& call, KernelContext& context) {
  const double correction = call.parameters.get<VarianceParameters>().correction;
  with_types(call, VarianceTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    using Value = std::conditional_t<Integer<In> || Boolean<In>, double, Arithmetic<In, Out>>;
    using Fold = SumFold<Value>;
    const Array& input = call.inputs[0];
    const ReducedLayout layout(input, call.outputs[0]);
    if (layout.results == 0) return;
    CudaKernelContext& cuda = cuda_context(context);
    const std::int64_t needed = values_needed(layout.results, layout.elements);
    auto* const space = reinterpret_cast<Value*>(cuda.workspace(static_cast<std::size_t>(2 * needed) * sizeof(Value)));
    const ArraySource<Fold, In> values{input.as<const In>(), layout.kept, layout.reduced};
    const Value* const sums =
        fold_all<Fold>(values, layout.results, layout.elements, layout.by_columns(), space, cuda.stream());
    const auto elements = static_cast<double>(layout.elements);
    const DistanceSource<Fold, In> distances{input.as<const In>(), layout.kept, layout.reduced, sums, elements};
    const Value* const squares =
        fold_all<Fold>(distances, layout.results, layout.elements, layout.by_columns(), space + needed, cuda.stream());
    write<Out>(squares, layout, DividedBy{std::max(0.0, elements - correction)}, call.outputs[0], cuda.stream());
  });
}

template <bool largest>
void extreme(const KernelCall& call, KernelContext& context) {
  with_types(call, SameTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    // A bool is a byte of 0 or 1, and so it is compared as a uint8.
    using Value = std::conditional_t<Boolean<In>, std::uint8_t, Computed<In>>;
    reduce<ExtremeFold<Value, largest>, In, Out>(call, context, AsItIs());
  });
}

template <bool any>
void truth(const KernelCall& call, KernelContext& context) {
  with_types(call, TruthTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<TruthFold<any>, In, Out>(call, context, AsItIs());
  });
}

template <bool largest>
void position(const KernelCall& call, KernelContext& context) {
  with_types(call, PositionTypes(), [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
    reduce<PositionFold<Computed<In>, largest>, In, Out>(call, context, ItsPosition());
  });
}

const KernelRegistration registrations[] = {
    {"sum", DeviceKind::cuda, &total<SumFold>},
    {"prod", DeviceKind::cuda, &total<ProductFold>},
    {"mean", DeviceKind::cuda, &mean},
    {"var", DeviceKind::cuda, &variance},
    {"max", DeviceKind::cuda, &extreme<true>},
    {"min", DeviceKind::cuda, &extreme<false>},
    {"any", DeviceKind::cuda, &truth<true>},
    {"all", DeviceKind::cuda, &truth<false>},
    {"argmax", DeviceKind::cuda, &position<true>},
    {"argmin", DeviceKind::cuda, &position<false>},
};

}  // namespace
}  // namespace stretto
