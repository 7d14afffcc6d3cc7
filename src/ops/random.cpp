#include <cmath>
#include <string>

#include <stretto/base/error.h>
#include <stretto/ops/random.h>

#include "engine/capture.h"
#include "kernels/parameters.h"
#include "ops/operands.h"
#include "ops/operator_kernel.h"
#include "tensor/operator_call.h"

namespace stretto {

namespace {

/// The draw that each call takes is taken last: a call that throws takes none.
Tensor drawn(const OperatorKernel& kernel, const CallSite& site, Generator& generator, RandomParameters parameters,
             const Shape& shape, Device device, DType dtype) {
  return in_operator(kernel.name, site, [&] {
    Capture::give_up("draws random numbers");
    Tensor output = make_output(shape, dtype, device);
    const RandomDraw draw = generator.next();
    parameters.key = draw.key;
    parameters.draw = draw.number;
    OperatorCall call(kernel.name, kernel.row, site);
    call.write(output);
    call.parameters(parameters);
    apply(call);
    return output;
  });
}

Tensor draw_uniform(const char* name, Generator& generator, double low, double high, const Shape& shape, Device device,
                    DType dtype, const CallSite& site) {
  const OperatorKernel kernel = operator_kernel<"uniform">().called(name);
  computing_dtype(Takes::floats, dtype, name, site);
  if (!(low <= high) || !std::isfinite(high - low)) {
    throw UsageError(name, "there is no range from " + to_string(Scalar(low)) + " to " + to_string(Scalar(high)), site);
  }
  RandomParameters parameters{};
  parameters.low = low;
  parameters.high = high;
  return drawn(kernel, site, generator, parameters, shape, device, dtype);
}

Tensor draw_normal(const char* name, Generator& generator, double mean, double deviation, const Shape& shape,
                   Device device, DType dtype, const CallSite& site) {
  const OperatorKernel kernel = operator_kernel<"normal">().called(name);
  computing_dtype(Takes::floats, dtype, name, site);
  if (!(deviation >= 0)) {
    throw UsageError(name, "the standard deviation cannot be " + to_string(Scalar(deviation)), site);
  }
  RandomParameters parameters{};
  parameters.low = mean;
  parameters.high = deviation;
  return drawn(kernel, site, generator, parameters, shape, device, dtype);
}

}  // namespace

Tensor uniform(const Shape& shape, Device device, DType dtype, CallSite site) {
  return draw_uniform("uniform", default_generator(), 0, 1, shape, device, dtype, site);
}

Tensor uniform(double low, double high, const Shape& shape, Device device, DType dtype, CallSite site) {
  return draw_uniform("uniform", default_generator(), low, high, shape, device, dtype, site);
}

Tensor uniform(Generator& generator, double low, double high, const Shape& shape, Device device, DType dtype,
               CallSite site) {
  return draw_uniform("uniform", generator, low, high, shape, device, dtype, site);
}

Tensor normal(const Shape& shape, Device device, DType dtype, CallSite site) {
  return draw_normal("normal", default_generator(), 0, 1, shape, device, dtype, site);
}

Tensor normal(double mean, double deviation, const Shape& shape, Device device, DType dtype, CallSite site) {
  return draw_normal("normal", default_generator(), mean, deviation, shape, device, dtype, site);
}

Tensor normal(Generator& generator, double mean, double deviation, const Shape& shape, Device device, DType dtype,
              CallSite site) {
  return draw_normal("normal", generator, mean, deviation, shape, device, dtype, site);
}

Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, Device device, DType dtype, CallSite site) {
  return randint(default_generator(), low, high, shape, device, dtype, site);
}

Tensor randint(Generator& generator, std::int64_t low, std::int64_t high, const Shape& shape, Device device,
               DType dtype, CallSite site) {
  const OperatorKernel kernel = operator_kernel<"randint">();
  if (low >= high) {
    throw UsageError(kernel.name,
                     "there is no integer from " + std::to_string(low) + " up to and without " + std::to_string(high),
                     site);
  }
  if (dtype == DType::bool_ && (low < 0 || high > 2)) {
    throw DTypeError(kernel.name, "bool holds 0 and 1 alone", site);
  }
  check_representable(low, dtype, kernel.name, site);
  check_representable(high - 1, dtype, kernel.name, site);
  RandomParameters parameters{};
  parameters.integer_low = low;
  parameters.integer_high = high;
  return drawn(kernel, site, generator, parameters, shape, device, dtype);
}

Tensor uniform_like(const Operand& x, std::optional<DType> dtype) {
  const Tensor& tensor = require_tensor(x, "uniform_like");
  return draw_uniform("uniform_like", default_generator(), 0, 1, tensor.shape(), tensor.device(),
                      dtype.value_or(tensor.dtype()), x.site());
}

Tensor normal_like(const Operand& x, std::optional<DType> dtype) {
  const Tensor& tensor = require_tensor(x, "normal_like");
  return draw_normal("normal_like", default_generator(), 0, 1, tensor.shape(), tensor.device(),
                     dtype.value_or(tensor.dtype()), x.site());
}

}  // namespace stretto
