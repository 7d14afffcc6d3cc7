#include "base/memory_fault.h"

#include <ucontext.h>
#include <cerrno>
#include <csignal>

#include <stretto/base/error.h>

namespace stretto {
namespace {

bool (*asked)(const MemoryFault&) = nullptr;
struct sigaction before{};

void on_fault(int number, siginfo_t* information, void* context) {
  // Other faults are an address that does not exist, or protection keys, which are not ours.
  if (information->si_code == SEGV_ACCERR) {
    constexpr greg_t fault_is_write = 2;
    const greg_t error = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
    // What the thread was at may be about to look at it.
    const int error_number = errno;
    const bool goes_on = asked({static_cast<std::byte*>(information->si_addr), (error & fault_is_write) != 0});
    errno = error_number;
    if (goes_on) return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(number, information, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    // The access is tried again, and ends the process.
    std::signal(SIGSEGV, SIG_DFL);
  }
}

}  // namespace

void handle_memory_faults(bool (*handle)(const MemoryFault&)) {
  asked = handle;
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  // Not blocked meanwhile: a fault inside the handler is a crash, not a hang.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (sigaction(SIGSEGV, &action, &before) != 0) throw Error("the handler of memory faults cannot be installed");
}

}  // namespace stretto
