#include <fstream>
#include <iostream>

#include "base/environment.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: environment_table FILE\n";
    return 2;
  }
  std::ofstream file(arguments[1]);
  file << stretto::environment_table() << std::flush;
  if (!file) {
    std::cerr << "environment_table: cannot write " << arguments[1] << "\n";
    return 1;
  }
  return 0;
}
