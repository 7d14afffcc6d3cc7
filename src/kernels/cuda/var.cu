#include <algorithm>

#include "kernels/cuda/reduction.cuh"
#include "kernels/parameters.h"

namespace stretto {
namespace {

/// Squared distances from the mean of each result.
template <class Fold, class In>
struct DistanceSource {
  const In* data;
  Layout<2> kept;
  Layout<1> reduced;
  const typename Fold::Value* sums;
  double elements;

  struct Line : ReducedLine<In> {
    typename Fold::Value mean;

    __device__ Line(const In* begin, const Layout<1>& layout, typename Fold::Value its_mean)
        : ReducedLine<In>(begin, layout), mean(its_mean) {}
    __device__ typename Fold::Value square(In element, std::int64_t i) const {
      const typename Fold::Value distance = Fold::load(element, i) - mean;
      return distance * distance;
    }
    __device__ typename Fold::Value load(std::int64_t i) const { return square(ReducedLine<In>::load(i), i); }
    template <bool at_once>
    __device__ void load_four(std::int64_t i, typename Fold::Value (&out)[4]) const {
      const Four<In> four = ReducedLine<In>::template load_four<at_once>(i);
#pragma unroll
      for (int k = 0; k < 4; ++k) out[k] = square(four.items[k], i + k);
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

const KernelRegistration registration{"var", DeviceKind::cuda, &variance};

}  // namespace
}  // namespace stretto
