#include "base/small_objects.h"

#include <atomic>
#include <cstdint>
#include <new>

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

/// Free objects of each size that no thread keeps. Whoever needs one takes them all: a list that is only pushed to and
/// emptied cannot mistake one node for another.
struct alignas(64) SharedList {
  std::atomic<void*> first{nullptr};
};
std::array<SharedList, SmallObjects::sizes.size()> shared;

}  // namespace

void* SmallObjects::allocate_slowly(std::size_t size_class) {
  FreeList& list = list_of(size_class);
  auto* node = static_cast<Node*>(shared[size_class].first.exchange(nullptr, std::memory_order_acquire));
  if (node == nullptr) {
    auto* slab = static_cast<std::byte*>(::operator new(slab_bytes, std::align_val_t{64}));
    const std::size_t count = slab_bytes / sizes[size_class];
    for (std::size_t i = count; i-- > 0;) node = new (slab + i * sizes[size_class]) Node{node};
  }
  list.first = node->next;
  list.count = 0;
  if (list.most == 0) enter_thread();
  if (list.most == 0 && list.first != nullptr) {
    Node* last = list.first;
    while (last->next != nullptr) last = last->next;
    share(size_class, list.first, last);
    list.first = nullptr;
  }
  return node;
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
