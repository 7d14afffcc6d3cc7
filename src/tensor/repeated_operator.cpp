#include "tensor/repeated_operator.h"

#include <array>
#include <cstring>
#include <vector>

#include "kernels/element_pass.h"
#include "kernels/kernel_cost.h"

namespace stretto {
namespace {

/// One output, and every operand's rows simple: what is transposed goes better through a plan of its own.
bool can_be_step(const OperatorRecord& record) {
  const std::span<const Array> arrays = record.arrays();
  const KernelIsElementwise is_elementwise = record.kernel().elementwise.load(std::memory_order_acquire);
  if (is_elementwise == nullptr || record.output_count() != 1 || arrays.size() < 2 ||
      arrays.size() > ElementPass::max_operands || arrays.front().numel() == 0 ||
      !is_elementwise({arrays.first(1), arrays.subspan(1), record.parameters()}))
    return false;
  const ElementWalk output(arrays.front());
  for (const Array& array : arrays) {
    const ElementWalk walk(array);
    if (!walk.has_same_extents(output) || !walk.has_simple_rows()) return false;
  }
  return output.rank == 0 || output.strides[output.rank - 1] == 1;
}

/// Several operators as one pass.
class JoinedOperators final : public RepeatableBody {
 public:
  JoinedOperators(std::unique_ptr<const ElementPass> pass, std::unique_ptr<const ElementPassProgram> program)
      : pass_(std::move(pass)), program_(std::move(program)) {}

  Readiness readiness() const override { return program_->readiness(); }

  void run(BodyContext& context, const RunSeed*) const override {
    std::array<std::byte*, ElementPass::max_addresses> addresses;
    for (std::size_t access = 0; access < context.access_count(); ++access) addresses[access] = context.data(access);
    if (KernelMeter* const meter = context.kernels().meter();
        meter != nullptr && !begin_pass(*meter, *pass_, addresses.data()))
      return;
    program_->run(addresses.data(), context.kernels());
  }

 private:
  const std::unique_ptr<const ElementPass> pass_;
  const std::unique_ptr<const ElementPassProgram> program_;
};
static_assert(ElementPass::max_steps >= PassStep::max_members && ElementPass::max_addresses >= PassStep::max_accesses);

}  // namespace

RepeatedOperator::RepeatedOperator(OperatorRecord::Owner record)
    : record_(std::move(record)), is_step_(can_be_step(*record_)) {}

std::string RepeatedOperator::difference(const RepeatableBody& other) const {
  const auto* const operation = dynamic_cast<const RepeatedOperator*>(&other);
  if (operation == nullptr || &operation->record_->kernel() != &record_->kernel()) return "another kernel";
  const std::span<const Array> own = record_->arrays(), others = operation->record_->arrays();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!own[i].constant) continue;
    if (own[i].dtype != others[i].dtype || std::memcmp(own[i].data, others[i].data, item_size(own[i].dtype)) != 0)
      return "another number";
  }
  return {};
}

bool RepeatedOperator::walks_like(const PassStep& other) const {
  const OperatorRecord& their_record = *static_cast<const RepeatedOperator&>(other).record_;
  return ElementWalk(record_->arrays().front()).has_same_extents(ElementWalk(their_record.arrays().front()));
}

bool RepeatedOperator::meets(std::size_t access, const PassStep& other, std::size_t other_access) const {
  const OperatorRecord& their_record = *static_cast<const RepeatedOperator&>(other).record_;
  const std::span<const Array> ours = record_->arrays(), theirs = their_record.arrays();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].constant || record_->access_of(i) != access) continue;
    const ElementWalk walk(ours[i]);
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      if (theirs[k].constant || their_record.access_of(k) != other_access) continue;
      if (ours[i].dtype != theirs[k].dtype || ours[i].data != theirs[k].data ||
          !walk.has_same_strides(ElementWalk(theirs[k])))
        return false;
    }
  }
  return true;
}

bool RepeatedOperator::is_all_of(std::size_t bytes, std::size_t access) const {
  const std::span<const Array> arrays = record_->arrays();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].constant || record_->access_of(i) != access) continue;
    if (arrays[i].data != nullptr || !ElementWalk(arrays[i]).is_dense() ||
        static_cast<std::size_t>(arrays[i].numel()) * item_size(arrays[i].dtype) != bytes)
      return false;
  }
  return true;
}

std::shared_ptr<const RepeatableBody> RepeatedOperator::join(std::span<const Member> members, Device device) const {
  const ElementPassMaker make_program = element_pass_maker(device.kind());
  if (make_program == nullptr) return nullptr;
  std::vector<std::vector<std::int32_t>> places;
  std::vector<ElementPass::Call> calls;
  for (const Member& member : members) {
    const OperatorRecord& record = *static_cast<const RepeatedOperator&>(*member.step).record_;
    std::vector<std::int32_t>& of_arrays = places.emplace_back();
    for (std::size_t i = 0; i < record.arrays().size(); ++i)
      of_arrays.push_back(record.arrays()[i].constant ? 0 : member.places[record.access_of(i)]);
    calls.push_back({.name = member.name,
                     .site = member.site,
                     .kernel = &record.kernel(),
                     .parameters = record.parameters(),
                     .arrays = record.arrays(),
                     .places = of_arrays});
  }
  std::unique_ptr<const ElementPass> pass = ElementPass::make(calls);
  if (pass == nullptr) return nullptr;
  std::unique_ptr<const ElementPassProgram> program = make_program(*pass, device.index());
  return program == nullptr ? nullptr : std::make_shared<JoinedOperators>(std::move(pass), std::move(program));
}

}  // namespace stretto
