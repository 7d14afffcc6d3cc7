#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <stretto/base/export.h>

namespace stretto::detail {

/// Memory for callables that do not fit in place. Throws std::bad_alloc.
STRETTO_API void* allocate_closure(std::size_t bytes);
STRETTO_API void free_closure(void* memory, std::size_t bytes) noexcept;

/// A callable `void(Argument&)` on its way into the engine: moved, in place up to `capacity` bytes. Copied only to run
/// several times.
class Closure {
 public:
  static constexpr std::size_t capacity = 24;

  template <class Argument, class Function>
  static Closure of(Function&& function) {
    using Callable = std::decay_t<Function>;
    constexpr bool fits = sizeof(Callable) <= capacity && alignof(Callable) <= alignof(void*) &&
                          std::is_nothrow_move_constructible_v<Callable>;
    if constexpr (fits) {
      Closure closure(&operate_in_place<Argument, Callable>);
      new (closure.storage_) Callable(std::forward<Function>(function));
      return closure;
    } else {
      static_assert(alignof(Callable) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "over-aligned callables are not supported");
      void* memory = allocate_closure(sizeof(Callable));
      try {
        new (memory) Callable(std::forward<Function>(function));
      } catch (...) {
        free_closure(memory, sizeof(Callable));
        throw;
      }
      Closure closure(&operate_elsewhere<Argument, Callable>);
      new (closure.storage_) void*(memory);
      return closure;
    }
  }

  Closure(Closure&& other) noexcept : operate_(std::exchange(other.operate_, nullptr)) {
    if (operate_) operate_(storage_, Action::take, other.storage_);
  }
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;
  ~Closure() {
    if (operate_) operate_(storage_, Action::destroy, nullptr);
  }

  bool can_be_copied() const { return operate_(nullptr, Action::ask_copy, nullptr); }
  /// A copy of one that can be copied.
  Closure copy() const {
    Closure copied(operate_);
    // Until there is something to destroy.
    copied.operate_ = nullptr;
    operate_(copied.storage_, Action::copy, const_cast<std::byte*>(storage_));
    copied.operate_ = operate_;
    return copied;
  }

  /// `argument` points to the Argument that the closure was made for.
  void operator()(void* argument) { operate_(storage_, Action::call, argument); }

 private:
  enum class Action { call, take, destroy, ask_copy, copy };
  using Operate = bool (*)(std::byte* self, Action action, void* argument);

  explicit Closure(Operate operate) noexcept : operate_(operate) {}

  template <class Argument, class Callable>
  static bool operate_in_place(std::byte* self, Action action, void* argument) {
    const auto callable = [](void* storage) { return std::launder(static_cast<Callable*>(storage)); };
    switch (action) {
      case Action::call: (*callable(self))(*static_cast<Argument*>(argument)); break;
      case Action::take:
        new (self) Callable(std::move(*callable(argument)));
        std::destroy_at(callable(argument));
        break;
      case Action::destroy: std::destroy_at(callable(self)); break;
      case Action::ask_copy: return std::is_copy_constructible_v<Callable>;
      case Action::copy:
        if constexpr (std::is_copy_constructible_v<Callable>) new (self) Callable(std::as_const(*callable(argument)));
        break;
    }
    return true;
  }

  template <class Argument, class Callable>
  static bool operate_elsewhere(std::byte* self, Action action, void* argument) {
    const auto held = [](void* storage) { return *std::launder(static_cast<void**>(storage)); };
    switch (action) {
      case Action::call: (*static_cast<Callable*>(held(self)))(*static_cast<Argument*>(argument)); break;
      case Action::take: new (self) void*(held(argument)); break;
      case Action::destroy:
        std::destroy_at(static_cast<Callable*>(held(self)));
        free_closure(held(self), sizeof(Callable));
        break;
      case Action::ask_copy: return std::is_copy_constructible_v<Callable>;
      case Action::copy:
        if constexpr (std::is_copy_constructible_v<Callable>) {
          void* memory = allocate_closure(sizeof(Callable));
          try {
            new (memory) Callable(std::as_const(*static_cast<Callable*>(held(argument))));
          } catch (...) {
            free_closure(memory, sizeof(Callable));
            throw;
          }
          new (self) void*(memory);
        }
        break;
    }
    return true;
  }

  Operate operate_;
  alignas(void*) std::byte storage_[capacity];
};

}  // namespace stretto::detail
