#pragma once

#include <cstddef>
#include <string_view>

#include <stretto/base/export.h>

namespace stretto::trace {

/// Names a part of the program, while it lives: what the thread submits belongs to this section, in the timeline, in
/// the graph and in a profiler of NVIDIA's. Sections nest: "layer1" inside "forward" is "forward/layer1". Each thread
/// has its own. Costs some ten nanoseconds, recorded or not.
///
///     { st::trace::Section section("layer1"); y = st::relu(st::matmul(x, w)); }
class STRETTO_API Section {
 public:
  /// `name` is copied.
  explicit Section(std::string_view name);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  /// On the thread that made it, and in the reverse order.
  ~Section();

 private:
  std::size_t before_;
};

}  // namespace stretto::trace
