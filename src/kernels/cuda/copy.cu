#include "kernels/cuda/copy.h"

#include "kernels/cuda/elementwise.cuh"

namespace stretto {
namespace {

/// Moves bits: a NaN keeps its payload.
template <class Bits>
void move(const KernelCall& call, KernelContext& context) {
  run_elementwise<Identity, Bits, Bits, 1>(call, context);
}

void move_bits(const KernelCall& call, KernelContext& context) {
  switch (item_size(call.outputs[0].dtype)) {
    case 1: return move<std::uint8_t>(call, context);
    case 2: return move<std::uint16_t>(call, context);
    case 4: return move<std::uint32_t>(call, context);
    default: return move<std::uint64_t>(call, context);
  }
}

}  // namespace

void copy_array(const Array& to, const Array& from, KernelContext& context) {
  Parameters none;
  const KernelCall call{.outputs = {&to, 1}, .inputs = {&from, 1}, .parameters = none};
  if (from.dtype == to.dtype) return move_bits(call, context);
  visit_dtype(from.dtype, [&]<class From>(std::type_identity<From>) {
    visit_dtype(to.dtype, [&]<class To>(std::type_identity<To>) {
      // A bool is a byte of 0 or 1, and so it is cast as a uint8.
      using Source = std::conditional_t<Boolean<From>, std::uint8_t, From>;
      if constexpr (!std::same_as<From, To>) run_elementwise<Identity, To, Source, 1>(call, context);
    });
  });
}

namespace {

void copy(const KernelCall& call, KernelContext& context) { copy_array(call.outputs[0], call.inputs[0], context); }

const KernelRegistration registrations[] = {
    {"copy", DeviceKind::cuda, &copy}, {"fill", DeviceKind::cuda, &copy},  // from an input of one element
};

}  // namespace
}  // namespace stretto
