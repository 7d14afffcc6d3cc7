#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

namespace stretto::cli {

/// Whether `stream` is a terminal that a person looks at.
bool is_terminal(std::FILE* stream);

/// `text` as it is, or in a style when standard output is a terminal and NO_COLOR is not set.
std::string bold(std::string_view text);
std::string faint(std::string_view text);
std::string green(std::string_view text);
enum class Colour { plain, green, yellow, blue };
std::string coloured(std::string_view text, Colour colour);

/// One line at the bottom of a terminal that says how far long work has come; nothing at all in a pipe. It is wiped
/// when the work is done.
class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// `fraction` is between 0 and 1. Once a second has gone by, the line also says how much time is left at this rate.
  void show(double fraction, std::string_view what);
  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  bool visible_ = false;
  bool enabled_;
  std::chrono::steady_clock::time_point first_{};
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace stretto::cli
