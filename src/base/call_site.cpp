#include <stretto/base/call_site.h>

#include "base/file_name.h"

namespace stretto {

std::string to_string(const CallSite& site) {
  if (!site.known()) return "";
  return std::string(file_name_in(site.file)) + ":" + std::to_string(site.line);
}

}  // namespace stretto
