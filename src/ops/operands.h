#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include <stretto/base/call_site.h>
#include <stretto/base/error.h>
#include <stretto/core/dtype.h>
#include <stretto/core/promotion.h>
#include <stretto/core/scalar.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// Calls `body` and returns what it returns; an Error that it throws is said to come from operator `name` at `site`.
template <class Body>
decltype(auto) in_operator(const char* name, const CallSite& site, Body&& body) {
  try {
    return body();
  } catch (Error& error) {
    error.with_context(name, site);
    throw;
  }
}

/// The operand as a defined tensor; UsageError otherwise.
const Tensor& require_tensor(const Operand& operand, const char* name);

/// Which types of elements an operator takes.
enum class Takes : std::uint8_t {
  everything,
  numbers,    ///< not bool
  floats,     ///< floating types alone
  as_floats,  ///< everything; integers and bool are converted to `default_dtype`
  bits,       ///< integers and bool
};

/// The type that an operator computes in when its operands' common type is `common`. Throws DTypeError when it does not
/// take that.
DType computing_dtype(Takes takes, DType common, const char* name, const CallSite& site);

/// PyTorch's type promotion.
DType common_dtype(std::initializer_list<const Operand*> operands);
/// The same of two: decided at once where one has the other's type, or is a number of its kind.
DType common_dtype(const Operand& a, const Operand& b);

/// The type of a sum or product of elements of type `dtype`, unless another is wanted. Throws DTypeError when that is
/// bool.
DType total_dtype(DType dtype, std::optional<DType> wanted, const char* name, const CallSite& site);

/// Throws DTypeError when `dtype` cannot hold `value`; of a fraction for an integer type, the whole part must fit.
void check_representable(const Scalar& value, DType dtype, const char* name, const CallSite& site);

/// The tensor with integers of any type converted to int64; DTypeError, with `what` it is, for others.
Tensor as_positions(const Tensor& index, const char* what, const char* name, const CallSite& site);

/// `axis` of a tensor of `shape`, counted from the front. As in PyTorch, rank 0 has an axis too, of extent 1.
int checked_axis(std::int64_t axis, const Shape& shape, const char* name, const CallSite& site);

/// x, with one axis of extent 1 where it has rank 0: what operators along an axis work on.
Tensor with_an_axis(const Tensor& x, const CallSite& site);

}  // namespace stretto
