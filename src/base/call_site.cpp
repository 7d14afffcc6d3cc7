#include <stretto/base/call_site.h>

#include <string_view>

namespace stretto {

std::string to_string(const CallSite& site) {
  if (!site.known()) return "";
  std::string_view file = site.file;
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file) + ":" + std::to_string(site.line);
}

}  // namespace stretto
