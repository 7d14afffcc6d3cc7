#include "base/small_objects.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "base/fork.h"
#include "base/mutex.h"

namespace stretto {

thread_local constinit SmallObjects::ThreadObjects* SmallObjects::mine_ = nullptr;

/// When a thread ends, what it keeps goes to the others. It may still allocate and free afterwards, in destructors that
/// come later: it then keeps nothing.
struct SmallObjects::ThreadEnd {
  ~ThreadEnd() {
    ThreadObjects* const mine = std::exchange(mine_, nullptr);
    ended = true;
    for (std::size_t size_class = 0; size_class < sizes.size(); ++size_class) {
      FreeObjects& free = mine->of[size_class];
      while (free.count > 0) {
        auto* const batch = new (free.objects[--free.count]) Batch;
        batch->count = std::min(free.count, Batch::capacity);
        free.count -= batch->count;
        std::copy_n(free.objects.begin() + static_cast<std::ptrdiff_t>(free.count), batch->count,
                    batch->others.begin());
        share(size_class, batch);
      }
    }
    delete mine;
  }

  static thread_local constinit bool ended;
};

thread_local constinit bool SmallObjects::ThreadEnd::ended = false;

namespace {

constexpr std::size_t slab_bytes = std::size_t{64} << 10;

/// Free objects of each size that no thread keeps, in batches. Whoever needs one takes all, as a list that is only
/// pushed to and emptied cannot mistake one batch for another, and puts back what it does not need. One at a time does
/// so: another would find nothing meanwhile and make more, each time that two threads begin together.
struct alignas(64) SharedList {
  std::atomic<void*> first{nullptr};
  Mutex taking;
};
constinit std::array<SharedList, SmallObjects::sizes.size()> shared;

[[maybe_unused]] const bool held_across_forks = [] {
  for (SharedList& list : shared) hold_across_fork(list.taking);
  return true;
}();

}  // namespace

void* SmallObjects::allocate_slowly(std::size_t size_class) {
  ThreadObjects* const mine = enter_thread();
  SharedList& others = shared[size_class];
  MutexLock lock(others.taking);
  auto* batch = static_cast<Batch*>(others.first.exchange(nullptr, std::memory_order_acquire));
  if (batch == nullptr) batch = make_batches(size_class);
  if (mine == nullptr && batch->count > 0) {
    // A thread that has ended keeps nothing: the batch goes back without one of its objects.
    void* const object = batch->others[--batch->count];
    put_back(size_class, batch);
    return object;
  }
  put_back(size_class, batch->next);
  lock.unlock();
  if (mine != nullptr) {
    FreeObjects& free = mine->of[size_class];
    std::copy_n(batch->others.begin(), batch->count, free.objects.begin());
    free.count = batch->count;
  }
  return batch;
}

/// A slab of new objects, as a list of batches.
SmallObjects::Batch* SmallObjects::make_batches(std::size_t size_class) {
  auto* const slab = static_cast<std::byte*>(::operator new(slab_bytes, std::align_val_t{64}));
  Batch* batches = nullptr;
  for (std::size_t i = slab_bytes / sizes[size_class]; i-- > 0;) {
    std::byte* const object = slab + i * sizes[size_class];
    if (batches == nullptr || batches->count == Batch::capacity) {
      auto* const made = new (object) Batch;
      made->next = std::exchange(batches, made);
      made->count = 0;
    } else {
      batches->others[batches->count++] = object;
    }
  }
  return batches;
}

/// The rest of a list may be long: what others have shared meanwhile goes in front of it.
void SmallObjects::put_back(std::size_t size_class, Batch* rest) noexcept {
  std::atomic<void*>& top = shared[size_class].first;
  while (rest != nullptr) {
    void* nothing = nullptr;
    if (top.compare_exchange_strong(nothing, rest, std::memory_order_release, std::memory_order_relaxed)) return;
    auto* const first = static_cast<Batch*>(top.exchange(nullptr, std::memory_order_acquire));
    if (first == nullptr) continue;
    Batch* last = first;
    while (last->next != nullptr) last = last->next;
    last->next = rest;
    rest = first;
  }
}

/// Null where the thread has ended, or there is no memory for what it would keep.
SmallObjects::ThreadObjects* SmallObjects::enter_thread() noexcept {
  if (mine_ != nullptr || ThreadEnd::ended) return mine_;
  try {
    mine_ = new ThreadObjects;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  static thread_local ThreadEnd end;
  static_cast<void>(end);
  return mine_;
}

void SmallObjects::free_slowly(void* object, std::size_t size_class) noexcept {
  ThreadObjects* const mine = enter_thread();
  if (mine != nullptr && mine->of[size_class].count < FreeObjects::capacity) {
    free(object, size_class);
    return;
  }
  // The oldest: the others are still in this core's cache. So is what carries them.
  auto* const batch = new (object) Batch;
  batch->count = 0;
  if (mine != nullptr) {
    FreeObjects& free = mine->of[size_class];
    batch->count = Batch::capacity;
    std::copy_n(free.objects.begin(), Batch::capacity, batch->others.begin());
    std::copy(free.objects.begin() + Batch::capacity, free.objects.end(), free.objects.begin());
    free.count -= Batch::capacity;
  }
  share(size_class, batch);
}

void SmallObjects::share(std::size_t size_class, Batch* batch) noexcept {
  std::atomic<void*>& top = shared[size_class].first;
  void* head = top.load(std::memory_order_relaxed);
  do {
    batch->next = static_cast<Batch*>(head);
  } while (!top.compare_exchange_weak(head, batch, std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace stretto
