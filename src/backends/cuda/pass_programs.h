#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <cuda.h>

#include "backends/cuda/nvrtc.h"
#include "base/mutex.h"
#include "base/readiness.h"
#include "kernels/cuda/pass_kernel.h"
#include "kernels/element_pass.h"

namespace stretto {

/// The kernels of passes, which are compiled when they are first asked for, on a thread of their own: one for all
/// passes of the same text and all GPUs of one kind. They stay until the process ends, as recorded graphs may have
/// them; so there is an end to how many are made.
class PassPrograms {
 public:
  /// A kernel that is compiled, or will be.
  struct Compiled {
    std::atomic<Readiness> readiness{Readiness::unready};
    CUkernel kernel = nullptr;  ///< Once it is ready. Of all GPUs.
  };

  /// Those of this process.
  static PassPrograms& get();

  /// As ElementPassMaker, for GPUs of this compute capability, 90 for 9.0. Null, too, where the process has no
  /// compiler, or one of another version and a step that this might round differently. `at_once`: the calling thread
  /// compiles.
  std::unique_ptr<const ElementPassProgram> make(const ElementPass& pass, int architecture, bool at_once);
  /// The same kernel for arrays that lie anywhere, compiled by the calling thread if it was not before; null where that
  /// fails.
  std::shared_ptr<const Compiled> compile_now(const PassKernel& kernel, int architecture);

 private:
  using Key = std::pair<int, std::string>;
  struct Waiting {
    Key key;
    std::shared_ptr<Compiled> made;
  };

  PassPrograms() = default;
  /// At the end of the process: waits for what is being compiled, and compiles nothing more.
  void stop();
  bool has_compiler(int architecture) STRETTO_REQUIRES(mutex_);
  void look_for_compiler(int architecture) STRETTO_REQUIRES(mutex_);
  std::shared_ptr<Compiled> find(const PassKernel& kernel, int architecture, bool& is_new);
  void compile_soon(const Key& key, const std::shared_ptr<Compiled>& made);
  void compile(const Key& key, Compiled& made);
  void run();

  Mutex mutex_;
  ConditionVariable changed_;
  bool looked_for_compiler_ STRETTO_GUARDED_BY(mutex_) = false;
  std::unique_ptr<const Nvrtc> compiler_;  ///< Never changes once looked for.
  std::map<Key, std::shared_ptr<Compiled>> compiled_ STRETTO_GUARDED_BY(mutex_);
  std::deque<Waiting> waiting_ STRETTO_GUARDED_BY(mutex_);
  bool has_thread_ STRETTO_GUARDED_BY(mutex_) = false;
  bool is_compiling_ STRETTO_GUARDED_BY(mutex_) = false;
  bool is_stopped_ STRETTO_GUARDED_BY(mutex_) = false;
};

}  // namespace stretto
