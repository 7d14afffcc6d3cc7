#include "kernels/cuda/matrix_plans.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include <cuda_runtime_api.h>
#include <stretto/base/error.h>

#include "kernels/cuda/check.h"

namespace stretto {
namespace {

void check_library(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string(call) + " failed: " + cublasLtGetStatusString(status));
}

cudaDataType data_type(DType dtype) {
  switch (dtype) {
    case DType::float64: return CUDA_R_64F;
    case DType::float16: return CUDA_R_16F;
    case DType::bfloat16: return CUDA_R_16BF;
    default: return CUDA_R_32F;
  }
}

/// How the library does products of one kind. Kept for the process.
struct Plan {
  cublasLtMatmulDescOpaque_t operation;
  cublasLtMatrixLayoutOpaque_t left, right, result;
  cublasLtMatmulAlgo_t algorithm;
  std::size_t workspace;
};

// What a plan depends on.
using Key = std::array<std::int64_t, 20>;

/// At most what the widest vector load can use.
std::int64_t alignment_of(const void* data) {
  return std::min<std::int64_t>(256, std::int64_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(data)));
}

Key key_of(const LibraryProduct& product) {
  const auto& [dtype, left, right, result, batch, reduced, bias] = product;
  return {static_cast<std::int64_t>(dtype),
          batch,
          left.rows,
          left.columns,
          left.leading,
          left.batch_stride,
          left.transposed ? 1 : 0,
          alignment_of(left.data),
          right.rows,
          right.columns,
          right.leading,
          right.batch_stride,
          right.transposed ? 1 : 0,
          alignment_of(right.data),
          result.rows,
          result.leading,
          result.batch_stride,
          alignment_of(result.data),
          reduced ? 1 : 0,
          bias == nullptr ? 0 : alignment_of(bias)};
}

void describe(cublasLtMatrixLayoutOpaque_t& layout, const LibraryMatrix& matrix, const LibraryProduct& product) {
  check_library(cublasLtMatrixLayoutInit(&layout, data_type(product.dtype), static_cast<std::uint64_t>(matrix.rows),
                                         static_cast<std::uint64_t>(matrix.columns), matrix.leading),
                "cublasLtMatrixLayoutInit");
  const auto batch = static_cast<std::int32_t>(product.batch);
  check_library(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof(batch)),
                "cublasLtMatrixLayoutSetAttribute");
  check_library(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                 &matrix.batch_stride, sizeof(matrix.batch_stride)),
                "cublasLtMatrixLayoutSetAttribute");
}

void choose(Plan& plan, const LibraryProduct& product, cublasLtHandle_t library) {
  cublasLtMatmulPreferenceOpaque_t preference{};
  check_library(cublasLtMatmulPreferenceInit(&preference), "cublasLtMatmulPreferenceInit");
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    check_library(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)),
                  "cublasLtMatmulPreferenceSetAttribute");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{product_workspace});
  // Sums that are added up in place depend on who comes first.
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_MASK & ~CUBLASLT_REDUCTION_SCHEME_INPLACE));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<std::uint32_t>(alignment_of(product.left.data)));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<std::uint32_t>(alignment_of(product.right.data)));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<std::uint32_t>(alignment_of(product.result.data)));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<std::uint32_t>(alignment_of(product.result.data)));
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  check_library(cublasLtMatmulAlgoGetHeuristic(library, &plan.operation, &plan.left, &plan.right, &plan.result,
                                               &plan.result, &preference, 1, &found, &count),
                "cublasLtMatmulAlgoGetHeuristic");
  if (count == 0) throw DeviceError("cuBLASLt has no algorithm for this product");
  plan.algorithm = found.algo;
  plan.workspace = found.workspaceSize;
}

void set_bias(Plan& plan, const LibraryProduct& product) {
  check_library(cublasLtMatmulDescSetAttribute(&plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &product.bias,
                                               sizeof(product.bias)),
                "cublasLtMatmulDescSetAttribute");
}

Plan make_plan(const LibraryProduct& product, cublasLtHandle_t library) {
  Plan plan{};
  const bool in_double = product.dtype == DType::float64;
  const cublasComputeType_t in_single = product.reduced ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check_library(cublasLtMatmulDescInit(&plan.operation, in_double ? CUBLAS_COMPUTE_64F : in_single,
                                       in_double ? CUDA_R_64F : CUDA_R_32F),
                "cublasLtMatmulDescInit");
  const auto transpose = [&](cublasLtMatmulDescAttributes_t attribute, const LibraryMatrix& matrix) {
    const std::int32_t operation = matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    check_library(cublasLtMatmulDescSetAttribute(&plan.operation, attribute, &operation, sizeof(operation)),
                  "cublasLtMatmulDescSetAttribute");
  };
  transpose(CUBLASLT_MATMUL_DESC_TRANSA, product.left);
  transpose(CUBLASLT_MATMUL_DESC_TRANSB, product.right);
  if (product.bias != nullptr) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    check_library(
        cublasLtMatmulDescSetAttribute(&plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue)),
        "cublasLtMatmulDescSetAttribute");
    set_bias(plan, product);
  }
  describe(plan.left, product.left, product);
  describe(plan.right, product.right, product);
  describe(plan.result, product.result, product);
  choose(plan, product, library);
  return plan;
}

/// The library and the plans of one GPU as one thread uses them. Never destroyed: a thread may end after the driver.
struct PlanBook {
  cublasLtHandle_t library = nullptr;
  std::map<Key, Plan> plans;
};

PlanBook& plan_book() {
  static thread_local auto* const books = new std::map<int, PlanBook>;
  int gpu = 0;
  check_cuda(cudaGetDevice(&gpu), "cudaGetDevice");
  PlanBook& book = (*books)[gpu];
  if (book.library == nullptr) check_library(cublasLtCreate(&book.library), "cublasLtCreate");
  return book;
}

}  // namespace

bool library_multiplies(DType dtype) { return is_floating(dtype); }

void run_product(const LibraryProduct& product, double alpha, double beta, std::byte* workspace, cudaStream_t stream) {
  PlanBook& book = plan_book();
  const Key key = key_of(product);
  auto found = book.plans.find(key);
  if (found == book.plans.end()) found = book.plans.emplace(key, make_plan(product, book.library)).first;
  Plan& plan = found->second;
  if (product.bias != nullptr) set_bias(plan, product);
  const auto narrow_alpha = static_cast<float>(alpha), narrow_beta = static_cast<float>(beta);
  const bool in_double = product.dtype == DType::float64;
  const void* const left_factor = in_double ? static_cast<const void*>(&alpha) : &narrow_alpha;
  const void* const own_factor = in_double ? static_cast<const void*>(&beta) : &narrow_beta;
  check_library(cublasLtMatmul(book.library, &plan.operation, left_factor, product.left.data, &plan.left,
                               product.right.data, &plan.right, own_factor, product.result.data, &plan.result,
                               product.result.data, &plan.result, &plan.algorithm, workspace, plan.workspace, stream),
                "cublasLtMatmul");
}

}  // namespace stretto
