#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace stretto::report {

/// What is in a file.
inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace stretto::report
