#pragma once

#include <array>
#include <cstddef>

#include "base/prefetch.h"

namespace stretto {

/// Memory for small objects that are made on one thread and often freed on another, as what a task carries to its
/// worker.
///
/// Each thread keeps some free objects of each size; surplus goes to other threads in batches, over one atomic word. A
/// batch is a list of addresses in one of its objects, so that what changes cores is that object and not all of them.
/// Freeing never blocks; allocating does where the thread has none left and another thread takes some. Nothing is ever
/// given back to the system: what is kept is what was once needed at a time.
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
    ThreadObjects* const mine = mine_;
    if (mine == nullptr || mine->of[size_class].count == 0) [[unlikely]]
      return allocate_slowly(size_class);
    FreeObjects& free = mine->of[size_class];
    void* const object = free.objects[--free.count];
    if (free.count >= prefetch_distance) prefetch(free.objects[free.count - prefetch_distance]);
    return object;
  }
  static void free(void* object, std::size_t size_class) noexcept {
    ThreadObjects* const mine = mine_;
    if (mine == nullptr || mine->of[size_class].count == FreeObjects::capacity) [[unlikely]] {
      free_slowly(object, size_class);
      return;
    }
    FreeObjects& free = mine->of[size_class];
    free.objects[free.count++] = object;
  }

 private:
  /// Free objects on their way from one thread to another, and itself one of them.
  struct Batch {
    static constexpr std::size_t capacity = 30;
    Batch* next;
    std::size_t count;  ///< Of the others.
    std::array<void*, capacity> others;
  };
  static_assert(sizeof(Batch) <= sizes[0]);

  struct FreeObjects {
    static constexpr std::size_t capacity = 64;
    std::size_t count = 0;
    std::array<void*, capacity> objects;  ///< The last is the next to be used.
  };
  struct ThreadObjects {
    std::array<FreeObjects, sizes.size()> of;
  };
  struct ThreadEnd;

  /// Whoever gets an object writes it, and it was last in the cache of whoever freed it.
  static constexpr std::size_t prefetch_distance = 2;
  static void prefetch(void* object) {
    for (std::size_t line = 0; line < sizes[0]; line += 64) prefetch_for_write(static_cast<std::byte*>(object) + line);
  }

  static void* allocate_slowly(std::size_t size_class);
  static void free_slowly(void* object, std::size_t size_class) noexcept;
  static ThreadObjects* enter_thread() noexcept;
  static Batch* make_batches(std::size_t size_class);
  static void share(std::size_t size_class, Batch* batch) noexcept;
  static void put_back(std::size_t size_class, Batch* rest) noexcept;

  /// Null before the thread's first call that is not short, and again when the thread has ended.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit ThreadObjects* mine_;
};

}  // namespace stretto
