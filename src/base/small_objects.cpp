#include "base/small_objects.h"

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "base/fork.h"
#include "base/mutex.h"

namespace stretto {

thread_local constinit std::array<SmallObjects::FreeList, SmallObjects::sizes.size()> SmallObjects::lists_{};

/// When a thread ends, what it keeps goes to the others. It may still allocate and free afterwards, in destructors that
/// come later: it then keeps nothing.
struct SmallObjects::ThreadEnd {
  ThreadEnd() {
    for (std::size_t size_class = 0; size_class < sizes.size(); ++size_class) list_of(size_class).most = most_kept;
  }
  ~ThreadEnd() {
    for (std::size_t size_class = 0; size_class < sizes.size(); ++size_class) {
      FreeList& list = list_of(size_class);
      if (Node* last = list.first) {
        while (last->next != nullptr) last = last->next;
        share(size_class, list.first, last);
      }
      list = {};
    }
    ended = true;
  }

  static constexpr int most_kept = 64;
  static constexpr int batch = 32;
  static thread_local constinit bool ended;
};

thread_local constinit bool SmallObjects::ThreadEnd::ended = false;

namespace {

constexpr std::size_t slab_bytes = std::size_t{64} << 10;

/// Free objects of each size that no thread keeps. Whoever needs one takes them all, as a list that is only pushed to
/// and emptied cannot mistake one node for another, and puts back what is more than a slab would have given. One at a
/// time does so: another would find nothing meanwhile and make more, each time that two threads begin together.
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
  FreeList& list = list_of(size_class);
  SharedList& others = shared[size_class];
  MutexLock lock(others.taking);
  auto* node = static_cast<Node*>(others.first.exchange(nullptr, std::memory_order_acquire));
  if (node == nullptr) {
    auto* slab = static_cast<std::byte*>(::operator new(slab_bytes, std::align_val_t{64}));
    const std::size_t count = slab_bytes / sizes[size_class];
    for (std::size_t i = count; i-- > 0;) node = new (slab + i * sizes[size_class]) Node{node};
  }
  Node* last = node;
  for (std::size_t taken = slab_bytes / sizes[size_class]; --taken > 0 && last->next != nullptr;) last = last->next;
  put_back(size_class, std::exchange(last->next, nullptr));
  lock.unlock();
  list.first = node->next;
  list.count = 0;
  if (list.most == 0) enter_thread();
  if (list.most == 0 && list.first != nullptr) share(size_class, std::exchange(list.first, nullptr), last);
  return node;
}

/// The rest of a list may be long: what others have shared meanwhile goes in front of it.
void SmallObjects::put_back(std::size_t size_class, Node* rest) noexcept {
  std::atomic<void*>& top = shared[size_class].first;
  while (rest != nullptr) {
    void* nothing = nullptr;
    if (top.compare_exchange_strong(nothing, rest, std::memory_order_release, std::memory_order_relaxed)) return;
    auto* const first = static_cast<Node*>(top.exchange(nullptr, std::memory_order_acquire));
    if (first == nullptr) continue;
    Node* last = first;
    while (last->next != nullptr) last = last->next;
    last->next = rest;
    rest = first;
  }
}

void SmallObjects::enter_thread() {
  if (ThreadEnd::ended) return;
  static thread_local ThreadEnd end;
  static_cast<void>(end);
}

void SmallObjects::hand_on(std::size_t size_class) noexcept {
  FreeList& list = list_of(size_class);
  if (list.most == 0) enter_thread();
  if (list.count <= list.most) return;
  const int count = list.most > 0 ? ThreadEnd::batch : 1;
  Node* first = list.first;
  Node* last = first;
  for (int i = 1; i < count; ++i) last = last->next;
  list.first = last->next;
  list.count -= count;
  share(size_class, first, last);
}

void SmallObjects::share(std::size_t size_class, Node* first, Node* last) noexcept {
  std::atomic<void*>& top = shared[size_class].first;
  void* head = top.load(std::memory_order_relaxed);
  do {
    last->next = static_cast<Node*>(head);
  } while (!top.compare_exchange_weak(head, first, std::memory_order_release, std::memory_order_relaxed));
}

}  // namespace stretto
