// The chapter's program: the same statements whether there are GPUs or only cores. Run it with STRETTO_CPU_DEVICES=2
// where there are none: it takes the first two devices.

#include <stretto/stretto.h>

#include <cstdlib>
#include <vector>

namespace st = stretto;

std::vector<st::Tensor> run(const st::Tensor& x) {
  std::vector<st::Tensor> y;
  for (int i = 0; i < 50; ++i) y.push_back(st::matmul(x, x));
  return y;
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1000;
  const auto devices = st::try_all_gpus();
  const auto x1 = st::uniform({n, n}, devices.front()), x2 = st::uniform({n, n}, devices.back());
  run(x1);
  run(x2);
  st::wait_all();  // warm up

  {
    st::Benchmark benchmark("device 1");
    run(x1);
    st::wait_all();
  }
  {
    st::Benchmark benchmark("device 2");
    run(x2);
    st::wait_all();
  }
  {
    st::Benchmark benchmark("both");  // at once: nothing connects them
    run(x1);
    run(x2);
    st::wait_all();
  }
  {
    st::Benchmark benchmark("run and copy");  // copy i starts when product i is done
    std::vector<st::Tensor> host;
    for (const auto& y : run(x1)) host.push_back(y.to(devices.back()));
    st::wait_all();
  }
}
