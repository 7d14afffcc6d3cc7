#pragma once

#include <vector>

#include "backend/foreign_queues.h"

namespace stretto {

/// Streams that other libraries, or a person's own code, have on the GPUs of this backend.
class CudaForeignQueues final : public ForeignQueues {
 public:
  /// `gpus`: of each device, as CUDA counts them.
  explicit CudaForeignQueues(std::vector<int> gpus) : gpus_(std::move(gpus)) {}

  int number(int device) const override { return gpus_.at(static_cast<std::size_t>(device)); }
  std::shared_ptr<Moment> mark(int device, void* queue) override;
  void wait(int device, void* queue, Moment& moment) override;

 private:
  std::vector<int> gpus_;
};

}  // namespace stretto
