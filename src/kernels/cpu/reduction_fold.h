#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/reduction_plan.h"
#include "kernels/kernel.h"

namespace stretto {

/// What two values become when they are folded. The larger or smaller of a number and NaN is NaN; integers wrap.
enum class Fold : std::uint8_t { sum, product, maximum, minimum };

/// What elements are converted to before they are folded: `truth` is whether they are not zero.
enum class FoldType : std::uint8_t { float32, float64, int64, truth };

/// Calls `f(std::type_identity<Value>{})`; `truth` is held in std::uint8_t.
template <typename F>
decltype(auto) visit_fold_type(FoldType type, F&& f) {
  switch (type) {
    case FoldType::float32: return f(std::type_identity<float>{});
    case FoldType::float64: return f(std::type_identity<double>{});
    case FoldType::int64: return f(std::type_identity<std::int64_t>{});
    case FoldType::truth: return f(std::type_identity<std::uint8_t>{});
  }
  __builtin_unreachable();
}

struct Folding {
  const ReductionPlan& plan;
  const Array& input;
  Fold fold;
  FoldType type;
  /// One for each result, if not null: what is folded is then the square of each element's distance from it.
  const std::byte* means = nullptr;
};

/// Folds the units `begin` to `end - 1`: the value of block b of result r goes to `partials[r * plan.blocks() + b]`.
void fold_units(const Folding& folding, std::int64_t begin, std::int64_t end, std::byte* partials);

/// Converts the elements of one block of one result, in order.
void load_block(const Folding& folding, std::int64_t result, std::int64_t block, std::byte* values);

/// Folds `count` values in pairs of neighbours until one is left, in place: `values[0]`.
void fold_pairs(Fold fold, FoldType type, std::byte* values, std::int64_t count);

}  // namespace stretto
