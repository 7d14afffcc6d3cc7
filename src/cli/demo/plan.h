#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/chapter.h"
#include "cli/training/trainer.h"

namespace stretto::cli {

/// The sizes of what the demo does; the serial engine gets the same.
struct DemoPlan {
  Products parallel;  ///< On each device.
  Products overlap;   ///< On the first device, each copied away.
  int epochs = 5;
  std::string data;
};

/// What the serial engine makes of the plan.
struct SerialOutcome {
  double parallel = 0;      ///< Seconds of the products on all devices.
  double run_and_copy = 0;  ///< Seconds.
  double images_a_second = 0;
  double accuracy = 0;
  std::uint64_t fingerprint = 0;
};

/// Runs the plan in a process with the serial engine. Throws Error when that fails.
SerialOutcome run_serially(const DemoPlan& plan, const OnProgress& on_progress);

/// That process: prints lines for the one that started it.
int serve_serial_demo(const std::string& plan);

}  // namespace stretto::cli
