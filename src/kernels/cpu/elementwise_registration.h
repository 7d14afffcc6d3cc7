#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "kernels/cpu/elementwise_loop.h"
#include "kernels/kernel.h"

namespace stretto {

/// An elementwise operator on the CPU: which loops it has is looked up by the type of its last input.
struct ElementwiseOperator {
  std::string_view name;
  LoopTable loops;
  std::int64_t grain = cheap_grain;
  bool refuses_integers = false;  ///< Some of their values: it throws.
};

/// Registers a kernel for each entry of an array of ElementwiseOperator that lives for the program.
template <const auto& operators>
class ElementwiseRegistration {
 public:
  ElementwiseRegistration() { add(std::make_index_sequence<operators.size()>{}); }

 private:
  template <std::size_t... indices>
  static void add(std::index_sequence<indices...>) {
    (KernelRegistration(operators[indices].name, DeviceKind::cpu, &run<indices>, &is_elementwise<indices>), ...);
  }

  template <std::size_t index>
  static void run(const KernelCall& call, KernelContext& context) {
    const ElementwiseOperator& entry = operators[index];
    run_elementwise(call, context, find_loop(entry.loops, call.inputs.back().dtype), entry.grain);
  }

  template <std::size_t index>
  static bool is_elementwise(const KernelCall& call) {
    const ElementwiseOperator& entry = operators[index];
    const DType dtype = call.inputs.back().dtype;
    return entry.loops[static_cast<std::size_t>(dtype)] != nullptr && !(entry.refuses_integers && is_integral(dtype));
  }
};

}  // namespace stretto
