#include "cli/check/program.h"

#include "cli/check/statement_row.h"

namespace stretto::cli {

std::vector<Section> sections_of(const Program& program) {
  std::vector<Section> sections;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= program.statements.size(); ++i) {
    if (i < program.statements.size() && program.statements[i].row != join_row()) continue;
    if (i > begin) sections.push_back({begin, i});
    begin = i + 1;
  }
  return sections;
}

}  // namespace stretto::cli
