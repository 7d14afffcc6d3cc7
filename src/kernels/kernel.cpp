#include "kernels/kernel.h"

#include <map>
#include <mutex>
#include <string>

namespace stretto {

KernelRow& kernel_row(std::string_view name) {
  // Leaked on purpose: registrations of other libraries may come and be used after this library's statics are gone.
  static std::mutex& mutex = *new std::mutex;
  static auto& rows = *new std::map<std::string, KernelRow, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = rows.find(name);
  if (found == rows.end()) {
    found = rows.try_emplace(std::string(name)).first;
    found->second.name = found->first;
  }
  return found->second;
}

KernelRegistration::KernelRegistration(std::string_view name, DeviceKind kind, Kernel kernel) {
  kernel_row(name).kernels[static_cast<std::size_t>(kind)].store(kernel, std::memory_order_release);
}

}  // namespace stretto
