#include "engine/repeat_finder.h"

#include <algorithm>
#include <utility>

namespace stretto {
namespace {

// Before anything is held, so many have come as a period ago, however short that is.
constexpr std::uint32_t least_matched = 32;
// A period that was left is left alone for this times its length, doubled each time up to so often.
constexpr std::uint32_t most_doublings = 10;
// The same for all periods: what repeats with one repeats with its multiples, too. To find that a section saves nothing
// takes a template, and much longer.
constexpr std::uint32_t longest_rest = 6, longest_rest_of_useless = 9;
// So many sections are over quickly before they become longer.
constexpr std::uint32_t quick_before_long = 16;
// So many comparisons backwards are paid by one submission.
constexpr std::uint32_t paid_by_one = 4;
// What matched fewer was none.
constexpr std::uint32_t least_lost = 16;
constexpr std::uint32_t part_of_key = 32;

}  // namespace

void RepeatFinder::look_up(std::uint32_t at) {
  std::uint32_t period = window_ == anchor_ ? at - anchor_at_ : 0;
  if ((window_ >> 61) == 0) {
    const std::uint64_t mixed = window_ * spread;
    const auto tag = static_cast<std::uint32_t>(mixed >> 16);
    Met& met = met_[mixed >> 54];
    if (met.tag == tag && period == 0) period = at - met.at;
    met = {tag, at};
  }
  const bool rests = static_cast<std::int32_t>(rests_until_ - at) > 0;
  if (period_ == 0 && period > 0 && period <= longest_period && !rests) adopt(period, at);
}

/// Where a short period ends again and again, as that of a loop inside of another, this is what repeats.
void RepeatFinder::lose(std::uint32_t at) {
  const std::uint32_t period = at - std::exchange(lost_at_, at);
  const bool was_long = matched_ >= least_lost;
  period_ = matched_ = 0;
  if (was_long && period <= longest_period) adopt(period, at);
}

void RepeatFinder::adopt(std::uint32_t period, std::uint32_t at) {
  for (const Left& left : left_)
    if (left.period == period && static_cast<std::int32_t>(left.until - at) > 0) return;
  period_ = period;
  needed_ = std::max(period, least_matched);
  const std::uint32_t most = std::min(needed_, paid_by_one * (at - compared_at_));
  compared_at_ = at;
  while (matched_ < most &&
         history_[(at - matched_) % history_length] == history_[(at - matched_ - period) % history_length])
    ++matched_;
  if (matched_ == 0) period_ = 0;
}

void RepeatFinder::forget() {
  // No period reaches back over this.
  now_ += longest_period;
  compared_at_ = now_;
  period_ = matched_ = 0;
  needed_ = ~0u;
}

std::uint32_t RepeatFinder::propose_section() const {
  if (now_ - last_break_ > period_) {
    if (period_ >= shortest_section && quick_ < quick_before_long) return period_;
    const std::uint32_t least = quick_ < quick_before_long ? usual_section : long_section;
    return period_ * ((least + period_ - 1) / period_);
  }
  // From one break to the next.
  if (!ends_with_break()) return 0;
  std::uint32_t length = 0;
  while (length < period_ && (history_[(now_ + length - period_) % history_length] & is_break) == 0) ++length;
  return length >= shortest_section ? length : 0;
}

std::uint64_t RepeatFinder::expected_key(std::uint32_t length) const {
  std::uint64_t key = length;
  for (std::uint32_t i = 0; i < std::min(length, part_of_key); ++i)
    key = (key ^ history_[(now_ + i % period_ - period_) % history_length]) * spread;
  return key;
}

void RepeatFinder::succeeded(std::uint32_t period, bool quickly) {
  failures_ = 0;
  quick_ = quickly ? quick_ + 1 : 0;
  for (Left& left : left_)
    if (left.period == period) left = {};
}

void RepeatFinder::failed(std::uint32_t period, bool saves_nothing) {
  rests_until_ =
      now_ + (usual_section << std::min(failures_++, saves_nothing ? longest_rest_of_useless : longest_rest));
  quick_ = 0;
  auto* found = std::ranges::find(left_, period, &Left::period);
  if (found == left_.end()) {
    found = &left_[next_left_++ % left_.size()];
    *found = {.period = period};
  }
  found->until = now_ + (std::max(period, usual_section) << std::min(found->times, most_doublings));
  ++found->times;
  if (period_ == period) period_ = matched_ = 0;
}

}  // namespace stretto
