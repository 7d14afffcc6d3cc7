#pragma once

#include <cstdint>

// The binary interface of DLPack 1. Names, order and numbers are the standard's.

struct DLPackVersion {
  std::uint32_t major;  ///< Another one is laid out in another way.
  std::uint32_t minor;
};

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< In elements; null for a tensor in C order.
  std::uint64_t byte_offset;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

namespace stretto::dlpack {

inline constexpr DLPackVersion version{1, 0};

inline constexpr std::int32_t cpu_device = 1;
inline constexpr std::int32_t cuda_device = 2;
inline constexpr std::int32_t cuda_host_device = 3;

inline constexpr std::uint8_t int_code = 0;
inline constexpr std::uint8_t uint_code = 1;
inline constexpr std::uint8_t float_code = 2;
inline constexpr std::uint8_t bfloat_code = 4;
inline constexpr std::uint8_t bool_code = 6;

inline constexpr std::uint64_t read_only_flag = 1;

}  // namespace stretto::dlpack
