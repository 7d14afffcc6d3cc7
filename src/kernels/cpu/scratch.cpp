#include "kernels/cpu/scratch.h"

#include <new>
#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "base/fork.h"
#include "base/mutex.h"

namespace stretto {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t kept_limit = std::size_t{64} << 20;

void free_block(const Scratch::Block& block) { ::operator delete(block.data, std::align_val_t{cache_line}); }

class ScratchCache {
 public:
  ScratchCache() { hold_across_fork(mutex_); }

  // The smallest block that is large enough, unless it is so large that another kernel will want it more.
  Scratch::Block take(std::size_t bytes) {
    const MutexLock lock(mutex_);
    auto best = blocks_.end();
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
      const bool fits = block->bytes >= bytes && block->bytes / 4 <= bytes;
      if (fits && (best == blocks_.end() || block->bytes < best->bytes)) best = block;
    }
    if (best == blocks_.end()) return {};
    const Scratch::Block found = *best;
    blocks_.erase(best);
    kept_ -= found.bytes;
    return found;
  }

  void keep(const Scratch::Block& block) {
    std::vector<Scratch::Block> dropped;
    {
      const MutexLock lock(mutex_);
      blocks_.push_back(block);
      kept_ += block.bytes;
      while (kept_ > kept_limit) {
        dropped.push_back(blocks_.front());
        kept_ -= blocks_.front().bytes;
        blocks_.erase(blocks_.begin());
      }
    }
    for (const Scratch::Block& old : dropped) free_block(old);
  }

 private:
  Mutex mutex_;
  std::vector<Scratch::Block> blocks_ STRETTO_GUARDED_BY(mutex_);  // the one released longest ago first
  std::size_t kept_ STRETTO_GUARDED_BY(mutex_) = 0;
};

ScratchCache& cache() {
  // Leaked on purpose: kernels may still run while statics are destroyed.
  static ScratchCache& blocks = *new ScratchCache;
  return blocks;
}

}  // namespace

Scratch::Scratch(std::size_t bytes) {
  if (bytes <= sizeof(small_)) return;
  const std::size_t rounded = (bytes + cache_line - 1) / cache_line * cache_line;
  block_ = cache().take(rounded);
  if (block_.data == nullptr) {
    void* const data = ::operator new(rounded, std::align_val_t{cache_line}, std::nothrow);
    if (data == nullptr) {
      throw OutOfMemoryError("the host has no memory for " + std::to_string(bytes) + " bytes of scratch space");
    }
    block_ = {static_cast<std::byte*>(data), rounded};
  }
  data_ = block_.data;
}

Scratch::~Scratch() {
  if (block_.data != nullptr) cache().keep(block_);
}

}  // namespace stretto
