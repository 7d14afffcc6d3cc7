#include "kernels/cpu/reduction_fold.h"

#include <algorithm>
#include <limits>

#include "kernels/cpu/element_types.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction_fold.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t block = ReductionPlan::block;
constexpr std::int64_t lanes = ReductionPlan::lanes;
constexpr std::int64_t max_width = ReductionPlan::max_width;

// Each fold for two values and for two vectors, with equal results, and the value that changes nothing.
struct Sum {
  template <typename T>
  static constexpr T neutral = T{0};
  template <typename T>
  static HWY_INLINE T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Add(a, b);
  }
};

struct Product {
  template <typename T>
  static constexpr T neutral = T{1};
  template <typename T>
  static HWY_INLINE T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    return hn::Mul(a, b);
  }
};

template <typename T>
constexpr T lowest =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
template <typename T>
constexpr T highest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();

struct Maximum {
  template <typename T>
  static constexpr T neutral = lowest<T>;
  template <typename T>
  static HWY_INLINE T apply(T a, T b) {
    return (a >= b) | (a != a) ? a : b;
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
      return hn::IfThenElse(hn::Or(hn::Ge(a, b), hn::IsNaN(a)), a, b);
    } else {
      return hn::Max(a, b);
    }
  }
};

struct Minimum {
  template <typename T>
  static constexpr T neutral = highest<T>;
  template <typename T>
  static HWY_INLINE T apply(T a, T b) {
    return (a <= b) | (a != a) ? a : b;
  }
  template <class V>
  static HWY_INLINE V vector(V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
      return hn::IfThenElse(hn::Or(hn::Le(a, b), hn::IsNaN(a)), a, b);
    } else {
      return hn::Min(a, b);
    }
  }
};

// Calls f with the fold and the type of values; truth has a maximum (any) and a minimum (all) only.
template <typename F>
void visit_fold(Fold fold, FoldType type, F&& f) {
  visit_fold_type(type, [&]<class T>(std::type_identity<T> value) {
    if (fold == Fold::maximum) return f(Maximum{}, value);
    if (fold == Fold::minimum) return f(Minimum{}, value);
    if constexpr (!std::is_same_v<T, std::uint8_t>) {
      if (fold == Fold::sum) return f(Sum{}, value);
      if (fold == Fold::product) return f(Product{}, value);
    }
    __builtin_unreachable();
  });
}

template <class F, typename T>
void fold_into(T* HWY_RESTRICT values, const T* HWY_RESTRICT more, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = F::apply(values[i], more[i]);
}

// The lanes' values, `width` of each, folded in halves into the first of them.
template <class F, typename T>
void fold_lanes(T* values, std::int64_t width) {
  for (std::int64_t half = lanes / 2; half > 0; half /= 2) fold_into<F>(values, values + half * width, half * width);
}

template <class F, typename T>
T fold_block(const T* HWY_RESTRICT values, std::int64_t count) {
  const hn::CappedTag<T, lanes> d;
  constexpr int vectors = static_cast<int>(lanes / static_cast<std::int64_t>(hn::MaxLanes(d)));
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN T folded[lanes];
  hn::Vec<decltype(d)> sums[vectors];
  for (auto& sum : sums) sum = hn::Set(d, F::template neutral<T>);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int v = 0; v < vectors; ++v) sums[v] = F::vector(sums[v], hn::LoadU(d, values + i + v * step));
  }
  for (int v = 0; v < vectors; ++v) hn::Store(sums[v], d, folded + v * step);
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    if (i + lane < count) folded[lane] = F::apply(folded[lane], values[i + lane]);
  }
  fold_lanes<F>(folded, 1);
  return folded[0];
}

template <typename Value, typename T>
HWY_INLINE Value value_of(T element) {
  if constexpr (std::is_same_v<Value, std::uint8_t>) {
    return element != T{0};
  } else {
    return convert<Value>(element);
  }
}

template <typename Value, typename T>
void load_from(const T* from, std::int64_t stride, std::int64_t count, Value* HWY_RESTRICT to) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value_of<Value>(from[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value_of<Value>(from[i * stride]);
  }
}

// Converts `count` elements of the input, the first at `offset`.
template <typename Value>
HWY_NOINLINE void load(const Array& input, std::int64_t offset, std::int64_t stride, std::int64_t count, Value* to) {
  visit_dtype(input.dtype,
              [&]<class T>(std::type_identity<T>) { load_from(input.as<const T>() + offset, stride, count, to); });
}

template <typename Value>
bool holds_values(const Array& input) {
  return (std::is_same_v<Value, float> && input.dtype == DType::float32) ||
         (std::is_same_v<Value, double> && input.dtype == DType::float64) ||
         (std::is_same_v<Value, std::int64_t> && input.dtype == DType::int64);
}

template <typename T>
HWY_INLINE T squared(T value) {
  return value * value;
}

// One block of one result. Its values are read where they lie, if they lie there as they are needed.
template <class F, typename T>
T fold_row(const Folding& folding, const ReductionPlan::Unit& unit) {
  HWY_ALIGN T buffer[block];
  const T* values = buffer;
  std::int64_t loaded = 0;
  const bool in_place = holds_values<T>(folding.input) && folding.means == nullptr;
  folding.plan.visit_block(unit.block, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
    if (in_place && stride == 1 && count == unit.terms) {
      values = folding.input.as<const T>() + unit.base + offset;
    } else {
      load(folding.input, unit.base + offset, stride, count, buffer + loaded);
      loaded += count;
    }
  });
  if (folding.means != nullptr) {
    const T mean = reinterpret_cast<const T*>(folding.means)[unit.first_result];
    for (std::int64_t i = 0; i < unit.terms; ++i) buffer[i] = squared<T>(buffer[i] - mean);
  }
  return fold_block<F>(values, unit.terms);
}

// One block of several results whose elements lie side by side: row i of the block goes to lane i % lanes of each.
template <class F, typename T>
void fold_columns(const Folding& folding, const ReductionPlan::Unit& unit, T* HWY_RESTRICT sums) {
  HWY_ALIGN T buffer[lanes * max_width];
  const std::int64_t width = unit.width;
  const bool in_place = holds_values<T>(folding.input) && folding.means == nullptr;
  const T* const means =
      folding.means == nullptr ? nullptr : reinterpret_cast<const T*>(folding.means) + unit.first_result;
  std::fill(sums, sums + lanes * width, F::template neutral<T>);
  std::int64_t row = 0;
  // `rows` rows that lie one after another, and whose lanes do.
  const auto add_rows = [&](std::int64_t offset, std::int64_t rows) {
    const T* values = folding.input.as<const T>() + offset;
    if (!in_place) {
      load(folding.input, offset, 1, rows * width, buffer);
      values = buffer;
      for (std::int64_t i = 0; i < rows && means != nullptr; ++i) {
        T* const distances = buffer + i * width;
        for (std::int64_t j = 0; j < width; ++j) distances[j] = squared<T>(distances[j] - means[j]);
      }
    }
    fold_into<F>(sums + row % lanes * width, values, rows * width);
    row += rows;
  };
  folding.plan.visit_block(unit.block, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
    offset += unit.base;
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t rows = stride == width ? std::min(lanes - row % lanes, count - i) : 1;
      add_rows(offset + i * stride, rows);
      i += rows;
    }
  });
  fold_lanes<F>(sums, width);
}

template <class F, typename T>
void fold_typed_units(const Folding& folding, std::int64_t begin, std::int64_t end, T* partials) {
  HWY_ALIGN T sums[lanes * max_width];
  const std::int64_t blocks = folding.plan.blocks();
  for (std::int64_t index = begin; index < end; ++index) {
    const ReductionPlan::Unit unit = folding.plan.unit(index);
    T* const target = partials + unit.first_result * blocks + unit.block;
    if (unit.width == 1) {
      *target = fold_row<F, T>(folding, unit);
    } else {
      fold_columns<F>(folding, unit, sums);
      for (std::int64_t i = 0; i < unit.width; ++i) target[i * blocks] = sums[i];
    }
  }
}

void FoldUnits(const Folding& folding, std::int64_t begin, std::int64_t end, std::byte* partials) {
  visit_fold(folding.fold, folding.type, [&]<class F, class T>(F, std::type_identity<T>) {
    fold_typed_units<F>(folding, begin, end, reinterpret_cast<T*>(partials));
  });
}

void LoadBlock(const Folding& folding, std::int64_t result, std::int64_t block_index, std::byte* values) {
  const ReductionPlan& plan = folding.plan;
  visit_fold_type(folding.type, [&]<class T>(std::type_identity<T>) {
    T* to = reinterpret_cast<T*>(values);
    plan.visit_block(block_index, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
      load(folding.input, plan.input_offset(result) + offset, stride, count, to);
      to += count;
    });
  });
}

void FoldPairs(Fold fold, FoldType type, std::byte* values, std::int64_t count) {
  visit_fold(fold, type, [&]<class F, class T>(F, std::type_identity<T>) {
    T* const folded = reinterpret_cast<T*>(values);
    for (; count > 1; count = (count + 1) / 2) {
      for (std::int64_t i = 0; i < count / 2; ++i) folded[i] = F::apply(folded[2 * i], folded[2 * i + 1]);
      if (count % 2 == 1) folded[count / 2] = folded[count - 1];
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {

HWY_EXPORT(FoldUnits);
HWY_EXPORT(LoadBlock);
HWY_EXPORT(FoldPairs);

void fold_units(const Folding& folding, std::int64_t begin, std::int64_t end, std::byte* partials) {
  HWY_DYNAMIC_DISPATCH(FoldUnits)(folding, begin, end, partials);
}

void load_block(const Folding& folding, std::int64_t result, std::int64_t block, std::byte* values) {
  HWY_DYNAMIC_DISPATCH(LoadBlock)(folding, result, block, values);
}

void fold_pairs(Fold fold, FoldType type, std::byte* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(FoldPairs)(fold, type, values, count);
}

}  // namespace stretto
#endif
