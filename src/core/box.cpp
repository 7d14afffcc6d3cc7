#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include <stretto/core/box.h>

namespace stretto {

static_assert(sizeof(Box) <= 160 && std::is_trivially_copyable_v<Box>);

Box::Box(std::int64_t offset, std::size_t item_size, const Shape& shape, const Strides& strides)
    : offset_(offset), run_(static_cast<std::int64_t>(item_size)), rank_(0) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 0) {
      *this = Box();
      return;
    }
    if (shape[i] > 1 && strides[i] != 0) add_dimension(shape[i], strides[i] * static_cast<std::int64_t>(item_size));
  }
  join_dimensions();
  hash_ = compute_hash();
}

/// Keeps the dimensions sorted by stride, largest first. The order among equal strides does not matter: they are
/// joined.
void Box::add_dimension(std::int64_t extent, std::int64_t stride) noexcept {
  if (stride < 0) {
    offset_ += (extent - 1) * stride;
    stride = -stride;
  }
  std::int64_t i = rank_++;
  while (i > 0 && strides_[i - 1] < stride) {
    strides_[i] = strides_[i - 1];
    extents_[i] = extents_[i - 1];
    --i;
  }
  strides_[i] = stride;
  extents_[i] = extent;
}

/// Joins a dimension with the one inside it wherever the two together are a gapless repetition.
void Box::join_dimensions() noexcept {
  std::int64_t first = rank_;  // dimensions from here on are joined already
  for (std::int64_t i = rank_ - 1; i >= 0; --i) {
    const std::int64_t stride = strides_[i];
    const std::int64_t extent = extents_[i];
    if (first == rank_) {
      if (stride <= run_) {
        run_ += (extent - 1) * stride;
        continue;
      }
    } else if (stride <= extents_[first] * strides_[first] && stride % strides_[first] == 0) {
      extents_[first] += (extent - 1) * (stride / strides_[first]);
      continue;
    }
    --first;
    strides_[first] = stride;
    extents_[first] = extent;
  }
  std::copy(strides_ + first, strides_ + rank_, strides_);
  std::copy(extents_ + first, extents_ + rank_, extents_);
  rank_ -= first;
}

std::uint64_t Box::compute_hash() const noexcept {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  const auto mix = [&hash](std::int64_t value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  };
  mix(offset_);
  mix(run_);
  for (std::int64_t i = 0; i < rank_; ++i) {
    mix(extents_[i]);
    mix(strides_[i]);
  }
  return hash;
}

bool Box::same_as(const Box& other) const noexcept {
  return offset_ == other.offset_ && run_ == other.run_ && rank_ == other.rank_ &&
         std::equal(extents_, extents_ + rank_, other.extents_) &&
         std::equal(strides_, strides_ + rank_, other.strides_);
}

namespace {

std::int64_t divide_down(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }
std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }

/// Two boxes meet if and only if the distance between the starts of some run of one and some run of the other is small
/// enough: distance + sum of d[i] * stride[i] lies in [low, high] for some whole d[i] in [least[i], most[i]], where
/// d[i] is the difference of their positions along a stride that either has. The search goes from the largest stride to
/// the smallest and looks only at those d[i] from which the smaller strides can still reach the window. Where the
/// strides are nested, as in parts of one tensor, these are two at most; otherwise a limit on steps ends the search
/// with "yes".
class DistanceSearch {
 public:
  DistanceSearch(const Box& a, const Box& b) : low_(1 - b.run()), high_(a.run() - 1) {
    const std::span<const std::int64_t> a_strides = a.strides(), b_strides = b.strides();
    std::size_t i = 0, j = 0;
    while (i < a_strides.size() || j < b_strides.size()) {
      Dimension& dimension = dimensions_[count_++];
      const std::int64_t a_stride = i < a_strides.size() ? a_strides[i] : 0;
      const std::int64_t b_stride = j < b_strides.size() ? b_strides[j] : 0;
      dimension.stride = std::max(a_stride, b_stride);
      dimension.least = dimension.most = 0;
      if (a_stride == dimension.stride) dimension.least = 1 - a.extents()[i++];
      if (b_stride == dimension.stride) dimension.most = b.extents()[j++] - 1;
    }
    std::int64_t reach_down = 0, reach_up = 0, divisor = 0;
    for (int k = count_ - 1; k >= 0; --k) {
      Dimension& dimension = dimensions_[k];
      dimension.inner_down = reach_down;
      dimension.inner_up = reach_up;
      reach_down += dimension.least * dimension.stride;
      reach_up += dimension.most * dimension.stride;
      divisor = std::gcd(divisor, dimension.stride);
      dimension.divisor = divisor;
    }
  }

  bool reaches_window(std::int64_t distance, int from = 0) {
    if (from == count_) return low_ <= distance && distance <= high_;
    if (--steps_left_ < 0) return true;
    const Dimension& dimension = dimensions_[from];
    // All that can be added is a multiple of the divisor: is there one that lands in the window?
    if (divide_down(high_ - distance, dimension.divisor) < divide_up(low_ - distance, dimension.divisor)) return false;
    const std::int64_t first =
        std::max(dimension.least, divide_up(low_ - distance - dimension.inner_up, dimension.stride));
    const std::int64_t last =
        std::min(dimension.most, divide_down(high_ - distance - dimension.inner_down, dimension.stride));
    for (std::int64_t d = first; d <= last; ++d) {
      if (reaches_window(distance + d * dimension.stride, from + 1)) return true;
    }
    return false;
  }

 private:
  struct Dimension {
    std::int64_t stride;
    std::int64_t least, most;           // bounds of d
    std::int64_t inner_down, inner_up;  // what the smaller strides can add, at least and at most
    std::int64_t divisor;               // of this and all smaller strides
  };

  std::int64_t low_, high_;
  int count_ = 0;
  int steps_left_ = 1000;
  Dimension dimensions_[2 * max_rank];
};

}  // namespace

bool overlaps(const Box& a, const Box& b) {
  if (a.empty() || b.empty() || a.end() <= b.offset() || b.end() <= a.offset()) return false;
  const std::int64_t distance = b.offset() - a.offset();
  if (-b.run() < distance && distance < a.run()) return true;  // the first runs meet, as in most boxes that do
  return DistanceSearch(a, b).reaches_window(distance);
}

bool contains(const Box& a, const Box& b) {
  if (b.empty()) return true;
  if (b.offset() < a.offset() || a.end() < b.end()) return false;
  if (a.rank() == 0 || a == b) return true;

  // Where b lies in a's dimensions: its first byte, then how far each of its own dimensions goes along the largest
  // stride of a that divides its own, or inside a's run.
  std::int64_t last_position[max_rank];
  std::int64_t rest = b.offset() - a.offset();
  for (int i = 0; i < a.rank(); ++i) {
    last_position[i] = std::min(rest / a.strides()[i], a.extents()[i] - 1);
    rest -= last_position[i] * a.strides()[i];
  }
  std::int64_t last_byte = rest + b.run() - 1;
  for (int j = 0; j < b.rank(); ++j) {
    const std::int64_t stride = b.strides()[j];
    int i = 0;
    while (i < a.rank() && stride % a.strides()[i] != 0) ++i;
    if (i < a.rank()) {
      last_position[i] += (b.extents()[j] - 1) * (stride / a.strides()[i]);
    } else {
      last_byte += (b.extents()[j] - 1) * stride;
    }
  }
  return last_byte < a.run() && std::equal(last_position, last_position + a.rank(), a.extents().begin(), std::less<>());
}

std::string to_string(const Box& box) {
  std::string text = "bytes " + std::to_string(box.offset()) + ".." + std::to_string(box.offset() + box.run());
  for (int i = 0; i < box.rank(); ++i) {
    text += i == 0 ? " by (" : ", ";
    text += std::to_string(box.extents()[i]) + " x " + std::to_string(box.strides()[i]);
  }
  return box.rank() > 0 ? text + ")" : text;
}

}  // namespace stretto
