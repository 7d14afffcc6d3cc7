#include "kernels/cuda/elementwise.cuh"

namespace stretto {
namespace {

// Equal compares NaN as unequal to everything, itself included; so do the ordered comparisons.
struct Equal {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return a >= b;
  }
};

// A number is true unless it is zero; a NaN is true.
struct LogicalAnd {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return (a != T{0}) & (b != T{0});
  }
};
struct LogicalOr {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return (a != T{0}) | (b != T{0});
  }
};
struct LogicalXor {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static __device__ bool apply(T a, T b) {
    return (a != T{0}) != (b != T{0});
  }
};

struct BitwiseAnd {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ T apply(T a, T b) {
    return a & b;
  }
};
struct BitwiseOr {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ T apply(T a, T b) {
    return a | b;
  }
};
struct BitwiseXor {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static __device__ T apply(T a, T b) {
    return a ^ b;
  }
};

const KernelRegistration registrations[] = {
    {"eq", DeviceKind::cuda, &elementwise<Equal, 2>},
    {"ne", DeviceKind::cuda, &elementwise<NotEqual, 2>},
    {"lt", DeviceKind::cuda, &elementwise<Less, 2>},
    {"le", DeviceKind::cuda, &elementwise<LessEqual, 2>},
    {"gt", DeviceKind::cuda, &elementwise<Greater, 2>},
    {"ge", DeviceKind::cuda, &elementwise<GreaterEqual, 2>},
    {"logical_and", DeviceKind::cuda, &elementwise<LogicalAnd, 2>},
    {"logical_or", DeviceKind::cuda, &elementwise<LogicalOr, 2>},
    {"logical_xor", DeviceKind::cuda, &elementwise<LogicalXor, 2>},
    {"bitwise_and", DeviceKind::cuda, &elementwise<BitwiseAnd, 2>},
    {"bitwise_or", DeviceKind::cuda, &elementwise<BitwiseOr, 2>},
    {"bitwise_xor", DeviceKind::cuda, &elementwise<BitwiseXor, 2>},
};

}  // namespace
}  // namespace stretto
