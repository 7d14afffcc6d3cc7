#include "engine/guarded_storage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include <stretto/base/error.h>

namespace stretto {
namespace {

// So much is kept of what was freed.
constexpr std::size_t most_freed = 256;
constexpr std::size_t most_freed_bytes = std::size_t{16} << 20;
// So many are kept apart from both neighbours, which makes three mappings or more of one, of 65530 that Linux grants.
constexpr std::size_t most_apart = 12288;
// Advice that changes nothing for memory without a file behind it, but is kept by the system for each mapping.
constexpr std::array advices{MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL};

bool set_pages(std::byte* begin, std::size_t bytes, PageAccess access) {
  const int wanted = access == PageAccess::none   ? PROT_NONE
                     : access == PageAccess::read ? PROT_READ
                                                  : PROT_READ | PROT_WRITE;
  return bytes == 0 || mprotect(begin, bytes, wanted) == 0;
}

void set_pages_or_throw(std::byte* begin, std::size_t bytes, PageAccess access) {
  if (!set_pages(begin, bytes, access))
    throw Error(std::string("the access check cannot protect memory: ") + std::strerror(errno) +
                " (each tensor takes mappings of its own; /proc/sys/vm/max_map_count limits them)");
}

}  // namespace

std::size_t GuardedStorage::page_count() const {
  return (bytes + GuardedStorages::page_bytes() - 1) / GuardedStorages::page_bytes();
}

std::size_t GuardedStorages::page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t GuardedStorages::block_bytes(std::size_t bytes) {
  const std::size_t page = page_bytes();
  // From here on size classes are pages apart.
  if (bytes > 8 * page) return (bytes + page - 1) / page * page;
  return std::bit_ceil(std::max(bytes, page));
}

void GuardedStorages::add(const GuardedStorage& storage) {
  if (storage.bytes == 0 || reinterpret_cast<std::uintptr_t>(storage.data) % page_bytes() != 0) return;
  GuardedStorage& added = storages_[storage.data] = storage;
  // Who handles a fault opens storages, and should allocate nothing.
  if (open_.capacity() < storages_.size()) open_.reserve(2 * storages_.size());
  note_open(added);
  Place& place = places_[storage.data];
  place.storage = &added;
  set_apart(place);
}

/// Advises something else than for the neighbours, so that the system does not make one mapping of both where they are
/// protected alike: to split it and to join it again takes as long as all else about a change of protection.
void GuardedStorages::set_apart(Place& place) {
  GuardedStorage& storage = *place.storage;
  const GuardedStorage* const before = around(storage.data - 1);
  const GuardedStorage* const behind = around(storage.data + storage.reserved);
  const auto is_apart = [&](std::uint8_t advice) {
    return (before == nullptr || before->advice != advice) && (behind == nullptr || behind->advice != advice);
  };
  std::uint8_t advice = place.advice;
  if (!is_apart(advice) && (advice != 0 || apart_ < most_apart)) {
    for (advice = 0; !is_apart(advice);) ++advice;
    if (madvise(storage.data, storage.reserved, advices[advice]) == 0) {
      apart_ += (advice != 0 ? 1 : 0) - (place.advice != 0 ? 1 : 0);
      place.advice = advice;
    }
  }
  storage.advice = place.advice;
}

GuardedStorage* GuardedStorages::retire(MemoryPool& pool, Block block) {
  GuardedStorage* storage = at(block.data);
  if (storage == nullptr) {
    pool.release(std::move(block));
    return nullptr;
  }
  storage->freed = true;
  if (storage->open_at != GuardedStorage::closed) {
    note_closed(*storage);
    protect_closed(*storage);
  }
  freed_bytes_ += block.bytes;
  freed_.push_back({&pool, std::move(block)});
  while (freed_.size() > most_freed || (freed_bytes_ > most_freed_bytes && freed_.size() > 1)) give_back_oldest();
  return storage;
}

bool GuardedStorages::give_back() {
  const bool any = !freed_.empty();
  while (!freed_.empty()) give_back_oldest();
  return any;
}

void GuardedStorages::give_back_oldest() {
  Freed oldest = std::move(freed_.front());
  freed_.pop_front();
  freed_bytes_ -= oldest.block.bytes;
  GuardedStorage& storage = *at(oldest.block.data);
  // A simulated device fills what it gets back.
  if (storage.device.kind() != DeviceKind::cpu) set_pages(storage.data, storage.reserved, PageAccess::write);
  const auto place = places_.find(storage.data);
  place->second.storage = nullptr;
  if (place->second.advice == 0) places_.erase(place);
  storages_.erase(storage.data);
  oldest.pool->release(std::move(oldest.block));
}

GuardedStorage* GuardedStorages::at(const std::byte* data) {
  const auto found = places_.find(data);
  return found == places_.end() ? nullptr : found->second.storage;
}

GuardedStorage* GuardedStorages::around(const std::byte* address) {
  const auto behind = storages_.upper_bound(address);
  if (behind == storages_.begin()) return nullptr;
  GuardedStorage& storage = std::prev(behind)->second;
  return address < storage.data + storage.reserved ? &storage : nullptr;
}

void GuardedStorages::protect(GuardedStorage& storage, PageAccess access) {
  note_open(storage);
  if (storage.settled && !storage.mixed && storage.pages == access) return;
  const std::size_t used = storage.page_count() * page_bytes();
  if (!storage.settled) set_pages_or_throw(storage.data + used, storage.reserved - used, PageAccess::none);
  set_pages_or_throw(storage.data, used, access);
  storage.settled = true;
  storage.mixed = false;
  storage.pages = access;
}

void GuardedStorages::protect(GuardedStorage& storage, const std::vector<PageAccess>& pages) {
  protect(storage, PageAccess::none);
  storage.mixed = true;
  for (std::size_t first = 0, next = 0; first < pages.size(); first = next) {
    next = first + 1;
    while (next < pages.size() && pages[next] == pages[first]) ++next;
    if (pages[first] != PageAccess::none)
      set_pages_or_throw(storage.data + first * page_bytes(), (next - first) * page_bytes(), pages[first]);
  }
}

bool GuardedStorages::open_all(GuardedStorage& storage) {
  if (!set_pages(storage.data, storage.reserved, PageAccess::write)) return false;
  storage.settled = false;
  // What was freed is closed again when it is used again.
  if (!storage.freed) note_open(storage);
  return true;
}

void GuardedStorages::protect_closed(GuardedStorage& storage) {
  if (storage.settled && !storage.mixed && storage.pages == PageAccess::none) return;
  set_pages_or_throw(storage.data, storage.reserved, PageAccess::none);
  storage.settled = true;
  storage.mixed = false;
  storage.pages = PageAccess::none;
}

void GuardedStorages::note_open(GuardedStorage& storage) {
  if (storage.open_at != GuardedStorage::closed) return;
  storage.open_at = open_.size();
  open_.push_back(&storage);
}

void GuardedStorages::note_closed(GuardedStorage& storage) {
  GuardedStorage* const last = open_.back();
  open_[storage.open_at] = last;
  last->open_at = storage.open_at;
  open_.pop_back();
  storage.open_at = GuardedStorage::closed;
}

}  // namespace stretto
