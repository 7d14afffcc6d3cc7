#include "memory/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

namespace stretto {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Sizes up to this can be rounded up without overflow; no device has more.
constexpr std::size_t largest_limit = std::numeric_limits<std::size_t>::max() / 4;

/// How many cached blocks are looked at from each end of a queue, so that the lock is held for a bounded time.
constexpr std::size_t search_length = 16;

/// The same for a block of a certain place, which only replays look for.
constexpr std::size_t place_search_length = 64;

bool all_on(const PointSet& points, LaneId lane) {
  return std::ranges::all_of(points, [lane](Point point) { return point.lane() == lane; });
}

Block extract(std::deque<Block>& queue, std::size_t index) {
  Block block = std::move(queue[index]);
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(index));
  return block;
}

}  // namespace

MemoryPool::MemoryPool(MemorySource& source, std::size_t limit, bool poison)
    : source_(source),
      limit_(std::min({limit == 0 ? source.capacity() : limit, source.capacity(), largest_limit})),
      poison_(poison) {}

MemoryPool::~MemoryPool() {
  const SpinLockGuard guard(lock_);
  for (const auto& slab : slabs_) source_.release(slab->data, slab->bytes);
}

std::optional<Block> MemoryPool::allocate(std::size_t bytes, LaneId lane) {
  if (bytes > limit_) return std::nullopt;
  std::optional<Block> block;
  {
    const SpinLockGuard guard(lock_);
    block = take_preferred(bytes, lane);
  }
  if (!block) block = allocate_slowly(bytes, lane);
  if (poison_ && block && block->pending.empty()) std::memset(block->data, 0xFF, block->bytes);
  return block;
}

bool MemoryPool::has_all(std::span<const Place> places) const {
  const SpinLockGuard guard(lock_);
  return std::ranges::all_of(places, [this](Place place) STRETTO_REQUIRES(lock_) { return find(place).has_value(); });
}

std::optional<Block> MemoryPool::allocate_at(Place place) {
  std::optional<Block> block;
  {
    const SpinLockGuard guard(lock_);
    const std::optional<Found> found = find(place);
    if (!found) return std::nullopt;
    if (found->size_class == shelf_count) {
      block = own(std::move(unshelved_.extract(found->unshelved).mapped()));
    } else if (Shelf& shelf = shelves_[found->size_class]; found->is_settled) {
      const Piece piece = shelf.settled[found->index];
      shelf.settled.erase(shelf.settled.begin() + static_cast<std::ptrdiff_t>(found->index));
      block = own({piece.data, piece.bytes, {}, piece.slab});
    } else {
      block = own(extract(shelf.pending, found->index));
      static_cast<void>(block->pending.settle(lane_progress()));
    }
  }
  if (poison_ && block->pending.empty()) std::memset(block->data, 0xFF, block->bytes);
  return block;
}

std::optional<MemoryPool::Found> MemoryPool::find(Place place) const {
  const std::size_t size_class = size_class_of(place.bytes);
  const auto index_in = [place](const auto& list) -> std::optional<std::size_t> {
    const std::size_t count = list.size(), ends = std::min(count, place_search_length);
    for (std::size_t i = 0; i < ends; ++i)
      if (list[i].data == place.data) return i;
    for (std::size_t i = std::max(ends, count - ends); i < count; ++i)
      if (list[i].data == place.data) return i;
    return std::nullopt;
  };
  if (size_class < shelf_count) {
    const Shelf& shelf = shelves_[size_class];
    if (const auto index = index_in(shelf.settled)) return Found{size_class, true, *index, {}};
    if (const auto index = index_in(shelf.pending)) return Found{size_class, false, *index, {}};
  }
  const auto end = unshelved_.upper_bound(size_class_bytes(size_class));
  std::size_t searched = 0;
  for (auto entry = unshelved_.lower_bound(align_block(place.bytes)); entry != end && searched < place_search_length;
       ++entry, ++searched)
    if (entry->second.data == place.data) return Found{shelf_count, false, 0, entry};
  return std::nullopt;
}

void MemoryPool::release(Block block) {
  if (!block.pending.empty()) block.pending.settle(lane_progress());
  const SpinLockGuard guard(lock_);
  statistics_.live -= block.bytes;
  file(std::move(block));
}

std::size_t MemoryPool::available() const {
  const SpinLockGuard guard(lock_);
  return limit_ - statistics_.live;
}

MemoryStatistics MemoryPool::statistics() const {
  const SpinLockGuard guard(lock_);
  return statistics_;
}

void MemoryPool::reset_peak() {
  const SpinLockGuard guard(lock_);
  statistics_.peak = statistics_.live;
}

std::size_t MemoryPool::trim() {
  const MutexLock growing(growth_);
  {
    const SpinLockGuard guard(lock_);
    join_settled();
  }
  return give_back(std::numeric_limits<std::size_t>::max());
}

std::optional<Block> MemoryPool::allocate_slowly(std::size_t bytes, LaneId lane) {
  const MutexLock growing(growth_);
  {
    const SpinLockGuard guard(lock_);
    // While this thread waited, another may have grown the pool or released a block.
    if (auto block = take_preferred(bytes, lane)) return block;
    if (auto block = take_unshelved(bytes, lane)) return block;
    if (auto block = carve(preferred_bytes(bytes))) return block;
    if (above_soft_limit(bytes)) {
      join_settled();
      if (auto block = carve(preferred_bytes(bytes))) return block;
    }
  }
  if (auto block = grow(bytes)) return block;

  const std::size_t exact_bytes = align_block(bytes);
  {
    const SpinLockGuard guard(lock_);
    if (auto block = take_unsettled(bytes)) return block;
    join_settled();
    if (auto block = carve(exact_bytes)) return block;
  }
  give_back(exact_bytes);
  if (auto block = grow(bytes)) return block;
  const SpinLockGuard guard(lock_);
  return split_unsettled(exact_bytes);
}

std::optional<Block> MemoryPool::take_preferred(std::size_t bytes, LaneId lane) {
  const std::size_t size_class = size_class_of(bytes);
  return size_class < shelf_count ? take_from_shelf(shelves_[size_class], lane) : take_unshelved(bytes, lane);
}

std::optional<Block> MemoryPool::take_from_shelf(Shelf& shelf, LaneId lane) {
  if (!shelf.settled.empty()) {
    const Piece piece = shelf.settled.back();
    shelf.settled.pop_back();
    return own({piece.data, piece.bytes, {}, piece.slab});
  }
  const std::size_t count = shelf.pending.size();
  const std::size_t searched = std::min(count, search_length);
  for (std::size_t i = 0; i < searched; ++i)
    if (shelf.pending[i].pending.settle(lane_progress())) return own(extract(shelf.pending, i));
  for (std::size_t i = count; i-- > count - searched;)
    if (all_on(shelf.pending[i].pending, lane)) return own(extract(shelf.pending, i));
  return std::nullopt;
}

std::optional<Block> MemoryPool::take_unshelved(std::size_t bytes, LaneId lane) {
  const auto end = unshelved_.upper_bound(size_class_bytes(size_class_of(bytes)));
  auto chosen = end;
  std::size_t searched = 0;
  for (auto entry = unshelved_.lower_bound(align_block(bytes)); entry != end && searched < search_length; ++entry) {
    ++searched;
    if (entry->second.pending.settle(lane_progress())) {
      chosen = entry;
      break;
    }
    if (chosen == end && all_on(entry->second.pending, lane)) chosen = entry;
  }
  if (chosen == end) return std::nullopt;
  return own(std::move(unshelved_.extract(chosen).mapped()));
}

std::optional<Block> MemoryPool::take_unsettled(std::size_t bytes) {
  const std::size_t size_class = size_class_of(bytes);
  if (size_class < shelf_count && !shelves_[size_class].pending.empty())
    return own(extract(shelves_[size_class].pending, 0));
  const auto entry = unshelved_.lower_bound(align_block(bytes));
  if (entry == unshelved_.end() || entry->first > size_class_bytes(size_class)) return std::nullopt;
  return own(std::move(unshelved_.extract(entry).mapped()));
}

std::optional<Block> MemoryPool::carve(std::size_t bytes) {
  const auto entry = pieces_.lower_bound(bytes);
  if (entry == pieces_.end()) return std::nullopt;
  auto node = pieces_.extract(entry);
  Block block = own_front(node.mapped(), bytes);
  node.key() = node.mapped().bytes;
  if (node.key() > 0) pieces_.insert(std::move(node));
  return block;
}

std::optional<Block> MemoryPool::split_unsettled(std::size_t bytes) {
  auto entry = unshelved_.lower_bound(bytes);
  auto shelf = std::find_if(shelves_.begin() + static_cast<std::ptrdiff_t>(std::min(size_class_of(bytes), shelf_count)),
                            shelves_.end(), [](const Shelf& candidate) { return !candidate.pending.empty(); });
  Block block;
  if (shelf != shelves_.end() && (entry == unshelved_.end() || shelf->pending.front().bytes <= entry->first)) {
    block = extract(shelf->pending, 0);
  } else if (entry != unshelved_.end()) {
    block = std::move(unshelved_.extract(entry).mapped());
  } else {
    return std::nullopt;
  }
  if (block.bytes > bytes) file({block.data + bytes, block.bytes - bytes, block.pending, block.slab});
  block.bytes = bytes;
  return own(std::move(block));
}

std::optional<Block> MemoryPool::grow(std::size_t bytes) {
  const std::size_t exact_bytes = align_block(bytes);
  const std::size_t block_bytes = preferred_bytes(bytes);
  std::size_t wanted = exact_bytes;
  {
    const SpinLockGuard guard(lock_);
    const std::size_t room = limit_ - statistics_.reserved;
    // Slabs grow with the pool: a small program takes little, a large one asks its device seldom.
    const std::size_t slab_bytes =
        std::bit_floor(std::min(std::clamp(statistics_.reserved / 8, mebibyte, 32 * mebibyte), limit_ / 64));
    if (exact_bytes > room) return std::nullopt;
    if (block_bytes <= room) wanted = block_bytes;
    if (block_bytes <= slab_bytes / 8 && slab_bytes <= room) wanted = slab_bytes;
  }
  MemorySlab* slab = add_slab(wanted);
  if (slab == nullptr && wanted > exact_bytes) slab = add_slab(exact_bytes);
  if (slab == nullptr) return std::nullopt;

  const SpinLockGuard guard(lock_);
  Piece piece{slab->data, slab->bytes, slab};
  Block block = own_front(piece, std::min(block_bytes, slab->bytes));
  file_piece(piece);
  return block;
}

MemorySlab* MemoryPool::add_slab(std::size_t bytes) {
  auto slab = std::make_unique<MemorySlab>();
  slab->data = source_.allocate(bytes);
  slab->bytes = bytes;
  if (slab->data == nullptr) return nullptr;
  const SpinLockGuard guard(lock_);
  statistics_.reserved += bytes;
  ++statistics_.source_allocations;
  slab->index = slabs_.size();
  slabs_.push_back(std::move(slab));
  return slabs_.back().get();
}

/// Gives whole slabs without an owner back, the largest first, until `wanted` bytes are regained.
std::size_t MemoryPool::give_back(std::size_t wanted) {
  std::vector<std::unique_ptr<MemorySlab>> leaving;
  std::size_t regained = 0;
  {
    const SpinLockGuard guard(lock_);
    for (auto entry = pieces_.end(); entry != pieces_.begin() && regained < wanted;) {
      --entry;
      MemorySlab* slab = entry->second.slab;
      if (entry->second.bytes != slab->bytes) continue;
      regained += slab->bytes;
      std::swap(slabs_[slab->index], slabs_.back());
      slabs_[slab->index]->index = slab->index;
      leaving.push_back(std::move(slabs_.back()));
      slabs_.pop_back();
      entry = pieces_.erase(entry);
    }
  }
  for (const auto& slab : leaving) source_.release(slab->data, slab->bytes);
  const SpinLockGuard guard(lock_);
  statistics_.reserved -= regained;
  return regained;
}

/// Turns everything cached and settled into pieces, as long as their slabs allow.
void MemoryPool::join_settled() {
  std::vector<Piece> found;
  const auto collect = [&found](Block& block) {
    if (!block.pending.settle(lane_progress())) return false;
    found.push_back({block.data, block.bytes, block.slab});
    return true;
  };
  for (Shelf& shelf : shelves_) {
    found.insert(found.end(), shelf.settled.begin(), shelf.settled.end());
    shelf.settled.clear();
    std::erase_if(shelf.pending, collect);
  }
  for (auto entry = unshelved_.begin(); entry != unshelved_.end();)
    entry = collect(entry->second) ? unshelved_.erase(entry) : std::next(entry);
  for (const auto& [bytes, piece] : pieces_) found.push_back(piece);
  pieces_.clear();

  std::ranges::sort(found, std::less<>(), &Piece::data);
  Piece joined;
  for (const Piece& piece : found) {
    if (piece.slab == joined.slab && piece.data == joined.data + joined.bytes) {
      joined.bytes += piece.bytes;
    } else {
      file_piece(joined);
      joined = piece;
    }
  }
  file_piece(joined);
}

void MemoryPool::file(Block block) {
  const std::size_t size_class = size_class_of(block.bytes);
  if (size_class >= shelf_count || size_class_bytes(size_class) != block.bytes) {
    unshelved_.emplace(block.bytes, std::move(block));
  } else if (block.pending.empty()) {
    shelves_[size_class].settled.push_back({block.data, block.bytes, block.slab});
  } else {
    shelves_[size_class].pending.push_back(std::move(block));
  }
}

void MemoryPool::file_piece(const Piece& piece) {
  if (piece.bytes > 0) pieces_.emplace(piece.bytes, piece);
}

Block MemoryPool::own(Block block) {
  statistics_.live += block.bytes;
  statistics_.peak = std::max(statistics_.peak, statistics_.live);
  highest_live_ = std::max(highest_live_, statistics_.live);
  ++statistics_.allocations;
  return block;
}

Block MemoryPool::own_front(Piece& piece, std::size_t bytes) {
  Block block{piece.data, bytes, {}, piece.slab};
  piece.data += bytes;
  piece.bytes -= bytes;
  return own(std::move(block));
}

/// Past this, cached memory of other sizes is put to use before the device is asked for more.
bool MemoryPool::above_soft_limit(std::size_t bytes) const {
  constexpr std::size_t allowance = 64 * mebibyte;
  return statistics_.reserved + bytes > 2 * std::max(highest_live_, statistics_.live + bytes) + allowance;
}

/// The size that a new block gets: its class, so that it can be reused for other sizes; cut to measure when it is a
/// large part of the limit, so that rounding does not cost what was to fit.
std::size_t MemoryPool::preferred_bytes(std::size_t bytes) const {
  const std::size_t class_bytes = size_class_bytes(size_class_of(bytes));
  return class_bytes <= limit_ / 64 ? class_bytes : align_block(bytes);
}

}  // namespace stretto
