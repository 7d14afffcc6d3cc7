// What dlpack_peers.py calls: a few things to do with tensors, by number, from a language without our headers.

#include <stretto/stretto.h>

#include <cstdio>
#include <map>

namespace {

std::map<int, stretto::Tensor>& tensors() {
  static std::map<int, stretto::Tensor> all;
  return all;
}

int keep(const stretto::Tensor& tensor) {
  static int last = 0;
  tensors()[++last] = tensor;
  return last;
}

/// What `statement` returns; -1, and the error in standard error, where it throws.
template <typename Statement>
auto guarded(Statement statement) -> decltype(statement()) {
  try {
    return statement();
  } catch (const stretto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return decltype(statement())(-1);
  }
}

}  // namespace

#define BRIDGE extern "C" __attribute__((visibility("default")))

BRIDGE int bridge_device_count() { return stretto::device_count(stretto::DeviceKind::cuda); }

/// A float32 vector whose elements are all `value`, which come to it by many small steps.
BRIDGE int bridge_make(const char* device, long count, float value) {
  return guarded([&] {
    const stretto::Tensor x = stretto::full({count}, value - 200, stretto::Device::parse(device));
    for (int i = 0; i < 200; ++i) x += 1;
    return keep(x);
  });
}

BRIDGE DLManagedTensorVersioned* bridge_lend(int tensor, void* stream) {
  try {
    return stretto::to_dlpack(tensors().at(tensor), stream).release();
  } catch (const stretto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

BRIDGE int bridge_take(DLManagedTensorVersioned* tensor, void* stream) {
  return guarded([&] { return keep(stretto::from_dlpack(tensor, stream)); });
}

BRIDGE void bridge_add(int tensor, float value) { tensors().at(tensor) += value; }

BRIDGE double bridge_sum(int tensor) {
  return guarded([&] { return stretto::sum(tensors().at(tensor).to(stretto::DType::float64)).item<double>(); });
}

BRIDGE int bridge_drop(int tensor) {
  tensors().erase(tensor);
  return guarded([] {
    stretto::wait_all();
    return 0;
  });
}
