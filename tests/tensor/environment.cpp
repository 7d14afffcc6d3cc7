#include <cstdlib>

// Two devices of each kind that needs no hardware, workers enough for tasks to meet and little memory, unless whoever
// runs the tests chose otherwise. It is read at first use.
namespace {

const bool chosen = [] {
  setenv("STRETTO_CPU_DEVICES", "2", 0);
  setenv("STRETTO_SIM_DEVICES", "2", 0);
  setenv("STRETTO_WORKERS", "4", 0);
  setenv("STRETTO_MEMORY_LIMIT", "64M", 0);
  return true;
}();

}  // namespace
