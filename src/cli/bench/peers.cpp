#include "cli/bench/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <stretto/base/error.h>

#include "cli/child_process.h"

namespace stretto::cli {
namespace {

struct Peer {
  const char* name;
  std::int64_t most_tasks;
};

// What is left of a second or two a sample.
constexpr Peer peers[] = {{"openmp", 1'000'000}, {"tbb", 1'000'000}, {"starpu", 100'000}};
constexpr int most_samples = 3;

double nanoseconds_a_task(const std::string& program, const std::string& figure, std::int64_t count) {
  ChildProcess child({program, figure.substr(figure.find('.') + 1), std::to_string(count), "1"});
  const std::optional<std::string> line = child.read_line();
  if (child.wait() != 0 || !line) throw Error(fmt::format("{}: {} failed", figure, program));
  return std::strtod(line->c_str(), nullptr);
}

}  // namespace

void bench_peers(BenchRun& run, const std::string& figure, std::int64_t count) {
  const std::filesystem::path folder = std::filesystem::path(own_program()).parent_path() / "peers";
  for (const Peer& peer : peers) {
    const std::string program = folder / fmt::format("tasks.{}", peer.name);
    if (!std::filesystem::exists(program)) continue;
    const std::string name = fmt::format("{}.{}", figure, peer.name);
    const auto measure = [&] { return nanoseconds_a_task(program, figure, std::min(count, peer.most_tasks)); };
    run.report(name, "ns", run.collect(name, measure, std::min(run.options().repeat, most_samples)));
  }
}

}  // namespace stretto::cli
