#include "cli/check/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "cli/check/statement_row.h"

namespace stretto::cli {
namespace {

std::string device_text(Device device) {
  return fmt::format("Device(DeviceKind::{}, {})", name(device.kind()), device.index());
}

std::string dtype_text(DType dtype) {
  return fmt::format("DType::{}", dtype == DType::bool_ ? std::string_view("bool_") : name(dtype));
}

std::string variable_text(int variable, int outer_count) {
  return variable < outer_count ? fmt::format("t{}", variable) : fmt::format("u[{}]", variable - outer_count);
}

/// What stands in a statement for a word of its row.
std::string word_in(const Statement& statement, const std::string& word, int outer_count) {
  if (word == "number") return std::to_string(statement.number);
  if (word == "d0") return device_text(statement.device);
  if (word == "t0") return dtype_text(statement.dtype);
  if (word.size() != 2 || word[1] < '0' || word[1] > '3') return word;
  const auto index = static_cast<std::size_t>(word[1] - '0');
  if (word[0] == 'x') return variable_text(statement.x[index], outer_count);
  if (word[0] == 'n') return std::to_string(statement.n[index]);
  return word;
}

bool belongs_to_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string section_text(const Program& program, const Section& section) {
  std::vector<std::string> threads(static_cast<std::size_t>(program.threads));
  for (std::size_t i = section.begin; i < section.end; ++i) {
    const Statement& statement = program.statements[i];
    if (statement.function >= 0) continue;
    const char* indent = statement.thread > 0 ? "      " : "  ";
    threads[static_cast<std::size_t>(statement.thread)] += fmt::format("{}{};\n", indent, to_text(program, statement));
  }
  std::string begins, ends;
  for (std::size_t i = 1; i < threads.size(); ++i) {
    if (threads[i].empty()) continue;
    begins += fmt::format("    ScheduledThread thread{}([&] {{\n{}    }});\n", i, threads[i]);
    ends += fmt::format("    thread{}.join();\n", i);
  }
  if (begins.empty()) return threads[0];
  return fmt::format("  {{\n{}{}{}  }}\n", begins, threads[0], ends);
}

bool is_called(const Program& program, int function) {
  return std::ranges::any_of(program.statements, [function](const Statement& statement) {
    return statement.row == call_row() && statement.n[0] == function;
  });
}

std::string function_text(const Program& program, int function) {
  std::string text =
      fmt::format("  check::Function f{}([&](const Tensor& a, const Tensor& b) -> Tensor {{\n", function);
  text += fmt::format("    std::array<Tensor, {}> u{{a, b}};\n", local_count);
  bool returns = false;
  for (const Statement& statement : program.statements) {
    if (statement.function != function) continue;
    text += fmt::format("    {};\n", to_text(program, statement));
    returns = returns || statement.row == return_row();
  }
  if (!returns) text += "    return Tensor();\n";
  return text + "  });\n";
}

/// Whether an expression makes tensors besides its value. When they are freed is part of what the checker saw: before
/// the value is assigned, where a statement of C++ would free them behind that.
bool makes_more(std::string_view row) {
  const std::size_t call = row.find('(');
  if (call == std::string_view::npos) return false;
  const std::string_view inside = row.substr(call);
  return inside.find(").values") != std::string_view::npos || inside.find(" % ") != std::string_view::npos ||
         inside.find("(sum(") != std::string_view::npos;
}

}  // namespace

std::string to_text(const Program& program, const Statement& statement) {
  if (statement.row == call_row())
    return fmt::format("t{} = f{}(t{}, t{})", statement.result, statement.n[0], statement.x[0], statement.x[1]);
  const std::string_view row = statement_rows()[static_cast<std::size_t>(statement.row)].text;
  const bool apart = statement.result >= 0 && makes_more(row);
  std::string text =
      statement.result >= 0 ? fmt::format("{} = ", variable_text(statement.result, program.variables)) : "";
  if (apart) text += "check::of([&] { return ";
  for (std::size_t i = 0; i < row.size();) {
    std::size_t end = i;
    while (end < row.size() && belongs_to_word(row[end])) ++end;
    if (end == i) {
      text += row[i++];
    } else {
      text += word_in(statement, std::string(row.substr(i, end - i)), program.variables);
      i = end;
    }
  }
  return apart ? text + "; })" : text;
}

std::string to_source(const Program& program, std::string_view comment) {
  constexpr std::string_view once = "#pragma once\n\n";
  std::string bodies(bodies_text);
  bodies.erase(bodies.find(once), once.size());
  std::string statements;
  for (const Section& section : sections_of(program)) statements += section_text(program, section);
  std::string variables;
  for (int i = 0; i < program.variables; ++i) variables += fmt::format("{}t{}", i > 0 ? ", " : "", i);
  std::string functions;
  std::string drops;
  for (int i = 0; i < program.variables; ++i) drops += fmt::format("  t{} = Tensor();\n", i);
  for (int i = 0; i < program.functions; ++i) {
    if (!is_called(program, i)) continue;
    functions += function_text(program, i);
    drops += fmt::format("  f{}.drop();\n", i);
  }
  return fmt::format(
      "{}\n{}\nusing namespace stretto;\n\nint main() {{\n  reseed_schedule({}u);\n  check::Log book({});\n  Tensor "
      "{};\n{}{}{}"
      "  book.wait_all({});\n  book.finish();\n  book.print();\n}}\n",
      comment, bodies, program.schedule, program.numbers + 1, variables, functions, statements, drops, program.numbers);
}

}  // namespace stretto::cli
