#include "kernels/kernel.h"

#include <map>
#include <mutex>
#include <string>

#include "kernels/kernel_table.h"

namespace stretto {
namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, KernelRow, std::less<>> rows;
};

Table& table() {
  // Leaked on purpose: registrations of other libraries may come and be used after this library's statics are gone.
  static Table& made = *new Table;
  return made;
}

}  // namespace

KernelRow& kernel_row(std::string_view name) {
  Table& kernels = table();
  const std::lock_guard lock(kernels.mutex);
  auto found = kernels.rows.find(name);
  if (found == kernels.rows.end()) {
    found = kernels.rows.try_emplace(std::string(name)).first;
    found->second.name = found->first;
  }
  return found->second;
}

std::vector<std::string_view> operators_on(DeviceKind kind) {
  Table& kernels = table();
  const std::lock_guard lock(kernels.mutex);
  std::vector<std::string_view> names;
  for (const auto& [name, row] : kernels.rows)
    if (row.kernels[static_cast<std::size_t>(kind)].load(std::memory_order_acquire) != nullptr) names.push_back(name);
  return names;
}

KernelRegistration::KernelRegistration(std::string_view name, DeviceKind kind, Kernel kernel,
                                       KernelIsElementwise elementwise) {
  KernelRow& row = kernel_row(name);
  if (elementwise != nullptr) row.elementwise.store(elementwise, std::memory_order_release);
  row.kernels[static_cast<std::size_t>(kind)].store(kernel, std::memory_order_release);
}

}  // namespace stretto
