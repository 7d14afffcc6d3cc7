#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace stretto::cli {
namespace {

std::string styled(std::string_view text, const char* code) {
  const char* no_color = std::getenv("NO_COLOR");
  static const bool plain = !is_terminal(stdout) || (no_color != nullptr && *no_color != '\0');
  return plain ? std::string(text) : fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const char* kind = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string bold(std::string_view text) { return styled(text, "1"); }
std::string faint(std::string_view text) { return styled(text, "2"); }
std::string green(std::string_view text) { return coloured(text, Colour::green); }

std::string coloured(std::string_view text, Colour colour) {
  switch (colour) {
    case Colour::plain: return std::string(text);
    case Colour::green: return styled(text, "32");
    case Colour::yellow: return styled(text, "33");
    case Colour::blue: return styled(text, "34");
  }
  return std::string(text);
}

ProgressBar::ProgressBar() : enabled_(is_terminal(stderr)) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(double fraction, std::string_view what) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || (visible_ && now - last_ < std::chrono::milliseconds(50))) return;
  if (first_ == std::chrono::steady_clock::time_point{}) first_ = now;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - first_).count();
  const std::string left = elapsed > 1 && fraction > 0 && fraction < 1
                               ? fmt::format(", {:.0f} s left", elapsed * (1 - fraction) / fraction)
                               : "";
  constexpr int width = 30;
  const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width));
  std::fflush(stdout);
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}{}", "", filled, "", width - filled, what, left);
  std::fflush(stderr);
  visible_ = true;
}

void ProgressBar::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace stretto::cli
