#include "base/mutation.h"

#include <array>
#include <string>

namespace stretto {
namespace {

constexpr std::array<std::string_view, 24> names = {
    "read_after_write", "write_after_read", "write_after_write", "box_intersection", "block_reuse",
    "event_wait",       "host_read_wait",   "host_buffer_reuse", "poison",           "issue_order",
    "newest_reader",    "clock_entry",      "template_edge",     "template_port",    "template_argument",
    "template_place",   "pass_output",      "segment_wait",      "segment_address",  "repeat_body",
    "repeat_number",    "repeat_kept",      "late_event",        "one_lane"};

}  // namespace

constinit Mutation mutation::active = Mutation::none;

Mutation mutation_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Mutation>(i + 1);
  return Mutation::none;
}

std::string_view mutation_names() {
  static const auto& joined = *new std::string([] {
    std::string text;
    for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
  }());
  return joined;
}

}  // namespace stretto
