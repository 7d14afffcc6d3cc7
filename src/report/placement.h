#pragma once

#include <optional>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// The devices on which a run computed and that another machine may have more or fewer of: GPUs, or the CPU's where no
/// GPU computed. In the order of their names.
std::vector<std::string> computing_devices(const Run& run);

/// Of each task the device that it runs on when there are so many computing devices. As recorded where the number is
/// the recorded one, and for tasks of other devices.
std::vector<std::string> place(const Run& run, int devices);

}  // namespace stretto::report
