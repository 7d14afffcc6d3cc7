#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"

namespace stretto {

namespace {

constexpr std::int64_t chunk_bytes = std::int64_t{1} << 20;

/// "transfer": the bytes of one contiguous array into another of the same type and number of elements.
void transfer(const KernelCall& call, KernelContext& context) {
  const Array& to = call.outputs[0];
  const Array& from = call.inputs[0];
  const std::int64_t bytes = from.numel() * static_cast<std::int64_t>(item_size(from.dtype));
  const auto copy_chunk = [&](std::int64_t chunk) {
    const std::int64_t begin = chunk * chunk_bytes;
    std::memcpy(to.data + begin, from.data + begin, static_cast<std::size_t>(std::min(chunk_bytes, bytes - begin)));
  };
  if (bytes > chunk_bytes) {
    context.parallel_for((bytes + chunk_bytes - 1) / chunk_bytes, copy_chunk);
  } else if (bytes > 0) {
    copy_chunk(0);
  }
}

const KernelRegistration registration{"transfer", DeviceKind::cpu, &transfer};

}  // namespace

}  // namespace stretto
