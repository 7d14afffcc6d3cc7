#include "cli/check/program_model.h"

#include <algorithm>

namespace stretto::cli {

ProgramModel::ProgramModel(int variables, int threads)
    : threads_(threads),
      outer_count_(variables),
      variables_(static_cast<std::size_t>(variables)),
      owners_(static_cast<std::size_t>(variables)),
      constant_(static_cast<std::size_t>(variables)) {}

bool ProgramModel::may_read(int thread, int variable) const {
  const Variable& x = variables_[static_cast<std::size_t>(variable)];
  const auto ours = [thread](int owner) { return owner == everybody || owner == thread; };
  return x.defined() && ours(owners_[static_cast<std::size_t>(variable)]) &&
         ours(storage_owners_[static_cast<std::size_t>(x.storage)]);
}

bool ProgramModel::may_write(int thread, int variable) const {
  return may_read(thread, variable) &&
         storage_owners_[static_cast<std::size_t>(variables_[static_cast<std::size_t>(variable)].storage)] == thread;
}

bool ProgramModel::may_assign(int thread, int variable) const {
  return owners_[static_cast<std::size_t>(variable)] == thread && !constant_[static_cast<std::size_t>(variable)];
}

Places ProgramModel::places_of(const Statement& statement) const {
  Places places;
  for (std::size_t i = 0; i < places.x.size(); ++i) {
    if (statement.x[i] >= 0) places.x[i] = variable(statement.x[i]);
  }
  places.n = statement.n;
  places.device = statement.device;
  places.dtype = statement.dtype;
  return places;
}

bool ProgramModel::allowed(const Statement& statement, const StatementRow& row) const {
  if (row.has_result != (statement.result >= 0)) return false;
  if (row.has_result && !may_assign(statement.thread, statement.result)) return false;
  for (std::size_t i = 0; i < statement.x.size(); ++i) {
    if ((statement.x[i] >= 0) != (i < row.accesses.size())) return false;
    if (statement.x[i] < 0) continue;
    const bool writes = row.accesses[i] == 'w' || row.accesses[i] == 'u';
    if (!may_read(statement.thread, statement.x[i])) return false;
    if (writes && !may_write(statement.thread, statement.x[i])) return false;
    if (!row.crosses && variable(statement.x[i]).device != variable(statement.x[0]).device) return false;
  }
  return true;
}

bool ProgramModel::accept(const Statement& statement) {
  if (statement.function >= 0) {
    functions_.resize(std::max(functions_.size(), static_cast<std::size_t>(statement.function) + 1));
    functions_[static_cast<std::size_t>(statement.function)].statements.push_back(statement);
    return true;
  }
  if (statement.row == join_row()) {
    join(statement);
    return true;
  }
  return statement.row == call_row() ? accept_call(statement) : accept_here(statement);
}

ProgramModel ProgramModel::inside(const Statement& call) const {
  ProgramModel model = *this;
  const std::size_t count = variables_.size() + local_count;
  model.variables_.resize(count);
  model.owners_.resize(count, call.thread);
  model.constant_.resize(count);
  for (std::size_t i = 0; i < argument_count; ++i) model.variables_[variables_.size() + i] = variable(call.x[i]);
  return model;
}

bool ProgramModel::accept_call(const Statement& call) {
  functions_.resize(std::max(functions_.size(), static_cast<std::size_t>(call.n[0]) + 1));
  Function& function = functions_[static_cast<std::size_t>(call.n[0])];
  if (!allowed(call, statement_rows()[static_cast<std::size_t>(call.row)])) return false;
  if (variable(call.x[0]).device != call.device) return false;
  ProgramModel model = inside(call);
  std::vector<Statement> kept;
  std::vector<bool> constant = constant_;
  for (Statement statement : function.statements) {
    statement.thread = call.thread;
    if (model.accept_here(statement)) {
      kept.push_back(statement);
      for (const int x : statement.x)
        if (x >= 0 && x < outer_count_) constant[static_cast<std::size_t>(x)] = true;
    } else if (function.is_called) {
      return false;
    }
  }
  if (constant[static_cast<std::size_t>(call.result)]) return false;
  function = {std::move(kept), true};
  constant_ = std::move(constant);
  result_ = model.returned_;
  const auto made_there = [&](const Statement& statement) { return statement.number == result_.storage; };
  if (result_.defined() && std::ranges::any_of(function.statements, made_there)) {
    result_.storage = call.number;
    storage_owners_.resize(std::max(storage_owners_.size(), static_cast<std::size_t>(call.number) + 1));
    storage_owners_[static_cast<std::size_t>(call.number)] = call.thread;
  }
  variables_[static_cast<std::size_t>(call.result)] = result_;
  return true;
}

bool ProgramModel::is_kept(const Statement& statement) const {
  const Function& function = functions_[static_cast<std::size_t>(statement.function)];
  return function.is_called && std::ranges::count(function.statements, statement.number, &Statement::number) > 0;
}

bool ProgramModel::accept_here(const Statement& statement) {
  const StatementRow& row = statement_rows()[static_cast<std::size_t>(statement.row)];
  if (!allowed(statement, row)) return false;
  const Places places = places_of(statement);
  Variable result;
  result.storage = statement.number;
  if (!row.accesses.empty()) {
    result.geometry = geometry::contiguous(places.x[0].shape());
    result.dtype = places.x[0].dtype;
    result.device = places.x[0].device;
  }
  if (!row.fits(places, result) || result.geometry.shape.numel() > most_elements) return false;
  result_ = row.has_result ? result : Variable();
  if (statement.row == return_row()) returned_ = places.x[0];
  if (!row.has_result) return true;
  if (result.storage == statement.number) {
    storage_owners_.resize(std::max(storage_owners_.size(), static_cast<std::size_t>(statement.number) + 1));
    storage_owners_[static_cast<std::size_t>(statement.number)] = statement.thread;
  }
  variables_[static_cast<std::size_t>(statement.result)] = result;
  return true;
}

/// Deals the storages out among the threads, a quarter of them to everybody. By their numbers, so that it is the same
/// when statements are dropped.
void ProgramModel::join(const Statement& statement) {
  const auto deal = [&](std::uint64_t number) {
    const std::uint64_t hash = check::mix(static_cast<std::uint64_t>(statement.n[0]), number) >> 8;
    return hash % 4 == 0 ? everybody : static_cast<int>((hash / 4) % static_cast<std::uint64_t>(threads_));
  };
  for (std::size_t i = 0; i < storage_owners_.size(); ++i) storage_owners_[i] = deal(i);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& x = variables_[i];
    owners_[i] = x.defined() ? storage_owners_[static_cast<std::size_t>(x.storage)] : static_cast<int>(i) % threads_;
  }
}

Program repaired(const Program& program) {
  Program result = program;
  result.statements.clear();
  ProgramModel model(program.variables, program.threads);
  for (const Statement& statement : program.statements) {
    if (model.accept(statement)) result.statements.push_back(statement);
  }
  std::erase_if(result.statements,
                [&](const Statement& statement) { return statement.function >= 0 && !model.is_kept(statement); });
  return result;
}

}  // namespace stretto::cli
