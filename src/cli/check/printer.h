#pragma once

#include <string>
#include <string_view>

#include "cli/check/program.h"

namespace stretto::cli {

/// The program's statement as it is written in C++: "t3 = sum(t1, 0, 1 == 1)".
std::string to_text(const Program& program, const Statement& statement);

/// The program in C++, complete in itself, under `comment` (lines that begin with //). It prints what it saw.
std::string to_source(const Program& program, std::string_view comment);

/// The text of bodies.h. Lives as long as the program.
extern const std::string_view bodies_text;

}  // namespace stretto::cli
