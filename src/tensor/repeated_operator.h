#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "engine/pass_step.h"
#include "engine/repeatable_body.h"
#include "tensor/operator_record.h"

namespace stretto {

/// A submitted operator that may run again, and where it is elementwise as a part of a pass.
class RepeatedOperator final : public RepeatableBody, private PassStep {
 public:
  explicit RepeatedOperator(OperatorRecord::Owner record);

  void run(BodyContext& context, const RunSeed*) const override { record_->run(context); }
  std::string operands() const override { return record_->describe_operands(); }
  std::string difference(const RepeatableBody& other) const override;
  /// Whether it does what an operator with this record does.
  bool is_same(const OperatorRecord& record) const { return record_->is_same(record); }
  const PassStep* step() const override { return is_step_ ? this : nullptr; }

 private:
  // PassStep.
  std::size_t output() const override { return record_->access_of(0); }
  bool walks_like(const PassStep& other) const override;
  bool meets(std::size_t access, const PassStep& other, std::size_t other_access) const override;
  bool is_all_of(std::size_t bytes, std::size_t access) const override;
  std::shared_ptr<const RepeatableBody> join(std::span<const Member> members, Device device) const override;

  const OperatorRecord::Owner record_;
  const bool is_step_;
};

}  // namespace stretto
