#pragma once

#include <string_view>

#include <stretto/base/export.h>
#include <stretto/core/scalar.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Products of matrices. Results are new contiguous tensors. All operands are tensors of one type, which is not bool, on
// one device: UsageError, DTypeError, DeviceError. ShapeError says which extents do not match. Integers are exact and
// wrap; 16-bit floats are summed in float32. Views of any strides are taken as they are. Nothing blocks.

/// The product as PyTorch's `matmul` defines it:
///
///     (M,K) @ (K,N) -> (M,N)             two matrices
///     (K)   @ (K)   -> ()                two vectors: their inner product
///     (M,K) @ (K)   -> (M)               a vector is a column on the right and a row on the left
///     (...,M,K) @ (...,K,N) -> (...,M,N) a matrix for each place of the leading axes, which are broadcast
STRETTO_API Tensor matmul(const Operand& a, const Operand& b);

/// beta * c + alpha * (a @ b), with a (M,K), b (K,N) and c broadcast to (M,N). c is not read where beta is 0. For
/// integers, beta and alpha are integers (DTypeError).
STRETTO_API Tensor addmm(const Operand& c, const Operand& a, const Operand& b, const Scalar& beta = 1,
                         const Scalar& alpha = 1);

/// relu(addmm(c, a, b)), bit for bit, in one pass where the device can.
STRETTO_API Tensor addmm_relu(const Operand& c, const Operand& a, const Operand& b);

/// relu_backward(matmul(a, b), x), bit for bit, in one pass where the device can: what reaches x of the gradient `a` of
/// relu(x) @ b^T. a (M,K), b (K,N), x (M,N), all of one floating type.
STRETTO_API Tensor matmul_relu_backward(const Operand& a, const Operand& b, const Operand& x);

/// x @ weight^T, with x (...,K) and weight (N,K): (...,N).
STRETTO_API Tensor linear(const Operand& x, const Operand& weight);
/// x @ weight^T + bias, with x (...,K), weight (N,K) and bias (N): (...,N).
STRETTO_API Tensor linear(const Operand& x, const Operand& weight, const Operand& bias);
/// relu(linear(x, weight, bias)), bit for bit, in one pass where the device can. Its gradients: with g =
/// relu_backward(grad, y) of the result y and rows in place of the leading axes, g @ weight, g^T @ x and sum(g, 0).
STRETTO_API Tensor linear_relu(const Operand& x, const Operand& weight, const Operand& bias);

/// How products of float32 are computed that are submitted from here on, by any thread. "highest", which is where a
/// process starts, rounds nothing but results; "high" lets devices that are faster then round the factors to 10 bits of
/// fraction first (TF32 on GPUs; no difference on the CPU). UsageError for any other word.
STRETTO_API void set_float32_matmul_precision(std::string_view precision);
/// "highest" or "high".
STRETTO_API std::string_view float32_matmul_precision();

}  // namespace stretto
