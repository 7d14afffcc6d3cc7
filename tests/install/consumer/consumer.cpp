#include <stretto/base/error.h>

#include <cstdio>
#include <string>

// Crosses the border of the shared library both ways: the library composes the error, its kind is caught here.
int main() {
  try {
    throw stretto::ShapeError("consumer", "shapes do not match", std::source_location::current());
  } catch (const stretto::Error& error) {
    const std::string line = error.what();
    std::printf("%s\n", line.c_str());
    return line.starts_with("[consumer] shapes do not match (at consumer.cpp:") ? 0 : 1;
  }
}
