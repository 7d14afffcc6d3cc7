#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stretto::trace {

/// The sections that a thread is in, as one path: "layer1/forward". What is beyond some hundreds of bytes is cut off.
class SectionPath {
 public:
  /// The calling thread's.
  static SectionPath& own();

  /// Returns what `leave` needs.
  std::size_t enter(std::string_view name);
  void leave(std::size_t before);

  std::string_view text() const { return {text_, length_}; }
  /// Another number whenever the path is another one.
  std::uint64_t version() const { return version_; }

 private:
  // No string: the destructors of what is local to the thread may submit tasks, too.
  char text_[500] = {};
  std::size_t length_ = 0;
  std::uint64_t version_ = 0;
};

/// How a profiler that is attached is told of sections; set once, by whoever has one.
struct SectionRanges {
  void (*push)(const char* name);
  void (*pop)();
};
void set_section_ranges(const SectionRanges& ranges);

}  // namespace stretto::trace
