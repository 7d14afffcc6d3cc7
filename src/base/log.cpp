#include "base/log.h"

#include <cstdio>
#include <exception>
#include <string>

#include "base/environment.h"

namespace stretto {

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::off: return "off";
    case LogLevel::error: return "error";
    case LogLevel::warning: return "warning";
    case LogLevel::info: return "info";
    case LogLevel::debug: return "debug";
  }
  return "unknown";
}

bool log_enabled(LogLevel level) noexcept {
  if (level == LogLevel::off) return false;
  try {
    return level <= environment().log;
  } catch (const std::exception&) {
    // A bad variable is reported to whoever asks for its value; a log line is not the place to fail.
    return level <= Environment().log;
  }
}

void log(LogLevel level, std::string_view message) noexcept {
  if (!log_enabled(level)) return;
  try {
    std::string line = "stretto: ";
    line.append(to_string(level)).append(": ").append(message);
    for (char& c : line) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (const std::exception&) {
    std::fputs("stretto: a log line was lost: no memory for it\n", stderr);
  }
}

}  // namespace stretto
