#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <cublasLt.h>
#include <stretto/core/dtype.h>

namespace stretto {

/// One operand of a product as the library sees it: column-major, `leading` elements from a column to the next.
struct LibraryMatrix {
  void* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t leading;
  std::int64_t batch_stride;
  bool transposed;
};

/// result (m x n) = alpha * left @ right + beta * result + bias, `batch` times.
struct LibraryProduct {
  DType dtype;
  LibraryMatrix left;
  LibraryMatrix right;
  LibraryMatrix result;
  std::int64_t batch;
  bool reduced;                ///< float32 by TF32.
  const void* bias = nullptr;  ///< Of m elements, added to each column; null where there is none.
};

/// The most workspace that an algorithm of the library may ask for.
inline constexpr std::size_t product_workspace = std::size_t{32} << 20;

/// Whether the library multiplies this type.
bool library_multiplies(DType dtype);

/// Appends the product to the stream of the current GPU. `workspace` is of `product_workspace` bytes. The algorithm is
/// a function of shapes, dtype, layout and alignment; it is looked up once and kept. float32 is computed in float32,
/// unless `reduced`.
/// Throws DeviceError where the library refuses.
void run_product(const LibraryProduct& product, double alpha, double beta, std::byte* workspace, cudaStream_t stream);

}  // namespace stretto
