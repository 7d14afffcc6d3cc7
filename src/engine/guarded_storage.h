#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/core/device.h>

#include "memory/memory_pool.h"

namespace stretto {

/// What may be done with a page; writing is reading, too.
enum class PageAccess : std::uint8_t { none, read, write };

/// The memory of one buffer, in pages of its own.
struct GuardedStorage {
  std::byte* data = nullptr;
  std::size_t bytes = 0;     ///< Of the buffer.
  std::size_t reserved = 0;  ///< Of the block: whole pages, from `data` on.
  Device device;
  const char* maker = "";  ///< The task that was the first to write it.
  CallSite site;
  bool freed = false;
  bool seen_by_host = false;  ///< The program has waited for it, or filled it: its threads may look at it.

  // How its pages are protected.
  static constexpr std::size_t closed = ~std::size_t{0};
  std::size_t open_at = closed;  ///< Its place among those whose pages may be touched.
  bool settled = false;          ///< `pages` is how they are, and what lies behind the buffer's last page is closed.
  bool mixed = false;            ///< Not all alike.
  PageAccess pages = PageAccess::write;
  std::uint8_t advice = 0;  ///< Which was given to the system for its memory; 0 is none.

  std::size_t page_count() const;
  /// All pages of the buffer may be written.
  bool is_all_open() const { return settled && !mixed && pages == PageAccess::write; }
};

/// The memory of all buffers of devices that the host reaches, each in whole pages that nobody else uses. What was
/// freed is kept for a while, closed, so that a use of it is told from one of its successor. Not safe for threads: one
/// lock of the owner's is held around all calls.
class GuardedStorages {
 public:
  static std::size_t page_bytes();
  /// What to ask a pool for, so that the block is of whole pages: every size that pools cut blocks of this size from is
  /// then a multiple of a page, too.
  static std::size_t block_bytes(std::size_t bytes);

  /// New memory, which may be touched for now.
  void add(const GuardedStorage& storage);
  /// Its buffer is gone. The block goes back to its pool later. Null where `block` is of no storage here.
  GuardedStorage* retire(MemoryPool& pool, Block block);
  /// All that was freed goes back to its pool; false when there was nothing.
  bool give_back();

  /// The storage that begins at `data`, or null.
  GuardedStorage* at(const std::byte* data);
  /// The storage that `address` lies in, or null. Also of what was freed.
  GuardedStorage* around(const std::byte* address);

  /// Protects all pages of the buffer alike. Throws Error when the system refuses.
  void protect(GuardedStorage& storage, PageAccess access);
  /// Protects each page as `pages` says.
  void protect(GuardedStorage& storage, const std::vector<PageAccess>& pages);
  /// Opens all of it, what lies behind the buffer included; false when the system refuses. For who handles a fault.
  bool open_all(GuardedStorage& storage);
  /// Closes all that is open and not `kept`.
  template <typename Condition>
  void close_all_but(Condition kept) {
    // From the end, where who is taken out leaves everybody that is still to come in place.
    for (std::size_t i = open_.size(); i-- > 0;) {
      GuardedStorage& storage = *open_[i];
      if (kept(storage)) continue;
      note_closed(storage);
      protect_closed(storage);
    }
  }

 private:
  struct Freed {
    MemoryPool* pool;
    Block block;
  };

  /// Of what begins at an address. Kept when its storage is gone where something was advised: pools hand out the same
  /// blocks again and again.
  struct Place {
    GuardedStorage* storage = nullptr;
    std::uint8_t advice = 0;
  };

  void give_back_oldest();
  void set_apart(Place& place);
  void protect_closed(GuardedStorage& storage);
  void note_open(GuardedStorage& storage);
  void note_closed(GuardedStorage& storage);

  std::map<const std::byte*, GuardedStorage> storages_;  ///< By where they begin.
  std::vector<GuardedStorage*> open_;                    ///< Those of which a page may be touched, in any order.
  std::deque<Freed> freed_;                              ///< Oldest first.
  std::size_t freed_bytes_ = 0;
  std::unordered_map<const std::byte*, Place> places_;
  std::size_t apart_ = 0;  ///< How many have advice other than none.
};

}  // namespace stretto
