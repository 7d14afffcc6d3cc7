#pragma once

#include <array>
#include <cstddef>

namespace stretto {

/// Memory for small objects that are made on one thread and often freed on another, as what a task carries to its
/// worker.
///
/// Each thread keeps a short list of free objects of each size; surplus goes to other threads in batches, over one
/// atomic word. Freeing never blocks; allocating does where the thread's list is empty and another thread fills its
/// own. Nothing is ever given back to the system: what is kept is what was once needed at a time.
class SmallObjects {
 public:
  /// The sizes there are, in bytes; objects are 64-byte aligned.
  static constexpr std::array<std::size_t, 3> sizes = {256, 512, 2560};

  /// The index of the smallest size of at least `bytes`; `sizes.size()` when there is none.
  static constexpr std::size_t size_class(std::size_t bytes) {
    std::size_t index = 0;
    while (index < sizes.size() && sizes[index] < bytes) ++index;
    return index;
  }

  /// Throws std::bad_alloc.
  static void* allocate(std::size_t size_class) {
    FreeList& list = list_of(size_class);
    Node* node = list.first;
    if (node == nullptr) [[unlikely]]
      return allocate_slowly(size_class);
    list.first = node->next;
    --list.count;
    return node;
  }
  static void free(void* object, std::size_t size_class) noexcept {
    FreeList& list = list_of(size_class);
    auto* node = static_cast<Node*>(object);
    node->next = list.first;
    list.first = node;
    if (++list.count > list.most) [[unlikely]]
      hand_on(size_class);
  }

 private:
  struct Node {
    Node* next;
  };
  struct FreeList {
    Node* first = nullptr;
    int count = 0;  ///< Objects freed here less those allocated here: the list holds at least so many.
    int most = 0;   ///< 0 before the thread's first call that is not short, and again when the thread has ended.
  };
  struct ThreadEnd;

  // Not checked for null: gcc takes that check from the flags of the addition that makes the address, and where ld
  // links an executable it makes of the addition an instruction that sets no flags. Without sanitizers this is inlined
  // away.
  __attribute__((no_sanitize("undefined"))) static FreeList& list_of(std::size_t size_class) noexcept {
    return lists_[size_class];
  }

  static void* allocate_slowly(std::size_t size_class);
  static void enter_thread();
  static void hand_on(std::size_t size_class) noexcept;
  static void share(std::size_t size_class, Node* first, Node* last) noexcept;
  static void put_back(std::size_t size_class, Node* rest) noexcept;

  [[gnu::tls_model("initial-exec")]] static thread_local constinit std::array<FreeList, sizes.size()> lists_;
};

}  // namespace stretto
