#include "cli/command_line.h"

int main(int argc, char** argv) { return stretto::cli::run_command(argc, argv); }
