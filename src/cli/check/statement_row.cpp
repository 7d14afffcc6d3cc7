#include "cli/check/statement_row.h"

#include <algorithm>

namespace stretto::cli {
namespace {

int find_row(std::string_view text) {
  const auto rows = statement_rows();
  return static_cast<int>(std::ranges::find(rows, text, &StatementRow::text) - rows.begin());
}

}  // namespace

std::span<const StatementRow> statement_rows() {
  static const std::vector<StatementRow> rows = [] {
    std::vector<StatementRow> all;
    for (const auto& family : {elementwise_rows(), axis_rows(), matrix_rows(), creation_rows(), view_rows(),
                               in_place_rows(), task_rows(), host_rows(), function_rows()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return rows;
}

int join_row() {
  static const int row = find_row("join");
  return row;
}

int call_row() {
  static const int row = find_row("call");
  return row;
}

int return_row() {
  static const int row = find_row("return x0");
  return row;
}

int see_row() {
  static const int row = find_row("book.see(number, x0)");
  return row;
}

}  // namespace stretto::cli
