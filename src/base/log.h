#pragma once

#include <string_view>

namespace stretto {

/// How much is written to standard error, from nothing to everything. `STRETTO_LOG` sets it.
enum class LogLevel { off, error, warning, info, debug };

/// "error", "warning", ...
std::string_view to_string(LogLevel level);

/// Whether a message of this level is written. Ask before composing a message that costs something.
bool log_enabled(LogLevel level) noexcept;

/// Writes one line, `stretto: warning: MESSAGE`, to standard error when the level is enabled. Line breaks in the
/// message become spaces. Lines of several threads do not mix. Never throws.
void log(LogLevel level, std::string_view message) noexcept;

}  // namespace stretto
