#include <fmt/format.h>
#include <stretto/report/page.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include <stretto/base/error.h>

#include "report/page_data.h"
#include "report/page_files.h"

namespace stretto::report {
namespace {

FileError cannot_write(const std::string& path) {
  return FileError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

std::string to_page(const Run& run) {
  std::string page;
  // Front to back, so that nothing in the run is taken for a place.
  for (std::string_view rest = page_html; !rest.empty();) {
    const std::size_t open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find("}}", open);
    const std::string_view place = rest.substr(open + 2, close - open - 2);
    if (place == "style") page += page_style;
    if (place == "scripts") page += page_scripts;
    if (place == "data") page += page_data(run);
    rest.remove_prefix(close + 2);
  }
  return page;
}

void write_page(const Run& run, const std::string& path) {
  // What is there stays until there is something better.
  if (!std::ofstream(path, std::ios::app)) throw cannot_write(path);
  std::ofstream file(path, std::ios::binary);
  file << to_page(run);
  file.close();
  if (!file) throw cannot_write(path);
}

}  // namespace stretto::report
