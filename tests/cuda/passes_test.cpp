// Elementwise operations of compiled functions that run as one kernel on a GPU: made at run time, with the bits of the
// plain kernels.

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "base/environment.h"
#include "cuda/cuda_programs.h"

namespace stretto {
namespace {

using Operation = std::function<Tensor(const Tensor&, const Tensor&)>;

class CudaPasses : public CudaPrograms {
 protected:
  void SetUp() override {
    CudaPrograms::SetUp();
    if (IsSkipped()) return;
    if (environment().engine == EngineKind::serial || !environment().replay || !environment().fuse)
      GTEST_SKIP() << "nothing runs as a pass here";
  }

  /// What each type has a rule for, and numbers of both signs.
  static Tensor numbers(DType dtype, bool second) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    // NaNs as another device makes them. Which of two a sum of float64 keeps is nobody's promise: there all are one.
    float other_nan = 0;
    const std::uint32_t bits = second ? 0xffc12345u : 0x7fd54321u;
    std::memcpy(&other_nan, &bits, sizeof(other_nan));
    if (dtype == DType::float64) other_nan = nan;
    const std::vector<float> specials = {nan,       dtype == DType::float64 ? nan : -nan,
                                         other_nan, infinity,
                                         -infinity, 0.0f,
                                         -0.0f,     1.0f,
                                         -1.0f,     0.5f,
                                         -2.5f,     3e38f,
                                         -3e38f,    1e-40f,
                                         -1e-40f,   65504,
                                         88.7f};
    // Every special with every other, and more.
    std::vector<float> values;
    for (std::size_t i = 0; i < 3001; ++i) {
      const std::size_t number = second ? i / specials.size() : i;
      values.push_back(i < specials.size() * specials.size()
                           ? specials[number % specials.size()]
                           : (static_cast<float>(i * (second ? 37 : 101) % 1013) - 500) / 64);
    }
    return from_host(values.data(), {static_cast<std::int64_t>(values.size())}, cpu()).to(dtype).to(gpu(0));
  }

  static std::vector<std::uint8_t> bytes(const Tensor& tensor) {
    const Tensor there = tensor.to(cpu());
    return visit_dtype(there.dtype(), [&]<typename T>(std::type_identity<T>) {
      std::vector<std::uint8_t> result;
      if constexpr (std::same_as<T, bool>) {
        result = there.to(DType::uint8).to_vector<std::uint8_t>();
      } else {
        const std::vector<T> values = there.to_vector<T>();
        result.resize(values.size() * sizeof(T));
        if (!values.empty()) std::memcpy(result.data(), values.data(), result.size());
      }
      return result;
    });
  }

  /// Compiled, the operations make the bits that they make one by one, once they are replayed. Each comes behind
  /// another one, so that it is part of a pass.
  static void compare(const std::vector<std::pair<std::string, Operation>>& operations, DType dtype) {
    SCOPED_TRACE(name(dtype));
    const Tensor x = numbers(dtype, false), y = numbers(dtype, true);
    const auto function = [&](const Tensor& a, const Tensor& b) {
      std::vector<Tensor> results;
      results.reserve(operations.size());
      for (const auto& [name, operation] : operations) results.push_back(operation(minimum(a, a), b));
      return results;
    };
    const auto compiled = compile(function);
    std::vector<Tensor> got;
    const auto last_call = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    while (compiled.statistics().replays < 3 && std::chrono::steady_clock::now() < last_call) {
      got = compiled(x, y);
      wait_all();
    }
    EXPECT_EQ(compiled.statistics().replays, 3u);
    EXPECT_GE(compiled.statistics().fused, 2 * operations.size());
    const std::vector<Tensor> wanted = function(x, y);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(bytes(got[i]), bytes(wanted[i])) << operations[i].first << " on " << name(dtype);
  }
};

#define STRETTO_UNARY(name) {#name, [](const Tensor& x, const Tensor&) { return name(x); }}
#define STRETTO_BINARY(name) {#name, [](const Tensor& x, const Tensor& y) { return name(x, y); }}

TEST_F(CudaPasses, OperationsOnRealNumbersHaveTheirBits) {
  const std::vector<std::pair<std::string, Operation>> operations = {STRETTO_UNARY(exp),
                                                                     STRETTO_UNARY(expm1),
                                                                     STRETTO_UNARY(log),
                                                                     STRETTO_UNARY(log1p),
                                                                     STRETTO_UNARY(log2),
                                                                     STRETTO_UNARY(tanh),
                                                                     STRETTO_UNARY(erf),
                                                                     STRETTO_UNARY(sigmoid),
                                                                     STRETTO_UNARY(sin),
                                                                     STRETTO_UNARY(cos),
                                                                     STRETTO_UNARY(tan),
                                                                     STRETTO_UNARY(sqrt),
                                                                     STRETTO_UNARY(rsqrt),
                                                                     STRETTO_UNARY(reciprocal),
                                                                     STRETTO_UNARY(square),
                                                                     STRETTO_UNARY(relu),
                                                                     STRETTO_UNARY(floor),
                                                                     STRETTO_UNARY(ceil),
                                                                     STRETTO_UNARY(trunc),
                                                                     STRETTO_UNARY(round),
                                                                     STRETTO_UNARY(sign),
                                                                     STRETTO_UNARY(abs),
                                                                     STRETTO_UNARY(neg),
                                                                     STRETTO_UNARY(isnan),
                                                                     STRETTO_UNARY(isinf),
                                                                     STRETTO_UNARY(isfinite),
                                                                     STRETTO_UNARY(logical_not),
                                                                     STRETTO_BINARY(add),
                                                                     STRETTO_BINARY(sub),
                                                                     STRETTO_BINARY(mul),
                                                                     STRETTO_BINARY(div),
                                                                     STRETTO_BINARY(floor_divide),
                                                                     STRETTO_BINARY(remainder),
                                                                     STRETTO_BINARY(pow),
                                                                     STRETTO_BINARY(maximum),
                                                                     STRETTO_BINARY(minimum),
                                                                     STRETTO_BINARY(eq),
                                                                     STRETTO_BINARY(lt),
                                                                     STRETTO_BINARY(logical_and),
                                                                     STRETTO_BINARY(logical_xor),
                                                                     STRETTO_BINARY(relu_backward),
                                                                     STRETTO_BINARY(sigmoid_backward),
                                                                     STRETTO_BINARY(tanh_backward)};
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
    compare(operations, dtype);
}

TEST_F(CudaPasses, OperationsOnIntegersHaveTheirBits) {
  const std::vector<std::pair<std::string, Operation>> operations = {
      STRETTO_BINARY(add), STRETTO_BINARY(sub),         STRETTO_BINARY(mul),        STRETTO_BINARY(maximum),
      STRETTO_BINARY(ge),  STRETTO_BINARY(bitwise_and), STRETTO_BINARY(bitwise_or), STRETTO_BINARY(bitwise_xor),
      STRETTO_UNARY(neg),  STRETTO_UNARY(abs),          STRETTO_UNARY(sign),        STRETTO_UNARY(square),
      STRETTO_UNARY(relu), STRETTO_UNARY(bitwise_not),  STRETTO_BINARY(div)};
  for (const DType dtype : {DType::int32, DType::int64, DType::uint8}) compare(operations, dtype);
}

TEST_F(CudaPasses, TypesChangeOnTheWay) {
  for (const DType dtype :
       {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int32, DType::uint8}) {
    std::vector<std::pair<std::string, Operation>> operations;
    for (const DType to : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int32, DType::int64,
                           DType::uint8, DType::bool_}) {
      if (to == dtype) continue;
      operations.emplace_back("to " + std::string(name(to)), [to](const Tensor& x, const Tensor&) { return x.to(to); });
    }
    compare(operations, dtype);
  }
}

/// What a compiler could make one operation of, and a NaN would tell.
TEST_F(CudaPasses, OperationsInARowStayThemselves) {
  const std::vector<std::pair<std::string, Operation>> operations = {
      {"neg neg", [](const Tensor& x, const Tensor&) { return neg(neg(x)); }},
      {"abs neg", [](const Tensor& x, const Tensor&) { return abs(neg(x)); }},
      {"neg relu", [](const Tensor& x, const Tensor&) { return relu(neg(x)); }},
      {"neg where", [](const Tensor& x, const Tensor& y) { return where(y > 0, neg(x), x); }},
      {"relu by hand", [](const Tensor& x, const Tensor&) { return where(x <= 0, 0.0, x); }},
      {"mul add", [](const Tensor& x, const Tensor& y) { return x * y + x; }},
      {"mul sub", [](const Tensor& x, const Tensor& y) { return x - x * y; }},
      {"there and back", [](const Tensor& x, const Tensor&) { return x.to(DType::float64).to(x.dtype()); }},
      {"narrow and back", [](const Tensor& x, const Tensor&) { return x.to(DType::bfloat16).to(x.dtype()) * 1.0; }},
      {"sqrt square", [](const Tensor& x, const Tensor&) { return square(sqrt(x)); }},
      {"div mul", [](const Tensor& x, const Tensor& y) { return x / y * y; }},
      {"exp log", [](const Tensor& x, const Tensor&) { return log(exp(x)); }},
      {"clamp", [](const Tensor& x, const Tensor& y) { return clamp(neg(x), y, abs(y)); }},
      {"maximum of both", [](const Tensor& x, const Tensor& y) { return maximum(minimum(x, y), x); }}};
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
    compare(operations, dtype);
}

}  // namespace
}  // namespace stretto
