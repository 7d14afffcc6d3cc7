#include "engine/access_check.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include <stretto/base/error.h>

#include "base/file_name.h"
#include "base/fixed_text.h"
#include "base/fork.h"
#include "base/thread.h"
#include "engine/thread_state.h"

namespace stretto {
namespace {

// More pieces of a storage than this are not opened singly: what lies between is opened, too, and compared.
constexpr std::size_t most_pieces = 64;
// Of what the program has looked at, so much is opened again behind each task. The rest when it is touched.
constexpr std::size_t most_looked_at = 8;

AccessCheck* only = nullptr;
// Set while the calling thread is in here: a fault is then a fault. In the static block, as the handler of a signal
// reads it: the first use of any other allocates.
[[gnu::tls_model("initial-exec")]] thread_local bool inside = false;

class Inside {
 public:
  Inside() { inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { inside = false; }
};

bool in_task() {
  const ThreadState* const state = ThreadState::if_any();
  return state != nullptr && state->frame != nullptr;
}

/// Calls `function(begin, end)` for each run of bytes of the box.
template <typename Function>
void for_each_run(const Box& box, Function function) {
  if (box.empty()) return;
  std::array<std::int64_t, max_rank> index{};
  const int rank = box.rank();
  std::int64_t begin = box.offset();
  while (true) {
    function(static_cast<std::size_t>(begin), static_cast<std::size_t>(begin + box.run()));
    int i = rank - 1;
    for (; i >= 0; --i) {
      begin += box.strides()[i];
      if (++index[i] < box.extents()[i]) break;
      begin -= box.extents()[i] * box.strides()[i];
      index[i] = 0;
    }
    if (i < 0) return;
  }
}

template <typename Part, typename Function>
void for_each_run(const Part& part, std::size_t bytes, Function function) {
  if (part.box) {
    for_each_run(*part.box, function);
  } else {
    function(std::size_t{0}, bytes);
  }
}

std::string maker_of(const GuardedStorage& storage) {
  const std::string place = to_string(storage.site);
  return std::string(storage.maker) + (place.empty() ? "" : " (" + place + ")");
}

/// The last words of a program that touches what is gone.
void say_gone(const MemoryFault& fault, const GuardedStorage& storage) {
  FixedText<512> text;
  text << "stretto: the program " << (fault.writes ? "writes" : "reads") << " byte " << fault.address - storage.data
       << " of a tensor that is gone: " << storage.bytes << " bytes on " << name(storage.device.kind()) << ":"
       << storage.device.index() << ", made by " << storage.maker;
  if (storage.site.known()) text << " (" << file_name_in(storage.site.file) << ":" << storage.site.line << ")";
  (text << "\n").say();
}

}  // namespace

AccessCheck::AccessCheck() {
  only = this;
  hold_across_fork(lock_);
  handle_memory_faults(&AccessCheck::on_fault);
}

// --- What is touched by whom
// ----------------------------------------------------------------------------------------------

void AccessCheck::declare(const Task& task, std::span<const Access> accesses) {
  std::vector<Part> parts;
  parts.reserve(accesses.size());
  for (const Access& access : accesses)
    parts.push_back({parts.size(), access.buffer, access.mode,
                     access.box == nullptr ? std::nullopt : std::optional<Box>(*access.box)});
  const Inside here;
  const SpinLockGuard lock(lock_);
  declared_[&task] = std::move(parts);
}

void AccessCheck::run(Task& task, BodyContext& context) {
  begin(task);
  std::exception_ptr thrown;
  try {
    task.invoke(task, &context);
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::string violation = end();
  if (!violation.empty()) throw UsageError(task.name, violation, task.site());
  if (thrown) std::rethrow_exception(thrown);
}

void AccessCheck::begin(const Task& task) {
  const Inside here;
  const SpinLockGuard lock(lock_);
  auto running = std::make_unique<Running>();
  running->task = &task;
  if (const auto declared = declared_.find(&task); declared != declared_.end()) {
    for (Part& part : declared->second) {
      GuardedStorage* const storage = storages_.at(part.buffer->data());
      if (storage == nullptr) continue;
      auto use = std::ranges::find(running->uses, storage, &Use::storage);
      if (use == running->uses.end()) {
        use = running->uses.emplace(use);
        use->storage = storage;
      }
      use->parts.push_back(std::move(part));
    }
    declared_.erase(declared);
  }
  for (Use& use : running->uses) choose_pages(use);
  running_.push_back(std::move(running));
  open(*running_.back());
  // What a GPU writes is not there yet when the body ends.
  if (task.device_kind == DeviceKind::cuda) return;
  for (Use& use : running_.back()->uses) {
    const auto* const source = use.storage->data;
    const std::size_t page = GuardedStorages::page_bytes();
    for (std::size_t i = 0; i < use.copy_of_page.size(); ++i)
      if (use.copy_of_page[i] >= 0)
        std::memcpy(&use.copies[static_cast<std::size_t>(use.copy_of_page[i]) * page], source + i * page, page);
  }
}

/// Which pages are open, and which of them are copied.
void AccessCheck::choose_pages(Use& use) {
  const std::size_t page = GuardedStorages::page_bytes();
  const std::size_t bytes = use.storage->bytes;
  const std::size_t count = use.storage->page_count();
  const bool all_written =
      std::ranges::any_of(use.parts, [](const Part& part) { return writes(part.mode) && !part.box; });
  std::vector<bool> covered(count);
  if (all_written) {
    use.all = PageAccess::write;
    covered.assign(count, true);
    covered.back() = bytes % page == 0;
    number_copies(use, covered);
    return;
  }
  if (std::ranges::none_of(use.parts, [](const Part& part) { return part.box.has_value(); })) {
    // What is small is compared: to protect it takes longer. It was written by the task before, mostly.
    const bool compared = count == 1 && use.storage->is_all_open();
    use.all = compared ? PageAccess::write : PageAccess::read;
    number_copies(use, covered);
    return;
  }
  use.pages.assign(count, PageAccess::none);
  for (const Part& part : use.parts) {
    const PageAccess access = writes(part.mode) ? PageAccess::write : PageAccess::read;
    for_each_run(part, bytes, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin / page; i * page < end; ++i) {
        use.pages[i] = std::max(use.pages[i], access);
        if (access == PageAccess::write && begin <= i * page && (i + 1) * page <= end) covered[i] = true;
      }
    });
  }
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < count; ++i) pieces += i == 0 || use.pages[i] != use.pages[i - 1] ? 1 : 0;
  if (pieces > most_pieces) {
    const auto is_open = [](PageAccess access) { return access != PageAccess::none; };
    const auto first = std::ranges::find_if(use.pages, is_open);
    const auto last = std::find_if(use.pages.rbegin(), use.pages.rend(), is_open).base();
    std::fill(first, last, *std::max_element(first, last));
  }
  number_copies(use, covered);
}

void AccessCheck::number_copies(Use& use, const std::vector<bool>& covered) {
  std::int32_t copies = 0;
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (covered[i] || (use.pages.empty() ? use.all : use.pages[i]) != PageAccess::write) continue;
    if (use.copy_of_page.empty()) use.copy_of_page.assign(covered.size(), -1);
    use.copy_of_page[i] = copies++;
  }
  use.copies.resize(static_cast<std::size_t>(copies) * GuardedStorages::page_bytes());
}

void AccessCheck::open(Running& running) {
  storages_.close_all_but([&](const GuardedStorage& storage) {
    return std::ranges::find(running.uses, &storage, &Use::storage) != running.uses.end() ||
           std::ranges::find(running.grants, &storage, &Grant::storage) != running.grants.end();
  });
  for (const Use& use : running.uses) {
    if (use.pages.empty()) {
      storages_.protect(*use.storage, use.all);
    } else {
      storages_.protect(*use.storage, use.pages);
    }
  }
  for (const Grant& grant : running.grants) storages_.protect(*grant.storage, grant.access);
}

// --- What it came to
// ----------------------------------------------------------------------------------------------

/// Calls `function(copy, begin, end)` for the bytes that `parts` were to write, as far as they lie in copied pages.
template <typename Function>
void AccessCheck::for_each_copied(Use& use, const std::vector<Part>& parts, Function function) {
  if (use.copies.empty()) return;
  const std::size_t page = GuardedStorages::page_bytes();
  for (const Part& part : parts) {
    if (!writes(part.mode)) continue;
    for_each_run(part, use.storage->bytes, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin / page; i * page < end; ++i) {
        if (use.copy_of_page[i] < 0) continue;
        const std::size_t from = std::max(begin, i * page), to = std::min(end, (i + 1) * page);
        function(&use.copies[static_cast<std::size_t>(use.copy_of_page[i]) * page + (from - i * page)], from, to);
      }
    });
  }
}

void AccessCheck::take_over(Use& use, const std::vector<Part>& parts) {
  for_each_copied(use, parts, [&](std::byte* copy, std::size_t from, std::size_t to) {
    std::memcpy(copy, use.storage->data + from, to - from);
  });
}

std::optional<std::size_t> AccessCheck::compare(Use& use) {
  const std::size_t page = GuardedStorages::page_bytes();
  std::byte* const data = use.storage->data;
  take_over(use, use.parts);
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < use.copy_of_page.size(); ++i) {
    if (use.copy_of_page[i] < 0) continue;
    const std::byte* const copy = &use.copies[static_cast<std::size_t>(use.copy_of_page[i]) * page];
    if (std::memcmp(copy, data + i * page, page) == 0) continue;
    const auto differs = static_cast<std::size_t>(std::mismatch(copy, copy + page, data + i * page).first - copy);
    if (!first) first = i * page + differs;
    std::memcpy(data + i * page, copy, page);
  }
  return first;
}

std::string AccessCheck::end() {
  const Inside here;
  const SpinLockGuard lock(lock_);
  const std::unique_ptr<Running> ended = std::move(running_.back());
  running_.pop_back();
  if (ended->task->device_kind != DeviceKind::cuda) {
    for (Use& use : ended->uses) {
      if (use.copies.empty()) continue;
      const std::optional<std::size_t> changed = compare(use);
      if (changed && !ended->violation) ended->violation = Violation{*use.storage, *changed, true};
    }
    // Those around it have copies of pages that this one may have written to rightly.
    for (const auto& outer : running_)
      for (Use& use : outer->uses)
        for (const Use& inner : ended->uses)
          if (inner.storage == use.storage) take_over(use, inner.parts);
  }
  if (!running_.empty()) {
    open(*running_.back());
  } else {
    for (GuardedStorage* storage : looked_at_) storages_.protect(*storage, PageAccess::write);
  }
  if (!ended->violation) return {};
  found_any_.store(true, std::memory_order_relaxed);
  return describe(*ended, *ended->violation);
}

std::string AccessCheck::describe(const Running& running, const Violation& violation) {
  const GuardedStorage& storage = violation.storage;
  std::string text = std::string(violation.writes ? "writes" : "reads") + " byte " + std::to_string(violation.byte);
  const auto use = std::ranges::find(running.uses, storage.data, [](const Use& one) { return one.storage->data; });
  if (use == running.uses.end()) {
    text += storage.freed                     ? " of a tensor that is gone"
            : violation.byte >= storage.bytes ? " past the end of a tensor"
                                              : " of a tensor that it did not declare";
  } else {
    text += " of its tensor " + std::to_string(use->parts.front().access);
    std::string parts;
    bool any = false;
    for (const Part& part : use->parts) {
      if (violation.writes && !writes(part.mode)) continue;
      any = true;
      if (part.box) parts += (parts.empty() ? "" : " and ") + to_string(*part.box);
    }
    if (violation.byte >= storage.bytes) {
      text += ", past its end";
    } else if (!any) {
      text += ", which it declared to read alone";
    } else {
      text += ", of which it declared " + parts + " alone";
    }
  }
  return text + ": " + std::to_string(storage.bytes) + " bytes on " + to_string(storage.device) + ", made by " +
         maker_of(storage);
}

// --- Faults
// -------------------------------------------------------------------------------------------------------

bool AccessCheck::on_fault(const MemoryFault& fault) {
  if (inside) return false;
  const Inside here;
  // Another thread may hold it; nobody waits for this one inside.
  while (!only->lock_.try_lock()) yield();
  const bool goes_on = only->handle(fault);
  only->lock_.unlock();
  return goes_on;
}

/// For the handler of a signal: only reads what is here, notes plain values, and changes the protection of pages.
bool AccessCheck::handle(const MemoryFault& fault) {
  GuardedStorage* const storage = storages_.around(fault.address);
  Running* const running = running_.empty() ? nullptr : running_.back().get();
  if (storage == nullptr) return false;
  if (running != nullptr && (in_task() || storage->freed || !storage->seen_by_host)) {
    if (!running->violation)
      running->violation = Violation{*storage, static_cast<std::size_t>(fault.address - storage->data), fault.writes};
    return storages_.open_all(*storage);
  }
  if (storage->freed) {
    say_gone(fault, *storage);
    return false;
  }
  // The program looks again at what it looked at before.
  return storages_.open_all(*storage);
}

// --- The host
// -------------------------------------------------------------------------------------------------------

void AccessCheck::open_to_host(const Buffer& buffer, bool writes) {
  const Inside here;
  const SpinLockGuard lock(lock_);
  GuardedStorage* const storage = storages_.at(buffer.data());
  if (storage == nullptr) return;
  if (in_task() && !running_.empty()) {
    Running& running = *running_.back();
    if (std::ranges::find(running.uses, storage, &Use::storage) != running.uses.end()) return;
    const PageAccess access = writes ? PageAccess::write : PageAccess::read;
    auto grant = std::ranges::find(running.grants, storage, &Grant::storage);
    if (grant == running.grants.end()) grant = running.grants.insert(grant, {storage, access});
    grant->access = std::max(grant->access, access);
    storages_.protect(*storage, grant->access);
    return;
  }
  storage->seen_by_host = true;
  storages_.protect(*storage, PageAccess::write);
  if (writes) return;
  std::erase(looked_at_, storage);
  if (looked_at_.size() == most_looked_at) looked_at_.erase(looked_at_.begin());
  looked_at_.push_back(storage);
}

void AccessCheck::add(const GuardedStorage& storage) {
  const Inside here;
  const SpinLockGuard lock(lock_);
  storages_.add(storage);
}

void AccessCheck::retire(MemoryPool& pool, Block block) {
  const Inside here;
  const SpinLockGuard lock(lock_);
  GuardedStorage* const storage = storages_.retire(pool, std::move(block));
  std::erase(looked_at_, storage);
  for (const auto& running : running_) {
    std::erase_if(running->grants, [storage](const Grant& grant) { return grant.storage == storage; });
    std::erase_if(running->uses, [storage](const Use& use) { return use.storage == storage; });
  }
}

bool AccessCheck::give_back() {
  const Inside here;
  const SpinLockGuard lock(lock_);
  return storages_.give_back();
}

}  // namespace stretto
