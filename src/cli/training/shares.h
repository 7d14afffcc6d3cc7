#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stretto/io/idx.h>

#include "cli/training/trainer.h"

namespace stretto::cli {

/// Seconds that a device takes for its part of a batch: what it takes for any, and for each image.
struct PartTime {
  double fixed;
  double an_image;
};

/// Images of a batch for each device, so that all take the same time. A device that takes longer for any part than the
/// others for all gets none.
std::vector<std::int64_t> balanced(const std::vector<PartTime>& times, std::int64_t batch);

/// What each device takes, by measuring a few steps in which it does all the work, with what it takes to bring
/// gradients to the first and parameters back. Blocks.
std::vector<PartTime> measured_times(const FashionMnist& data, const TrainingOptions& options);

/// Images of a batch for each device by what was measured. That differs from one time to the next: who wants the same
/// weights again gives the same shares.
std::vector<std::int64_t> measured_shares(const FashionMnist& data, const TrainingOptions& options);

/// "4032 on cuda:0, 4032 on cuda:1, 128 on cpu:0"
std::string describe_parts(const std::vector<Device>& devices, const std::vector<std::int64_t>& images);

}  // namespace stretto::cli
