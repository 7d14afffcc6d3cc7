#pragma once

#include <stretto/base/call_site.h>
#include <stretto/base/error.h>

namespace stretto {

/// Calls `make` and returns what it does; its errors get the operation's name and line.
template <typename Make>
auto with_context(const char* operation, const CallSite& site, Make make) {
  try {
    return make();
  } catch (Error& error) {
    error.with_context(operation, site);
    throw;
  }
}

}  // namespace stretto
