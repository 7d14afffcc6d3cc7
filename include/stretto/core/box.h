#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <stretto/base/export.h>
#include <stretto/core/shape.h>
#include <stretto/core/view_geometry.h>

namespace stretto {

/// The bytes of a storage that an access touches: runs of `run()` bytes, repeated along up to `max_rank` dimensions of
/// positive strides. It is kept in one normal form, in which the order and the direction of the axes, axes that repeat
/// elements and axes that join without a gap are gone: views of the same elements give equal boxes (only views whose
/// own elements overlap may differ and still touch the same bytes). A cheap value, trivially copyable; it owns nothing.
class STRETTO_API Box {
 public:
  /// No bytes.
  Box() noexcept : Box(whole(0)) {}

  /// The elements of `shape`, `strides` (in elements) and `item_size` (in bytes) whose element (0, 0, ...) begins at
  /// byte `offset`. `shape` and `strides` have the same rank; no element begins before byte 0.
  Box(std::int64_t offset, std::size_t item_size, const Shape& shape, const Strides& strides);

  /// The elements of `g`, whose offset counts elements.
  Box(const Geometry& g, std::size_t item_size)
      : Box(g.offset * static_cast<std::int64_t>(item_size), item_size, g.shape, g.strides) {}

  /// The first `bytes` bytes.
  static Box whole(std::int64_t bytes) noexcept { return Box(0, bytes); }

  /// Whether it touches no byte at all.
  bool empty() const noexcept { return run_ == 0; }
  /// The first byte. 0 when empty.
  std::int64_t offset() const noexcept { return offset_; }
  /// One past the last byte.
  std::int64_t end() const noexcept {
    std::int64_t last_run = offset_;
    for (int i = 0; i < rank_; ++i) last_run += (extents_[i] - 1) * strides_[i];
    return last_run + run_;
  }
  /// Bytes that lie together. 0 when empty.
  std::int64_t run() const noexcept { return run_; }
  /// Dimensions along which the run is repeated; 0 when all bytes lie together.
  int rank() const noexcept { return rank_; }
  /// Repetitions along each dimension, each at least 2; of the largest stride first.
  std::span<const std::int64_t> extents() const noexcept { return {extents_, static_cast<std::size_t>(rank_)}; }
  /// Bytes between repetitions along each dimension, from the largest to the smallest, all larger than 0.
  std::span<const std::int64_t> strides() const noexcept { return {strides_, static_cast<std::size_t>(rank_)}; }

  std::uint64_t hash() const noexcept { return hash_; }

  friend bool operator==(const Box& a, const Box& b) noexcept { return a.hash_ == b.hash_ && a.same_as(b); }

 private:
  Box(std::int64_t offset, std::int64_t run) noexcept : offset_(offset), run_(run), rank_(0) { hash_ = compute_hash(); }

  void add_dimension(std::int64_t extent, std::int64_t stride) noexcept;
  void join_dimensions() noexcept;
  std::uint64_t compute_hash() const noexcept;
  bool same_as(const Box& other) const noexcept;

  std::int64_t offset_;
  std::int64_t run_;
  std::uint64_t hash_;
  std::int64_t rank_;
  std::int64_t extents_[max_rank];
  std::int64_t strides_[max_rank];
};

/// Whether the two touch a common byte. False is certain. True is certain for parts of one tensor that were cut from it
/// with common strides (rows, columns, tiles, every n-th); for others the search may give up and say true.
STRETTO_API bool overlaps(const Box& a, const Box& b);

/// Whether `a` touches every byte of `b`. True is certain; false may mean that it could not be told.
STRETTO_API bool contains(const Box& a, const Box& b);

/// "bytes 16..32 by (4 x 64, 2 x 8)": the first run and the repetitions, the largest stride first.
STRETTO_API std::string to_string(const Box& box);

}  // namespace stretto
