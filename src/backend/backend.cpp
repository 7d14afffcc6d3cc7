#include "backend/backend.h"

#include <array>
#include <atomic>

namespace stretto {
namespace {

std::array<std::atomic<BackendFactory>, device_kind_count>& factories() {
  static std::array<std::atomic<BackendFactory>, device_kind_count> table{};
  return table;
}

}  // namespace

BackendRegistration::BackendRegistration(DeviceKind kind, BackendFactory factory) {
  factories()[static_cast<std::size_t>(kind)].store(factory);
}

BackendFactory backend_factory(DeviceKind kind) { return factories()[static_cast<std::size_t>(kind)].load(); }

}  // namespace stretto
