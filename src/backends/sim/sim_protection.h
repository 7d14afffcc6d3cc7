#pragma once

#include <cstddef>

namespace stretto {

/// Keeps threads of the host from the memory of simulated devices: one that touches it faults, as it does on a GPU. It
/// takes the protection keys of recent x86 processors, and costs nothing where memory is touched rightly. Elsewhere
/// nothing is protected.
namespace sim_protection {

/// Whether this machine has it.
bool available();
/// Protects pages for all threads but those with access. Nothing where it is not available.
void protect(std::byte* pages, std::size_t bytes);
/// Gives the calling thread access for as long as it lives: for the threads that are lanes.
void open_for_this_thread();

}  // namespace sim_protection

/// While it lives, the calling thread reaches the memory of simulated devices.
class SimAccess {
 public:
  SimAccess();
  ~SimAccess();
  SimAccess(const SimAccess&) = delete;
  SimAccess& operator=(const SimAccess&) = delete;

 private:
  int before_;
};

}  // namespace stretto
