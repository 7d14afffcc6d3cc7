#include "ops/axis_operator.h"

#include <vector>

#include "kernels/parameters.h"
#include "ops/operands.h"
#include "tensor/operator_call.h"

namespace stretto {

Tensor along_axis(const OperatorKernel& kernel, const CallSite& site, std::int64_t axis, DType result,
                  std::initializer_list<const Tensor*> inputs) {
  const Tensor& first = **inputs.begin();
  const AxisParameters parameters{.axis = checked_axis(axis, first.shape(), kernel.name, site), .descending = false};
  return in_operator(kernel.name, site, [&] {
    Tensor output = make_output(first.shape(), result, first.device());
    const Tensor seen_output = with_an_axis(output, site);
    std::vector<Tensor> seen;
    seen.reserve(inputs.size());
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(seen_output);
    for (const Tensor* input : inputs) call.read(seen.emplace_back(with_an_axis(*input, site)));
    call.parameters(parameters);
    apply(call);
    return output;
  });
}

}  // namespace stretto
