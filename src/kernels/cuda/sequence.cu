#include <string>

#include <stretto/base/error.h>

#include "kernels/cuda/fill_order.cuh"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {
namespace {

template <class T>
struct ArangeValue {
  ArangeParameters parameters;
  __device__ void operator()(std::int64_t i, T* out) const {
    if constexpr (Integer<T> || Boolean<T>) {
      const std::uint64_t steps = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(parameters.integer_step);
      out[0] = convert<T>(static_cast<std::int64_t>(static_cast<std::uint64_t>(parameters.integer_start) + steps));
    } else {
      out[0] = convert<T>(parameters.start + static_cast<double>(i) * parameters.step);
    }
  }
};

/// From both ends, so that both are met exactly.
template <class T>
struct LinspaceValue {
  LinspaceParameters parameters;
  std::int64_t last;
  __device__ void operator()(std::int64_t i, T* out) const {
    out[0] = convert<T>(i < last / 2 + 1 ? parameters.start + static_cast<double>(i) * parameters.step
                                         : parameters.end - static_cast<double>(last - i) * parameters.step);
  }
};

template <class T>
struct EyeValue {
  std::int64_t columns;
  __device__ void operator()(std::int64_t i, T* out) const {
    out[0] = convert<T>(static_cast<std::int32_t>(i / columns == i % columns));
  }
};

void arange(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    fill_in_order<1, T>(output, context, ArangeValue<T>{call.parameters.get<ArangeParameters>()});
  });
}

void linspace(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    fill_in_order<1, T>(output, context,
                        LinspaceValue<T>{call.parameters.get<LinspaceParameters>(), output.numel() - 1});
  });
}

void eye(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  if (output.rank != 2) throw ShapeError("a matrix is needed, not " + std::to_string(output.rank) + " dimensions");
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    fill_in_order<1, T>(output, context, EyeValue<T>{output.shape[1]});
  });
}

const KernelRegistration registrations[] = {
    {"arange", DeviceKind::cuda, &arange},
    {"linspace", DeviceKind::cuda, &linspace},
    {"eye", DeviceKind::cuda, &eye},
};

}  // namespace
}  // namespace stretto
