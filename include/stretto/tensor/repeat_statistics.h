#pragma once

#include <cstdint>

#include <stretto/base/export.h>

namespace stretto {

/// How much of what the program submitted was found to repeat, and replayed without being asked for
/// (`STRETTO_REPLAY=on`). A section is a run of submissions.
struct RepeatStatistics {
  std::uint64_t sections = 0;  ///< That were replayed.
  std::uint64_t tasks = 0;     ///< Of those sections together.
  std::uint64_t launched = 0;  ///< Of the sections: on a GPU, launched in one go instead of task by task.
  std::uint64_t recorded = 0;  ///< How often it was recorded what a section does.
  std::uint64_t left = 0;      ///< Sections whose beginning was held back, and which then went on differently.
};

/// Of the process so far, all its threads together; zeros where nothing is looked for. Returns at once.
STRETTO_API RepeatStatistics repeat_statistics();

}  // namespace stretto
