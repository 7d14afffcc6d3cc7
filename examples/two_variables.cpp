// Two variables that are initialised independently, and what is made of both: figure 13.2.2 of d2l.ai, a real run.
// scripts/draw-pictures draws its graph.

#include <stretto/stretto.h>

#include <cstdio>

namespace st = stretto;

int main() {
  const auto x = st::ones({1, 2});
  const auto y = st::ones({1, 2});  // does not wait for x
  const auto z = x * y + 2;         // waits for both
  for (const float value : z.to_vector<float>()) std::printf("%g ", value);
  std::printf("\n");
}
