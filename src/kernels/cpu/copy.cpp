#include <array>

#include "kernels/cpu/elementwise_loop.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/copy.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

template <Element From, Element To>
void cast_loop(std::byte* output, const std::byte* const* inputs, std::int64_t count) {
  const From* in = reinterpret_cast<const From*>(inputs[0]);
  To* out = reinterpret_cast<To*>(output);
  for (std::int64_t i = 0; i < count; ++i) out[i] = convert<To>(in[i]);
}

template <Element From>
constexpr LoopTable casts_from() {
  return {&cast_loop<From, float>,        &cast_loop<From, double>,       &cast_loop<From, Float16>,
          &cast_loop<From, BFloat16>,     &cast_loop<From, std::int32_t>, &cast_loop<From, std::int64_t>,
          &cast_loop<From, std::uint8_t>, &cast_loop<From, bool>};
}

/// A bool is a byte of 0 or 1, and so it is cast as a uint8.
auto cast_loops() {
  return std::array{casts_from<float>(),        casts_from<double>(),       casts_from<Float16>(),
                    casts_from<BFloat16>(),     casts_from<std::int32_t>(), casts_from<std::int64_t>(),
                    casts_from<std::uint8_t>(), casts_from<std::uint8_t>()};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(cast_loops);
const auto casts = HWY_DYNAMIC_DISPATCH(cast_loops)();

void copy(const KernelCall& call, KernelContext& context) {
  const DType from = call.inputs[0].dtype;
  const DType to = call.outputs[0].dtype;
  if (from == to) return run_copy(call, context);
  run_elementwise(call, context, find_loop(casts[static_cast<std::size_t>(from)], to), cheap_grain);
}

bool is_elementwise(const KernelCall&) { return true; }

const KernelRegistration registrations[] = {
    {"copy", DeviceKind::cpu, &copy, &is_elementwise},
    {"fill", DeviceKind::cpu, &copy, &is_elementwise},  // from an input of one element
};

}  // namespace
}  // namespace stretto
#endif
