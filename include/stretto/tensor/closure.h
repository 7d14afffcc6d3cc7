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

/// A callable `void(Argument&)` on its way into the engine: moved, never copied, in place up to `capacity` bytes.
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

  /// `argument` points to the Argument that the closure was made for.
  void operator()(void* argument) { operate_(storage_, Action::call, argument); }
  /// Whether the callable can be called as const: such a call leaves it as it was, so that it serves any number of
  /// them.
  bool is_const_callable() const { return operate_(nullptr, Action::ask_const, nullptr); }
  /// Of one that can.
  void call_const(void* argument) const { operate_(const_cast<std::byte*>(storage_), Action::call_const, argument); }

 private:
  enum class Action { call, take, destroy, ask_const, call_const };
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
      case Action::ask_const: return std::is_invocable_v<const Callable&, Argument&>;
      case Action::call_const:
        if constexpr (std::is_invocable_v<const Callable&, Argument&>)
          std::as_const (*callable(self))(*static_cast<Argument*>(argument));
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
      case Action::ask_const: return std::is_invocable_v<const Callable&, Argument&>;
      case Action::call_const:
        if constexpr (std::is_invocable_v<const Callable&, Argument&>)
          (*static_cast<const Callable*>(held(self)))(*static_cast<Argument*>(argument));
        break;
    }
    return true;
  }

  Operate operate_;
  alignas(void*) std::byte storage_[capacity];
};

}  // namespace stretto::detail
