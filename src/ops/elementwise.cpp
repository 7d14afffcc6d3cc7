#include "ops/elementwise.h"

#include <stretto/base/error.h>

#include "tensor/operator_call.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

constexpr int max_operands = 3;

}  // namespace

Tensor elementwise(const OperatorKernel& kernel, const CallSite& site, DType result,
                   std::initializer_list<ElementwiseInput> inputs) {
  return in_operator(kernel.name, site, [&] {
    const TensorImplementation* first = nullptr;
    const Shape* shape = nullptr;
    Shape broadcast;
    for (const ElementwiseInput& input : inputs) {
      if (!input.operand.is_tensor()) continue;
      const TensorImplementation& tensor = check_defined(input.operand.tensor(), kernel.name, site);
      if (first == nullptr) {
        first = &tensor;
        shape = &tensor.geometry.shape;
      } else if (!(tensor.geometry.shape == *shape)) {
        broadcast = broadcast_shapes(*shape, tensor.geometry.shape);
        shape = &broadcast;
      }
    }
    if (first == nullptr) throw UsageError("at least one operand must be a tensor");

    Tensor output = make_output(*shape, result, first->device);
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    Tensor converted[max_operands];
    int conversions = 0;
    for (const ElementwiseInput& input : inputs) {
      if (!input.operand.is_tensor()) {
        call.constant(input.operand.scalar(), input.dtype);
        continue;
      }
      const Tensor* tensor = &input.operand.tensor();
      if (implementation_of(*tensor).dtype != input.dtype) {
        converted[conversions] = tensor->to(input.dtype, site);
        tensor = &converted[conversions++];
      }
      if (shape == &first->geometry.shape && tensor->implementation() == first) {
        call.read(*tensor);
      } else {
        call.read(*tensor, *shape);
      }
    }
    apply(call);
    return output;
  });
}

Tensor elementwise(const OperatorKernel& kernel, const Operand& x, Takes takes) {
  const DType dtype = computing_dtype(takes, require_tensor(x, kernel.name).dtype(), kernel.name, x.site());
  return elementwise(kernel, x.site(), dtype, {{x, dtype}});
}

void check_operands(const OperatorKernel& kernel, const Operand& a, const Operand& b) {
  if (!a.is_tensor() && !b.is_tensor()) {
    throw UsageError(kernel.name, "at least one operand must be a tensor", a.site());
  }
  if (a.is_tensor()) check_defined(a.tensor(), kernel.name, a.site());
  if (b.is_tensor()) check_defined(b.tensor(), kernel.name, a.site());
}

Tensor elementwise(const OperatorKernel& kernel, const Operand& a, const Operand& b, Takes takes) {
  check_operands(kernel, a, b);
  const DType dtype = computing_dtype(takes, common_dtype(a, b), kernel.name, a.site());
  return elementwise(kernel, a.site(), dtype, {{a, dtype}, {b, dtype}});
}

Tensor elementwise_test(const OperatorKernel& kernel, const Operand& x) {
  return elementwise(kernel, x.site(), DType::bool_, {{x, require_tensor(x, kernel.name).dtype()}});
}

Tensor elementwise_test(const OperatorKernel& kernel, const Operand& a, const Operand& b) {
  check_operands(kernel, a, b);
  const DType dtype = common_dtype(a, b);
  return elementwise(kernel, a.site(), DType::bool_, {{a, dtype}, {b, dtype}});
}

}  // namespace stretto
