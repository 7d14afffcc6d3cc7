#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/shape.h>

namespace stretto {

/// The axes that an operator works along: one, several, or all. Made implicitly, so that `sum(x)`, `sum(x, -1)` and
/// `sum(x, {0, 2})` mean what they say. They count from the end when negative. A cheap value.
class STRETTO_API Axes {
 public:
  /// All axes.
  Axes() noexcept : all_(true) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Axes(T axis) : list_({static_cast<std::int64_t>(axis)}), all_(false) {}
  /// Throws ShapeError for more than `max_rank`. None means all, as in PyTorch.
  Axes(std::initializer_list<std::int64_t> axes, CallSite site = std::source_location::current())
      : list_(axes, site), all_(axes.size() == 0) {}
  Axes(const IndexList& axes) : list_(axes), all_(axes.rank() == 0) {}

  bool all() const noexcept { return all_; }
  /// As they were written. Empty where all() holds.
  const IndexList& list() const noexcept { return list_; }

 private:
  IndexList list_ = {};
  bool all_;
};

}  // namespace stretto
