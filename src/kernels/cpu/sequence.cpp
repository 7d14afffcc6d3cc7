#include <algorithm>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cpu/element_types.h"
#include "kernels/cpu/elementwise_loop.h"
#include "kernels/cpu/index_order.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

/// Fills the output in index order with `value(std::type_identity<T>{}, index)`.
template <typename Value>
void fill_with(const KernelCall& call, KernelContext& context, Value value) {
  const Array& output = call.outputs[0];
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T> type) {
    fill_in_index_order(output, context, cheap_grain,
                        [&](std::int64_t first, std::int64_t count, std::byte* destination) {
                          T* out = reinterpret_cast<T*>(destination);
                          for (std::int64_t i = 0; i < count; ++i) out[i] = value(type, first + i);
                        });
  });
}

void arange(const KernelCall& call, KernelContext& context) {
  const auto parameters = call.parameters.get<ArangeParameters>();
  fill_with(call, context, [&]<class T>(std::type_identity<T>, std::int64_t i) {
    if constexpr (Integer<T> || Boolean<T>) {
      const std::uint64_t start = static_cast<std::uint64_t>(parameters.integer_start);
      const std::uint64_t steps = static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(parameters.integer_step);
      return convert<T>(static_cast<std::int64_t>(start + steps));
    } else {
      return convert<T>(parameters.start + static_cast<double>(i) * parameters.step);
    }
  });
}

void linspace(const KernelCall& call, KernelContext& context) {
  const auto parameters = call.parameters.get<LinspaceParameters>();
  const std::int64_t last = call.outputs[0].numel() - 1;
  const std::int64_t half = last / 2 + 1;
  fill_with(call, context, [&]<class T>(std::type_identity<T>, std::int64_t i) {
    // From both ends, so that both are met exactly.
    return convert<T>(i < half ? parameters.start + static_cast<double>(i) * parameters.step
                               : parameters.end - static_cast<double>(last - i) * parameters.step);
  });
}

void eye(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  if (output.rank != 2) throw ShapeError("a matrix is needed, not " + std::to_string(output.rank) + " dimensions");
  const std::int64_t columns = output.shape[1];
  const std::int64_t diagonal_end = std::min(output.shape[0], columns) * (columns + 1);
  visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
    fill_in_index_order(output, context, cheap_grain,
                        [&](std::int64_t first, std::int64_t count, std::byte* destination) {
                          T* out = reinterpret_cast<T*>(destination);
                          std::fill_n(out, count, convert<T>(0));
                          const std::int64_t next = (first + columns) / (columns + 1) * (columns + 1);
                          const std::int64_t end = std::min(first + count, diagonal_end);
                          for (std::int64_t i = next; i < end; i += columns + 1) out[i - first] = convert<T>(1);
                        });
  });
}

const KernelRegistration registrations[] = {
    {"arange", DeviceKind::cpu, &arange},
    {"linspace", DeviceKind::cpu, &linspace},
    {"eye", DeviceKind::cpu, &eye},
};

}  // namespace

}  // namespace stretto
