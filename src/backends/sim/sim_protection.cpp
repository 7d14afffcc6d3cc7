#include "backends/sim/sim_protection.h"

#include <sys/mman.h>

namespace stretto {
namespace {

constexpr int refused = PKEY_DISABLE_ACCESS;
/// Taken at first use, for all devices of the process; -1 where there is none. The thread that takes it has no access,
/// like all others.
int key() {
  static const int taken = pkey_alloc(0, refused);
  return taken;
}
int rights() { return key() < 0 ? 0 : pkey_get(key()); }
void set_rights(int wanted) {
  if (key() >= 0) pkey_set(key(), static_cast<unsigned>(wanted));
}

}  // namespace

namespace sim_protection {

bool available() { return key() >= 0; }

void protect(std::byte* pages, std::size_t bytes) {
  if (key() >= 0) static_cast<void>(pkey_mprotect(pages, bytes, PROT_READ | PROT_WRITE, key()));
}

void open_for_this_thread() { set_rights(0); }

}  // namespace sim_protection

SimAccess::SimAccess() : before_(rights()) { set_rights(0); }

SimAccess::~SimAccess() { set_rights(before_); }

}  // namespace stretto
