#pragma once

#include <string_view>

#include <stretto/base/export.h>

namespace stretto::report {

/// Why something did not go on earlier.
enum class Cause {
  dependency,     ///< An earlier task had not ended.
  busy_lane,      ///< Its lane still ran something else.
  launch_bound,   ///< Everything was ready before the task was submitted, or before it was given to its lane.
  host_read,      ///< The program read a value.
  wait_all,       ///< The program waited for everything.
  back_pressure,  ///< The program was held back: too many tasks or bytes were pending.
  memory,         ///< Memory was not free: the program waited for it, or a task for that of an earlier one.
};

inline constexpr int cause_count = 7;

/// "dependency", "busy lane", "launch-bound", "host read", "wait_all", "back-pressure" or "memory".
STRETTO_API std::string_view name(Cause cause);

/// How the cause of a program's wait is written in a timeline; "host read" where it is unknown.
STRETTO_API Cause cause_named(std::string_view text);

}  // namespace stretto::report
