#include <cstdlib>

namespace {

/// The devices that the tests of this program work on, unless whoever runs it says otherwise.
[[maybe_unused]] const bool devices_are_set = [] {
  setenv("STRETTO_CPU_DEVICES", "2", 0);
  setenv("STRETTO_SIM_DEVICES", "1", 0);
  return true;
}();

}  // namespace
