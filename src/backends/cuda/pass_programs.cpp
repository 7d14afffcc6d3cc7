#include "backends/cuda/pass_programs.h"

#include <unistd.h>

#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <stretto/base/error.h>

#include "backends/cuda/driver_function.h"
#include "base/log.h"
#include "kernels/cuda/cuda_context.h"

namespace stretto {
namespace {

/// Of all texts together.
constexpr std::size_t most_compiled = 1024;

class CudaPassProgram final : public ElementPassProgram {
 public:
  CudaPassProgram(const ElementPass& pass, PassKernel kernel, std::shared_ptr<const PassPrograms::Compiled> compiled,
                  int architecture)
      : pass_(pass), kernel_(std::move(kernel)), compiled_(std::move(compiled)), architecture_(architecture) {}

  Readiness readiness() const override { return compiled_->readiness.load(std::memory_order_acquire); }

  void run(std::byte* const* addresses, KernelContext& context) const override {
    if (kernel_.suits(addresses)) return launch(kernel_, compiled_->kernel, addresses, context);
    // The pools align what they give; memory that another library lends may lie anywhere.
    const std::optional<PassKernel> anywhere = PassKernel::write(pass_, false);
    const auto compiled = anywhere ? PassPrograms::get().compile_now(*anywhere, architecture_) : nullptr;
    if (compiled == nullptr) throw DeviceError("no kernel can be made for arrays that are aligned like these");
    launch(*anywhere, compiled->kernel, addresses, context);
  }

 private:
  static void launch(const PassKernel& kernel, CUkernel compiled, std::byte* const* addresses, KernelContext& context) {
    static const auto launch_kernel = driver_function<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    std::vector<std::uint64_t> words = kernel.words(addresses);
    void* parameters[] = {words.data()};
    check_driver(launch_kernel(reinterpret_cast<CUfunction>(compiled), kernel.blocks(), 1, 1, PassKernel::threads, 1, 1,
                               0, cuda_context(context).stream(), parameters, nullptr),
                 "the launch of a pass");
  }

  const ElementPass& pass_;
  const PassKernel kernel_;
  const std::shared_ptr<const PassPrograms::Compiled> compiled_;
  const int architecture_;
};

}  // namespace

PassPrograms& PassPrograms::get() {
  // Leaked: what runs at the end of the process may still use kernels.
  static PassPrograms& programs = *new PassPrograms;
  return programs;
}

bool PassPrograms::has_compiler(int architecture) {
  if (!looked_for_compiler_) look_for_compiler(architecture);
  looked_for_compiler_ = true;
  return compiler_ != nullptr;
}

void PassPrograms::look_for_compiler(int architecture) {
  std::string problem;
  std::unique_ptr<const Nvrtc> found = Nvrtc::load(problem);
  try {
    // It loads more, and notes what it has to do at the end of the process. That must come behind our own end, which is
    // noted when there is a thread that compiles: so it is not left to that thread.
    if (found != nullptr)
      static_cast<void>(found->compile("__global__ void nothing(double* x) { *x = exp(*x); }", architecture));
    compiler_ = std::move(found);
  } catch (const Error& error) {
    problem = error.message();
  }
  if (compiler_ == nullptr) {
    log(LogLevel::info, "elementwise operations run one by one on GPUs, as there is no compiler: " + problem);
  } else if (!compiler_->is_of_this_version()) {
    log(LogLevel::info, "functions such as exp are not joined to passes on GPUs: the compiler is of CUDA " +
                            compiler_->version() + ", which is not what this was built with");
  }
}

std::unique_ptr<const ElementPassProgram> PassPrograms::make(const ElementPass& pass, int architecture, bool at_once) {
  std::optional<PassKernel> kernel = PassKernel::write(pass, true);
  if (!kernel) return nullptr;
  bool is_new = false;
  const std::shared_ptr<Compiled> compiled = find(*kernel, architecture, is_new);
  if (compiled == nullptr) return nullptr;
  const Key key{architecture, kernel->text()};
  if (is_new && at_once) {
    compile(key, *compiled);
  } else if (is_new) {
    compile_soon(key, compiled);
  }
  if (compiled->readiness.load(std::memory_order_acquire) == Readiness::refused) return nullptr;
  return std::make_unique<CudaPassProgram>(pass, std::move(*kernel), compiled, architecture);
}

void PassPrograms::compile_soon(const Key& key, const std::shared_ptr<Compiled>& made) {
  MutexLock lock(mutex_);
  if (!has_thread_) {
    try {
      std::thread([this] { run(); }).detach();
    } catch (const std::system_error&) {
      lock.unlock();
      return compile(key, *made);
    }
    has_thread_ = true;
    static const struct AtEnd {
      const pid_t owner = getpid();
      ~AtEnd() {
        if (getpid() == owner) get().stop();
      }
    } at_end;
  }
  waiting_.push_back({key, made});
  changed_.notify_all();
}

std::shared_ptr<const PassPrograms::Compiled> PassPrograms::compile_now(const PassKernel& kernel, int architecture) {
  bool is_new = false;
  const std::shared_ptr<Compiled> compiled = find(kernel, architecture, is_new);
  if (compiled == nullptr) return nullptr;
  if (is_new) compile({architecture, kernel.text()}, *compiled);
  // Another thread may be at it.
  while (compiled->readiness.load(std::memory_order_acquire) == Readiness::unready) std::this_thread::yield();
  return compiled->readiness.load(std::memory_order_acquire) == Readiness::ready ? compiled : nullptr;
}

/// The kernel of this text; null where it is not made.
std::shared_ptr<PassPrograms::Compiled> PassPrograms::find(const PassKernel& kernel, int architecture, bool& is_new) {
  const MutexLock lock(mutex_);
  if (is_stopped_ || !has_compiler(architecture)) return nullptr;
  if (kernel.depends_on_version() && !compiler_->is_of_this_version()) return nullptr;
  const auto found = compiled_.find({architecture, kernel.text()});
  if (found != compiled_.end()) return found->second;
  if (compiled_.size() == most_compiled) return nullptr;
  is_new = true;
  return compiled_[{architecture, kernel.text()}] = std::make_shared<Compiled>();
}

void PassPrograms::compile(const Key& key, Compiled& made) {
  try {
    const std::vector<char> code = compiler_->compile(key.second, key.first);
    // Of no context, and so by the driver: none shall be made for the calling thread. It copies the code.
    static const auto load = driver_function<decltype(&cuLibraryLoadData)>("cuLibraryLoadData");
    static const auto get_kernel = driver_function<decltype(&cuLibraryGetKernel)>("cuLibraryGetKernel");
    CUlibrary library = nullptr;
    check_driver(load(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cuLibraryLoadData");
    check_driver(get_kernel(&made.kernel, library, PassKernel::name), "cuLibraryGetKernel");
    made.readiness.store(Readiness::ready, std::memory_order_release);
  } catch (const std::exception& error) {
    log(LogLevel::warning, std::string("elementwise operations run one by one: ") + error.what());
    made.readiness.store(Readiness::refused, std::memory_order_release);
  }
}

void PassPrograms::run() {
  MutexLock lock(mutex_);
  while (!is_stopped_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    is_compiling_ = true;
    lock.unlock();
    compile(next.key, *next.made);
    lock.lock();
    is_compiling_ = false;
    changed_.notify_all();
  }
}

void PassPrograms::stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
  while (is_compiling_) changed_.wait(lock);
}

}  // namespace stretto
