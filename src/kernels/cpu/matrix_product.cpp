#include "kernels/cpu/matrix_product.h"

#include <algorithm>

#include "kernels/cpu/element_types.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matrix_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A panel of results of `panel_rows` times `panel_vectors` vectors stays in registers: 24 of 32, or 12 of 16.
#if HWY_TARGET == HWY_AVX2
constexpr int panel_rows = 4;
#else
constexpr int panel_rows = 8;
#endif
constexpr int panel_vectors = 3;
constexpr int max_vector_bytes = 64;
static_assert(row_unit % panel_rows == 0);

template <typename T>
using Tag = hn::CappedTag<T, max_vector_bytes / sizeof(T)>;

template <typename T>
std::int64_t lanes() {
  return static_cast<std::int64_t>(hn::Lanes(Tag<T>()));
}

template <typename T>
std::int64_t panel_columns() {
  return panel_vectors * lanes<T>();
}

template <typename To, typename From>
HWY_INLINE To widen(From value) {
  if constexpr (Half<From>) {
    return static_cast<float>(value);
  } else {
    return static_cast<To>(value);
  }
}

// Packs four streams of neighbouring elements as far as whole squares of four times four go; returns how far.
#if HWY_TARGET == HWY_SCALAR
template <typename T, typename Packed>
std::int64_t transpose_streams(const T*, std::int64_t, std::int64_t, Packed*, std::int64_t) {
  return 0;
}
#else
template <typename T, typename Packed>
std::int64_t transpose_streams([[maybe_unused]] const T* source, [[maybe_unused]] std::int64_t lane_stride,
                               [[maybe_unused]] std::int64_t depth, [[maybe_unused]] Packed* HWY_RESTRICT packed,
                               [[maybe_unused]] std::int64_t width) {
  std::int64_t step = 0;
  if constexpr (sizeof(T) == 4 && sizeof(Packed) == 4) {
    const hn::FixedTag<std::uint32_t, 4> d;
    const hn::Repartition<std::uint64_t, decltype(d)> pairs;
    const auto* const from = reinterpret_cast<const std::uint32_t*>(source);
    auto* const to = reinterpret_cast<std::uint32_t*>(packed);
    for (; step + 4 <= depth; step += 4) {
      const auto a = hn::LoadU(d, from + step), b = hn::LoadU(d, from + lane_stride + step);
      const auto c = hn::LoadU(d, from + 2 * lane_stride + step), e = hn::LoadU(d, from + 3 * lane_stride + step);
      const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
      const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
      const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
      const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low)), d, to + step * width);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low)), d, to + (step + 1) * width);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high)), d, to + (step + 2) * width);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high)), d, to + (step + 3) * width);
    }
  }
  return step;
}
#endif

// packed[step * width + lane] = source[lane * lane_stride + step * step_stride], with zeros for `valid` <= lane <
// width.
template <typename T, typename Packed>
void pack_panel(const T* source, std::int64_t lane_stride, std::int64_t step_stride, std::int64_t valid,
                std::int64_t width, std::int64_t depth, Packed* HWY_RESTRICT packed) {
  if (lane_stride == 1 && valid == width) {
    for (std::int64_t step = 0; step < depth; ++step) {
      for (std::int64_t lane = 0; lane < width; ++lane) packed[lane] = widen<Packed>(source[lane]);
      source += step_stride;
      packed += width;
    }
    return;
  }
  // Few streams at a time, so that a processor's prefetching follows them.
  constexpr int group = 4;
  std::int64_t lane = 0;
  for (; lane + group <= valid; lane += group) {
    const T* const streams = source + lane * lane_stride;
    Packed* HWY_RESTRICT target = packed + lane;
    std::int64_t step = 0;
    if (step_stride == 1) step = transpose_streams(streams, lane_stride, depth, target, width);
    for (; step < depth; ++step) {
      for (int i = 0; i < group; ++i) {
        target[step * width + i] = widen<Packed>(streams[i * lane_stride + step * step_stride]);
      }
    }
  }
  for (; lane < width; ++lane) {
    for (std::int64_t step = 0; step < depth; ++step) {
      packed[step * width + lane] =
          lane < valid ? widen<Packed>(source[lane * lane_stride + step * step_stride]) : Packed{0};
    }
  }
}

template <typename T, typename Packed>
void pack_panels(const T* source, std::int64_t lane_stride, std::int64_t step_stride, std::int64_t extent,
                 std::int64_t panel, std::int64_t unit, std::int64_t depth, std::byte* packed) {
  for (std::int64_t begin = 0; begin < extent; begin += panel) {
    const std::int64_t valid = std::min(panel, extent - begin);
    const std::int64_t width = (valid + unit - 1) / unit * unit;
    pack_panel(source + begin * lane_stride, lane_stride, step_stride, valid, width, depth,
               reinterpret_cast<Packed*>(packed) + begin * depth);
  }
}

void PackRight(const MatrixView& right, std::int64_t depth, std::int64_t columns, std::byte* packed) {
  visit_accumulated(right.dtype, [&]<class T, class Packed>(std::type_identity<T>, std::type_identity<Packed>) {
    pack_panels<T, Packed>(reinterpret_cast<const T*>(right.data), right.column_stride, right.row_stride, columns,
                           panel_columns<Packed>(), lanes<Packed>(), depth, packed);
  });
}

void PackLeft(const MatrixView& left, std::int64_t rows, std::int64_t depth, std::byte* packed) {
  visit_accumulated(left.dtype, [&]<class T, class Packed>(std::type_identity<T>, std::type_identity<Packed>) {
    pack_panels<T, Packed>(reinterpret_cast<const T*>(left.data), left.row_stride, left.column_stride, rows, panel_rows,
                           panel_rows, depth, packed);
  });
}

// What the next panels will need is fetched bit by bit: one line at every step of depth.
struct Prefetch {
  const std::byte* next;
  std::int64_t stride;
};

// One panel of results. `vectors` of them side by side; `right` has rows of vectors * lanes elements.
template <int vectors, typename T>
HWY_NOINLINE void multiply_panel(std::int64_t depth, const T* HWY_RESTRICT left, const T* HWY_RESTRICT right,
                                 Prefetch prefetch, T* HWY_RESTRICT result, std::int64_t row_stride, bool add) {
  const Tag<T> d;
  using Vector = hn::Vec<Tag<T>>;
  const std::int64_t lane_count = lanes<T>();
  Vector sums[panel_rows][vectors];
  HWY_UNROLL(panel_rows)
  for (int i = 0; i < panel_rows; ++i) {
    HWY_UNROLL(panel_vectors)
    for (int j = 0; j < vectors; ++j) {
      __builtin_prefetch(result + i * row_stride + j * lane_count, 1);
      sums[i][j] = hn::Zero(d);
    }
  }
  for (std::int64_t step = 0; step < depth; ++step) {
    __builtin_prefetch(prefetch.next, 0, 2);
    prefetch.next += prefetch.stride;
    Vector row[vectors];
    HWY_UNROLL(panel_vectors)
    for (int j = 0; j < vectors; ++j) row[j] = hn::Load(d, right + j * lane_count);
    HWY_UNROLL(panel_rows)
    for (int i = 0; i < panel_rows; ++i) {
      const Vector factor = hn::Set(d, left[i]);
      HWY_UNROLL(panel_vectors)
      for (int j = 0; j < vectors; ++j) {
        if constexpr (hwy::IsFloat<T>()) {
          sums[i][j] = hn::MulAdd(factor, row[j], sums[i][j]);
        } else {
          sums[i][j] = hn::Add(hn::Mul(factor, row[j]), sums[i][j]);
        }
      }
    }
    left += panel_rows;
    right += vectors * lane_count;
  }
  HWY_UNROLL(panel_rows)
  for (int i = 0; i < panel_rows; ++i) {
    HWY_UNROLL(panel_vectors)
    for (int j = 0; j < vectors; ++j) {
      T* const target = result + i * row_stride + j * lane_count;
      if (add) sums[i][j] = hn::Add(hn::LoadU(d, target), sums[i][j]);
      hn::StoreU(sums[i][j], d, target);
    }
  }
}

template <typename T>
void multiply(const PackedProduct& product) {
  static_assert(panel_vectors == 3);
  const std::int64_t panel = panel_columns<T>();
  const std::int64_t depth = product.depth;
  const std::int64_t row_panels = (product.rows + panel_rows - 1) / panel_rows;
  const auto* left = reinterpret_cast<const T*>(product.left);
  const auto* right = reinterpret_cast<const T*>(product.right);
  auto* result = reinterpret_cast<T*>(product.sums);
  HWY_ALIGN T edge[panel_rows * panel_vectors * (max_vector_bytes / sizeof(T))];

  for (std::int64_t column = 0; column < product.columns; column += panel) {
    const std::int64_t columns = std::min(panel, product.columns - column);
    const std::int64_t vectors = (columns + lanes<T>() - 1) / lanes<T>();
    const auto multiply_this = vectors == 3   ? &multiply_panel<3, T>
                               : vectors == 2 ? &multiply_panel<2, T>
                                              : &multiply_panel<1, T>;
    const T* const right_panel = right + column * depth;
    // While the row panels pass, each fetches its share of the next right panel into the second-level cache.
    const std::int64_t share = (panel * static_cast<std::int64_t>(sizeof(T)) + row_panels - 1) / row_panels;
    const auto* const next_panel = reinterpret_cast<const std::byte*>(right_panel + panel * depth);
    for (std::int64_t row = 0; row < product.rows; row += panel_rows) {
      const Prefetch prefetch{next_panel + row / panel_rows * share * depth, share};
      const T* const left_panel = left + row * depth;
      T* const target = result + row * product.row_stride + column;
      const std::int64_t rows = std::min<std::int64_t>(panel_rows, product.rows - row);
      if (rows == panel_rows && columns == vectors * lanes<T>()) {
        multiply_this(depth, left_panel, right_panel, prefetch, target, product.row_stride, product.add);
        continue;
      }
      multiply_this(depth, left_panel, right_panel, prefetch, edge, panel, false);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          T& element = target[i * product.row_stride + j];
          element = product.add ? element + edge[i * panel + j] : edge[i * panel + j];
        }
      }
    }
  }
}

void MultiplyPacked(const PackedProduct& product) {
  visit_accumulated(product.dtype, [&]<class T, class Sum>(std::type_identity<T>, std::type_identity<Sum>) {
    multiply<Sum>(product);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {

HWY_EXPORT(PackRight);
HWY_EXPORT(PackLeft);
HWY_EXPORT(MultiplyPacked);

void pack_right(const MatrixView& right, std::int64_t depth, std::int64_t columns, std::byte* packed) {
  HWY_DYNAMIC_DISPATCH(PackRight)(right, depth, columns, packed);
}

void pack_left(const MatrixView& left, std::int64_t rows, std::int64_t depth, std::byte* packed) {
  HWY_DYNAMIC_DISPATCH(PackLeft)(left, rows, depth, packed);
}

void multiply_packed(const PackedProduct& product) { HWY_DYNAMIC_DISPATCH(MultiplyPacked)(product); }

}  // namespace stretto
#endif
