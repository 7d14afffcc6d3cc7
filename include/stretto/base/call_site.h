#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include <stretto/base/export.h>

namespace stretto {

/// A place in somebody's source: where an operation was written. A cheap value, trivially copyable; it owns nothing.
/// The two texts must outlive it, as those of `std::source_location` do (they live as long as the program).
///
/// As a defaulted last parameter (`CallSite site = std::source_location::current()`) it names the caller's line.
struct STRETTO_API CallSite {
  /// An unknown place: `known()` is false.
  constexpr CallSite() = default;

  constexpr CallSite(const char* file_name, const char* function_name, std::uint32_t line_number)
      : file(file_name), function(function_name), line(line_number) {}

  /// Implicit, so that `std::source_location::current()` can be a default argument of this type.
  constexpr CallSite(const std::source_location& location)
      : file(location.file_name()), function(location.function_name()), line(location.line()) {}

  /// The place where `current()` itself is written.
  static constexpr CallSite current(const std::source_location& location = std::source_location::current()) {
    return CallSite(location);
  }

  /// Whether it names a line; false for a default-constructed place.
  constexpr bool known() const { return line != 0; }

  /// The path as the compiler was given it, never null; "" when unknown.
  const char* file = "";
  /// The enclosing function as the compiler spells it, never null; "" when unknown.
  const char* function = "";
  /// The line, counted from 1; 0 when unknown.
  std::uint32_t line = 0;
};

/// "program.cpp:42": the last component of the path and the line. "" when the place is unknown.
STRETTO_API std::string to_string(const CallSite& site);

}  // namespace stretto
