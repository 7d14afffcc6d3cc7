#include "engine/search_time.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace stretto {
namespace {

constexpr std::chrono::nanoseconds time_a_submission{15};
// Searching may take this part of the time.
constexpr int part_of_time = 50;
constexpr std::uint32_t part_of_rest = 1024;

}  // namespace

bool SearchTime::begin_rest() {
  const std::uint32_t searched = std::exchange(searched_, 0);
  const SteadyClock::time_point now = clock_();
  const auto elapsed = std::max<SteadyClock::duration>(now - began_, std::chrono::nanoseconds(searched));
  const SteadyClock::duration rest = searched * part_of_time * time_a_submission - elapsed;
  // So many as come meanwhile, if they come as before.
  const auto parts = rest.count() * searched / elapsed.count() / part_of_rest;
  if (parts <= 0) return false;
  parts_left_ = static_cast<std::uint32_t>(parts);
  latest_end_ = now + 2 * rest;
  return true;
}

bool SearchTime::go_on() {
  if (--parts_left_ == 0 || clock_() > latest_end_) {
    parts_left_ = 0;
    return false;
  }
  left_ = part_of_rest - 1;
  return true;
}

}  // namespace stretto
