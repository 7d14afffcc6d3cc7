#include <stretto/trace/section.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "trace/section_path.h"

namespace stretto::trace {
namespace {

std::atomic<const SectionRanges*> ranges_of_profiler{nullptr};

}  // namespace

SectionPath& SectionPath::own() {
  static thread_local constinit SectionPath path;
  return path;
}

std::size_t SectionPath::enter(std::string_view name) {
  const std::size_t before = length_;
  const auto append = [this](std::string_view text) {
    const std::size_t length = std::min(text.size(), sizeof text_ - length_);
    std::memcpy(text_ + length_, text.data(), length);
    length_ += length;
  };
  if (before > 0) append("/");
  append(name);
  ++version_;
  return before;
}

void SectionPath::leave(std::size_t before) {
  length_ = before;
  ++version_;
}

void set_section_ranges(const SectionRanges& ranges) { ranges_of_profiler.store(new SectionRanges(ranges)); }

Section::Section(std::string_view name) : before_(SectionPath::own().enter(name)) {
  if (const SectionRanges* const ranges = ranges_of_profiler.load(std::memory_order_acquire)) [[unlikely]]
    ranges->push(std::string(name).c_str());
}

Section::~Section() {
  SectionPath::own().leave(before_);
  if (const SectionRanges* const ranges = ranges_of_profiler.load(std::memory_order_acquire)) [[unlikely]]
    ranges->pop();
}

}  // namespace stretto::trace
