#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/chapter.h"
#include "cli/child_process.h"
#include "cli/training/trainer.h"

namespace stretto::cli {

/// A process of its own with the serial engine, in which the demo's work is done one statement at a time: what the
/// figures of this process are held against. It uses no processor time between requests.
class SerialEngine {
 public:
  /// Starts the process. Throws Error when that fails, as the functions below do when it ends early.
  SerialEngine();

  /// Seconds of the products on each of the devices, one device after the other. Blocks, as the others do.
  std::vector<double> measure_products(const Products& products);

  struct RunAndCopy {
    double run = 0;
    double copy = 0;
  };
  /// Seconds of the products on the first device, and of the copies that follow them.
  RunAndCopy measure_run_and_copy(const Products& products);

  struct Training {
    double images_a_second = 0;
    std::uint64_t fingerprint = 0;
  };
  /// The demo's training with the files in `data`.
  Training train(int epochs, const std::string& data, const OnProgress& on_progress);

 private:
  nlohmann::json ask(const nlohmann::json& request, const OnProgress& on_progress);

  ChildProcess process_;
};

/// That process: answers requests until its input ends.
int serve_serial_engine();

}  // namespace stretto::cli
