#include <cstring>
#include <exception>

#include "kernels/cuda/arithmetic_operators.cuh"
#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/find_fault.cuh"
#include "kernels/rules/elementwise_operators.h"
#include "kernels/rules/failures.h"

namespace stretto {
namespace {

struct IsZero {
  template <class T>
  __host__ __device__ bool operator()(T x) const {
    return x == T{0};
  }
};
struct IsNegative {
  template <class T>
  __host__ __device__ bool operator()(T x) const {
    return x < T{0};
  }
};

std::exception_ptr division_by_zero(const DeviceFault&) { return std::make_exception_ptr(rules::division_by_zero()); }
std::exception_ptr negative_exponent(const DeviceFault&) { return std::make_exception_ptr(rules::negative_exponent()); }

/// What the second operand must not be where it is an integer, of the operators that refuse any.
template <class Op>
struct Refusal {
  static constexpr bool any = false;
};
template <>
struct Refusal<FloorDivide> {
  static constexpr bool any = true;
  using IsBad = IsZero;
  static constexpr auto failure = &division_by_zero;
};
template <>
struct Refusal<Remainder> : Refusal<FloorDivide> {};
template <>
struct Refusal<Pow> {
  static constexpr bool any = true;
  using IsBad = IsNegative;
  static constexpr auto failure = &negative_exponent;
};

/// An operator that refuses some integers.
template <class Op>
void checked(const KernelCall& call, KernelContext& context) {
  using IsBad = typename Refusal<Op>::IsBad;
  constexpr auto failure = Refusal<Op>::failure;
  const Array& right = call.inputs[1];
  if (is_integral(right.dtype) && call.outputs[0].numel() > 0) {
    visit_dtype(right.dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (Integer<T>) {
        if (right.constant) {
          T value;
          std::memcpy(&value, right.data, sizeof(value));
          if (IsBad()(value)) std::rethrow_exception(failure(DeviceFault{}));
        } else if constexpr (std::is_signed_v<T> || std::same_as<IsBad, IsZero>) {
          fail_for_bad_element<T>(right, IsBad(), context, failure);
        }
      }
    });
  }
  elementwise<Op, 2>(call, context);
}

template <class Op>
constexpr Kernel kernel_of() {
  if constexpr (Refusal<Op>::any) {
    return &checked<Op>;
  } else {
    return &elementwise<Op, 2>;
  }
}

#define STRETTO_CUDA_ROW(name, Op) {name, DeviceKind::cuda, kernel_of<Op>()},
const KernelRegistration registrations[] = {STRETTO_ARITHMETIC_OPERATORS(STRETTO_CUDA_ROW)};
#undef STRETTO_CUDA_ROW

}  // namespace
}  // namespace stretto
