#include <stretto/tensor/closure.h>

#include <new>

#include "base/small_objects.h"

namespace stretto::detail {

void* allocate_closure(std::size_t bytes) {
  const std::size_t size_class = SmallObjects::size_class(bytes);
  return size_class < SmallObjects::sizes.size() ? SmallObjects::allocate(size_class) : ::operator new(bytes);
}

void free_closure(void* memory, std::size_t bytes) noexcept {
  const std::size_t size_class = SmallObjects::size_class(bytes);
  if (size_class < SmallObjects::sizes.size()) {
    SmallObjects::free(memory, size_class);
  } else {
    ::operator delete(memory);
  }
}

}  // namespace stretto::detail
