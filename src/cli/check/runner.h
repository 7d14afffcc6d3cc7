#pragma once

#include <string>
#include <vector>

#include "cli/check/program.h"

namespace stretto::cli {

/// Runs the program in this process, and blocks until it is done. What it saw, by the numbers of its statements: hashes
/// of values, and errors as they were thrown.
///
/// `wrong` is for tests of the checker: where it is not empty, each result of the rows with this text is made wrong.
std::vector<std::string> run_program(const Program& program, const std::string& wrong = {});

}  // namespace stretto::cli
