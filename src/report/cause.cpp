#include <stretto/report/cause.h>

namespace stretto::report {

std::string_view name(Cause cause) {
  constexpr std::string_view names[cause_count] = {"dependency", "busy lane",     "launch-bound", "host read",
                                                   "wait_all",   "back-pressure", "memory"};
  return names[static_cast<int>(cause)];
}

Cause cause_named(std::string_view text) {
  for (int number = 0; number < cause_count; ++number) {
    if (text == name(static_cast<Cause>(number))) return static_cast<Cause>(number);
  }
  return Cause::host_read;
}

}  // namespace stretto::report
