// The program whose timeline is drawn in the README: products on two devices, each copied to the other device as soon
// as it is there. scripts/draw-readme-timeline runs it under the serial and the parallel engine and draws both.

#include <stretto/stretto.h>

#include <vector>

namespace st = stretto;

int main() {
  const auto devices = st::try_all_gpus();
  const st::Device first = devices.front(), second = devices.back();
  const auto a1 = st::uniform({1024, 128}, first), b1 = st::uniform({128, 1024}, first);
  const auto a2 = st::uniform({1024, 128}, second), b2 = st::uniform({128, 1024}, second);
  std::vector<st::Tensor> copies;
  for (int i = 0; i < 10; ++i) {
    copies.push_back(st::matmul(a1, b1).to(second));
    copies.push_back(st::matmul(a2, b2).to(first));
  }
  st::wait_all();
}
