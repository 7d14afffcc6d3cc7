#pragma once

#include <functional>

#include "backend/lane.h"

namespace stretto {

/// Work whose body is a function.
struct BodyWork : Work {
  std::function<void(KernelContext&)> body;
};

/// What lanes in tests call. Runs bodies as they are: unlike the engine, it lets their exceptions through.
class BodyExecutor final : public Executor {
 public:
  void execute(Work& work, KernelContext& context) override { static_cast<BodyWork&>(work).body(context); }

  // In-order lanes call nothing else.
  Work* run(Work&, KernelContext&) override { return nullptr; }
  Work& put_back(Work& work) override { return work; }
  bool run_urgent(KernelContext&) override { return false; }
  void idle() override {}
  bool awaited() const override { return false; }
};

}  // namespace stretto
