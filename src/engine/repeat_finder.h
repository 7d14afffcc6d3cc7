#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace stretto {

/// Finds out whether what a thread submits repeats itself. It knows each submission by one number, its *signature*, so
/// what it says is a guess: whether a submission is what was expected is for others to compare.
///
/// A *break* is what cannot be held back, such as a wait. It is part of what repeats, and no section reaches over it.
class RepeatFinder {
 public:
  static constexpr std::uint32_t longest_period = 1 << 13;
  /// What has fewer tasks is not worth a replay of its own.
  static constexpr std::uint32_t shortest_section = 16;
  /// Of periods that are shorter than the shortest section as many are taken together.
  static constexpr std::uint32_t usual_section = 64;
  /// The same where sections are over as quickly as they come.
  static constexpr std::uint32_t long_section = 512;

  RepeatFinder() : history_(history_length) {}

  /// The next in the stream. The lowest bit of `signature` is not looked at.
  void note(std::uint32_t signature) { add(signature & ~is_break); }
  /// Several behind one another are one.
  void note_break(std::uint32_t signature) {
    if (!ends_with_break()) add(signature | is_break);
  }
  bool ends_with_break() const { return last_break_ == now_ - 1; }
  /// How many have been noted.
  std::uint32_t count() const { return now_ - first_number; }
  /// A number for the next submission, from which others are counted; not small.
  std::uint32_t now() const { return now_; }

  /// What comes next has nothing to do with what came before: some of it in between was not noted.
  void forget();

  /// How many of those that come next are worth being held, if they are those of a period ago; 0 for none.
  std::uint32_t propose() const { return matched_ < needed_ ? 0 : propose_section(); }
  /// Of what comes next, if it is what is expected: tells it from others that are expected at other times.
  std::uint64_t expected_key(std::uint32_t length) const;

  /// What was noted last came so many submissions ago, too, and so did what was before it; 0 where nothing repeats.
  std::uint32_t period() const { return period_; }
  /// What was held for this period came as expected to its end. `quickly`: in about the time that its submission took;
  /// where that is so for long, more is taken together.
  void succeeded(std::uint32_t period, bool quickly);
  /// It did not: then the period is left alone for a while, and most others for a shorter one, longer each time.
  /// `saves_nothing`: it did, but it is better submitted as it comes.
  void failed(std::uint32_t period, bool saves_nothing = false);

 private:
  static constexpr std::uint32_t is_break = 1;
  static constexpr std::uint32_t history_length = 2 * longest_period;
  static constexpr std::uint32_t first_number = 1 << 16;
  static constexpr std::uint32_t anchor_distance = 64;
  /// The window that is compared: so many submissions.
  static constexpr int window_length = 16;
  static constexpr std::uint64_t spread = 0x9e3779b97f4a7c15u;

  /// A window that was met before.
  struct Met {
    std::uint32_t tag = 0;
    std::uint32_t at = 0;
  };
  /// A period that was left in the middle of what was held.
  struct Left {
    std::uint32_t period = 0;
    std::uint32_t times = 0;
    std::uint32_t until = 0;
  };

  void add(std::uint32_t signature) {
    const std::uint32_t at = now_++;
    history_[at % history_length] = signature;
    window_ = (window_ << (64 / window_length)) + signature * spread;
    if (period_ != 0) {
      if (history_[(at - period_) % history_length] == signature) {
        ++matched_;
      } else {
        lose(at);
      }
    }
    if ((signature & is_break) != 0) last_break_ = at;
    // Of all windows an eighth is kept, told by what is in them. Where none of a short period's is, an anchor is met.
    if ((window_ >> 61) == 0 || window_ == anchor_) [[unlikely]]
      look_up(at);
    if (at % anchor_distance == 0) {
      anchor_ = window_;
      anchor_at_ = at;
    }
  }
  void look_up(std::uint32_t at);
  void lose(std::uint32_t at);
  void adopt(std::uint32_t period, std::uint32_t at);
  std::uint32_t propose_section() const;

  std::vector<std::uint32_t> history_;
  std::uint32_t now_ = first_number;
  std::uint32_t period_ = 0;    ///< 0 while nothing repeats.
  std::uint32_t lost_at_ = 0;   ///< When the last period ended.
  std::uint32_t matched_ = 0;   ///< So many of the last were those of a period ago.
  std::uint32_t needed_ = ~0u;  ///< Before anything is held.
  std::uint32_t last_break_ = 0;
  std::uint64_t window_ = 0;
  std::uint64_t anchor_ = 0;
  std::uint32_t anchor_at_ = 0;
  std::uint32_t compared_at_ = first_number;  ///< What was compared backwards is paid by what comes after.
  std::uint32_t rests_until_ = first_number;  ///< Until then nothing is expected.
  std::uint32_t failures_ = 0;                ///< In a row.
  std::uint32_t quick_ = 0;                   ///< Sections in a row.
  std::uint32_t next_left_ = 0;
  std::array<Left, 4> left_;
  std::array<Met, 1024> met_;
};

}  // namespace stretto
