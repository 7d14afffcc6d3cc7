#pragma once

#include <string_view>

namespace stretto {

/// "program.cpp" of "/home/me/program.cpp": what is behind the last slash. Points into `path`.
constexpr std::string_view file_name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace stretto
