#pragma once

#include <string>
#include <vector>

#include <stretto/core/device.h>

namespace stretto::cli {

/// The devices that `--device` named, or those given where it named none. A device named twice
/// counts once. Throws UsageError for a name that is none and for a device that is not there.
std::vector<Device> devices_named(const std::vector<std::string>& names, std::vector<Device> otherwise);

/// How many GPUs the runtime finds, asked in a process of its own: the environment may still be changed here
/// afterwards.
int count_gpus();

/// Splits the CPU in two where nobody said into how many devices and there are not two GPUs to use instead. To be
/// called before the runtime's first use.
void prepare_two_devices();

/// What an experiment with several devices uses: two or more GPUs, else the CPU devices.
std::vector<Device> several_devices();

}  // namespace stretto::cli
