#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>

namespace stretto {

/// The most dimensions a tensor can have.
inline constexpr int max_rank = 8;

/// Up to `max_rank` integers, one for each dimension, stored in place: what shapes, strides, lists of axes and the
/// targets of reshape (where -1 is allowed) have in common. A cheap value, trivially copyable.
class STRETTO_API IndexList {
 public:
  /// No entries.
  constexpr IndexList() noexcept : rank_(0) {}
  /// `rank` entries, all `value`. Throws ShapeError beyond `max_rank`.
  static IndexList filled(int rank, std::int64_t value) {
    IndexList result;
    result.resize(rank);
    std::fill(result.begin(), result.end(), value);
    return result;
  }
  /// Throws ShapeError if there are more than `max_rank`. A list is written where an operator is called and read before
  /// that begins: its error names the line, `site`, and no operator.
  IndexList(std::initializer_list<std::int64_t> values, CallSite site = std::source_location::current())
      : IndexList(values.begin(), values.size(), site) {}
  /// Throws ShapeError if there are more than `max_rank`.
  explicit IndexList(std::span<const std::int64_t> values, CallSite site = std::source_location::current())
      : IndexList(values.data(), values.size(), site) {}

  int rank() const noexcept { return rank_; }
  /// Entry `axis`, with 0 <= axis < rank() (not checked).
  std::int64_t operator[](int axis) const noexcept { return values_[axis]; }
  std::int64_t& operator[](int axis) noexcept { return values_[axis]; }

  const std::int64_t* begin() const noexcept { return values_; }
  const std::int64_t* end() const noexcept { return values_ + rank_; }
  std::int64_t* begin() noexcept { return values_; }
  std::int64_t* end() noexcept { return values_ + rank_; }

  /// Appends an entry. Throws ShapeError when there are `max_rank` already.
  void push_back(std::int64_t value) {
    resize(rank_ + 1);
    values_[rank_ - 1] = value;
  }
  /// Inserts an entry before `axis`, with 0 <= axis <= rank() (not checked). Throws ShapeError when full.
  void insert(int axis, std::int64_t value) {
    resize(rank_ + 1);
    std::copy_backward(values_ + axis, values_ + rank_ - 1, values_ + rank_);
    values_[axis] = value;
  }
  /// Removes entry `axis`, with 0 <= axis < rank() (not checked).
  void erase(int axis) noexcept {
    std::copy(values_ + axis + 1, values_ + rank_, values_ + axis);
    --rank_;
  }
  /// Changes the number of entries; new ones are not initialised. Throws ShapeError beyond `max_rank`.
  void resize(int rank) {
    if (rank > max_rank) throw_too_many(static_cast<std::size_t>(rank), {});
    rank_ = rank;
  }

  friend bool operator==(const IndexList& a, const IndexList& b) noexcept {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  IndexList(const std::int64_t* values, std::size_t count, const CallSite& site) {
    if (count > static_cast<std::size_t>(max_rank)) throw_too_many(count, site);
    rank_ = static_cast<int>(count);
    std::copy_n(values, count, values_);
  }
  [[noreturn]] static void throw_too_many(std::size_t count, const CallSite& site);

  std::int64_t values_[max_rank];
  int rank_;
};

/// "(2,3)", "(3,)", "()".
STRETTO_API std::string to_string(const IndexList& list);

/// The extents of a tensor, outermost first, each at least 0. Rank 0 is the shape of a single number.
class STRETTO_API Shape : public IndexList {
 public:
  constexpr Shape() noexcept = default;
  /// Throws ShapeError for a negative extent or more than `max_rank`.
  Shape(std::initializer_list<std::int64_t> extents, CallSite site = std::source_location::current())
      : IndexList(extents, site) {
    check(site);
  }
  explicit Shape(std::span<const std::int64_t> extents, CallSite site = std::source_location::current())
      : IndexList(extents, site) {
    check(site);
  }
  explicit Shape(const IndexList& extents, CallSite site = std::source_location::current()) : IndexList(extents) {
    check(site);
  }

  /// The number of elements: the product of the extents, 1 for rank 0. Throws ShapeError if it does not fit in 63 bits.
  std::int64_t numel() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : *this) {
      if (__builtin_mul_overflow(product, extent, &product)) return numel_after_overflow();
    }
    return product;
  }

 private:
  void check(const CallSite& site) const {
    for (const std::int64_t extent : *this) {
      if (extent < 0) throw_negative(site);
    }
  }
  [[noreturn]] void throw_negative(const CallSite& site) const;
  std::int64_t numel_after_overflow() const;
};

/// The distance in elements between neighbours along each dimension. May be 0 (broadcast) or negative (flipped).
class STRETTO_API Strides : public IndexList {
 public:
  constexpr Strides() noexcept = default;
  // Not inherited: nvcc does not get over inherited constructors with such a default.
  Strides(std::initializer_list<std::int64_t> values, CallSite site = std::source_location::current())
      : IndexList(values, site) {}
  explicit Strides(std::span<const std::int64_t> values, CallSite site = std::source_location::current())
      : IndexList(values, site) {}
  explicit Strides(const IndexList& strides) : IndexList(strides) {}
};

/// The strides of a tensor stored without gaps, the last dimension innermost. A dimension of extent 0 counts as 1.
STRETTO_API Strides contiguous_strides(const Shape& shape);

/// Whether elements lie in order without gaps. Strides of dimensions of extent 1 do not matter; no elements is
/// contiguous. `shape` and `strides` have the same rank.
STRETTO_API bool is_contiguous(const Shape& shape, const Strides& strides);

/// The shape both broadcast to by NumPy's rules. Throws ShapeError that names both shapes.
STRETTO_API Shape broadcast_shapes(const Shape& a, const Shape& b);

/// The strides with which a tensor of `shape` and `strides` is read as one of shape `target`: 0 in each dimension that
/// is repeated. Throws ShapeError when `shape` does not broadcast to `target`.
STRETTO_API Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target);

/// `axis` counted from the front: -1 is the last of `rank` dimensions. Throws IndexError outside [-rank, rank).
STRETTO_API int normalize_axis(std::int64_t axis, int rank);

}  // namespace stretto
