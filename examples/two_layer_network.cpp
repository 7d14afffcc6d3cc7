// A step of training a network of two layers on the CPU and two devices: figure 13.3.1 of d2l.ai, a real run. Each
// device has half of the batch. Its gradients travel to the CPU while it goes on backward; there they are added, and
// the new parameters are sent back. scripts/draw-pictures draws its graph.

#include <stretto/stretto.h>
#include <stretto/trace/section.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace st = stretto;

namespace {

/// Two GPUs or simulated ones, or what there is of the CPU.
std::vector<st::Device> two_devices() {
  std::vector<st::Device> chosen;
  for (const st::Device device : st::devices()) {
    if (device.kind() != st::DeviceKind::cpu) chosen.push_back(device);
  }
  if (chosen.size() < 2) chosen = {st::cpu(0), st::cpu(st::device_count(st::DeviceKind::cpu) - 1)};
  return {chosen.front(), chosen.back()};
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t width = argc > 1 ? std::atoi(argv[1]) : 256;
  const std::int64_t batch = 128, inputs = 784, classes = 10;
  st::Tensor weight1 = st::uniform({inputs, width}, st::cpu()), weight2 = st::uniform({width, classes}, st::cpu());

  std::vector<st::Tensor> gradients1, gradients2;
  int half = 0;
  for (const st::Device device : two_devices()) {
    const st::trace::Section on_device("half " + std::to_string(++half));
    const auto x = st::uniform({batch, inputs}, device), target = st::uniform({batch, classes}, device);
    const auto w1 = weight1.to(device), w2 = weight2.to(device);
    st::Tensor before, hidden, error;
    {
      const st::trace::Section forward("forward");
      before = st::matmul(x, w1);
      hidden = st::relu(before);
      error = st::matmul(hidden, w2) - target;
    }
    const st::trace::Section backward("backward");
    gradients2.push_back(st::matmul(hidden.t(), error).to(st::cpu()));  // travels while the next line computes
    gradients1.push_back(st::matmul(x.t(), st::relu_backward(st::matmul(error, w2.t()), before)).to(st::cpu()));
  }

  const st::trace::Section update("update");
  weight2 -= 0.001 * (gradients2[0] + gradients2[1]);
  weight1 -= 0.001 * (gradients1[0] + gradients1[1]);
  for (const st::Device device : two_devices()) {
    weight2.to(device);
    weight1.to(device);
  }
  st::wait_all();
}
