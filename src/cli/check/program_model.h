#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cli/check/program.h"
#include "cli/check/statement_row.h"

namespace stretto::cli {

/// What is known of a program's variables at each of its statements without running it: shapes, types, devices, which
/// are views of each other, and which thread may use them up to the next join. It accepts only statements that are
/// right there, so that a program stays right when some are dropped.
class ProgramModel {
 public:
  ProgramModel(int variables, int threads);

  int variable_count() const { return static_cast<int>(variables_.size()); }
  const Variable& variable(int index) const { return variables_[static_cast<std::size_t>(index)]; }
  /// Whether the thread may use this variable: nobody else writes it, or its storage, before the next join.
  bool may_read(int thread, int variable) const;
  bool may_write(int thread, int variable) const;
  /// Whether the thread may give this variable another value.
  bool may_assign(int thread, int variable) const;

  /// The tensors and numbers of a statement.
  Places places_of(const Statement& statement) const;
  /// Takes the statement into account and returns true, or changes nothing where it does not fit.
  bool accept(const Statement& statement);
  /// What the last accepted statement gave; not defined where it has no result.
  const Variable& result() const { return result_; }

  /// The model inside of a call of a compiled function, before its statements: its own variables are there, too.
  ProgramModel inside(const Statement& call) const;
  /// Whether the statement, whose function is called at some place, is right in all its calls. One that is not right in
  /// the first call is left out of the function there, and what comes behind it must be right without it.
  bool is_kept(const Statement& statement) const;

  /// Elements of one tensor at most.
  static constexpr std::int64_t most_elements = 1 << 16;

 private:
  static constexpr int everybody = -1;

  /// A compiled function.
  struct Function {
    std::vector<Statement> statements;
    bool is_called = false;
  };

  bool allowed(const Statement& statement, const StatementRow& row) const;
  bool accept_here(const Statement& statement);
  bool accept_call(const Statement& call);
  void join(const Statement& statement);

  int threads_;
  int outer_count_;  ///< Of variables that no function has for itself.
  std::vector<Variable> variables_;
  std::vector<int> owners_;          ///< Of variables: a thread, or everybody, who may then only read.
  std::vector<int> storage_owners_;  ///< By storage: the number of the statement that made it.
  std::vector<bool> constant_;       ///< Of variables: a function has captured it, and would not see another value.
  std::vector<Function> functions_;
  Variable returned_;  ///< Inside of a call.
  Variable result_;
};

/// The program without the statements that are not right any more.
Program repaired(const Program& program);

}  // namespace stretto::cli
