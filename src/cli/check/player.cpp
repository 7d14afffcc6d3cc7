#include "cli/check/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include <stretto/base/error.h>
#include <stretto/base/schedule.h>

#include "cli/check/edge_counts.h"
#include "cli/check/generator.h"
#include "cli/check/random.h"
#include "cli/check/runner.h"

namespace stretto::cli {

Way serial_way() { return {"serial", {{"STRETTO_ENGINE", "serial"}, {"STRETTO_SCHEDULE", ""}}}; }

Way threads_way(std::uint64_t seed) {
  Random random(seed);
  const std::int64_t workers = random.draw(1, 8), streams = random.draw(1, 4);
  const std::string schedule = random.happens(0.7) ? fmt::format("random:{}", random.draw(0, 999999)) : "";
  const std::string inflight = random.happens(0.2) ? std::to_string(random.draw(1, 16)) : "";
  return {"threads",
          {{"STRETTO_ENGINE", "parallel"},
           {"STRETTO_WORKERS", std::to_string(workers)},
           {"STRETTO_STREAMS", std::to_string(streams)},
           {"STRETTO_SCHEDULE", schedule},
           {"STRETTO_REPLAY", "on"},
           {"STRETTO_MAX_INFLIGHT", inflight}}};
}

Way deterministic_way(std::uint64_t seed) {
  Way way = threads_way(seed);
  way.name = "deterministic";
  for (auto& [name, value] : way.variables)
    if (name == "STRETTO_SCHEDULE") value = fmt::format("deterministic:{}", seed + 1);
  return way;
}

std::string to_text(const Way& way) {
  std::string text;
  for (const auto& [name, value] : way.variables) {
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

Player::Player(Way way, std::span<const Device> devices, std::string wrong) : way_(std::move(way)) {
  arguments_ = {own_program(), "helper", "check"};
  for (const Device device : devices) arguments_.insert(arguments_.end(), {"--device", to_string(device)});
  if (!wrong.empty()) arguments_.insert(arguments_.end(), {"--wrong", std::move(wrong)});
}

void Player::begin(const Program& program) {
  if (!process_) process_ = std::make_unique<ChildProcess>(arguments_, way_.variables);
  std::string line = fmt::format("{} {}", program.seed, program.schedule);
  for (const Statement& statement : program.statements) line += fmt::format(" {}", statement.number);
  try {
    process_->write_line(line);
  } catch (const Error&) {
    // It has ended before; `finish` finds out how.
  }
}

Outcome Player::finish() {
  const bool answers = process_->has_line(patience);
  const auto line = answers ? process_->read_line() : std::nullopt;
  if (line) {
    if (way_.is_deterministic()) abandon();
    const nlohmann::json seen = nlohmann::json::parse(*line);
    return {seen.at("lines").get<std::vector<std::string>>(),
            {},
            seen.at("decisions").get<std::uint64_t>(),
            EdgeTally{seen.at("edges").get<decltype(EdgeTally::counts)>()}};
  }
  if (!answers) process_->kill();
  const int code = process_->wait();
  process_.reset();
  return {{},
          answers ? fmt::format("its process ended with {}", code)
                  : fmt::format("it was not done after {} seconds", patience),
          0,
          {}};
}

void Player::abandon() {
  process_->kill();
  process_->wait();
  process_.reset();
}

namespace {

/// What was counted beyond `known`, which it is added to.
decltype(EdgeTally::counts) take_new(EdgeTally& known) {
  const EdgeTally all = edge_tally();
  EdgeTally fresh;
  for_each_edge_kind([&](EdgeKind kind) {
    fresh.at(kind.hazard, kind.crossing) = all.at(kind.hazard, kind.crossing) - known.at(kind.hazard, kind.crossing);
  });
  known = all;
  return fresh.counts;
}

}  // namespace

int serve_programs(const std::vector<std::string>& devices, const std::string& wrong) {
  // The runtime is left alone until the first program begins: a printed program has done nothing before, either.
  std::vector<Device> chosen;
  for (const std::string& name : devices) chosen.push_back(Device::parse(name));
  count_edges(true);
  EdgeTally counted;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::uint64_t seed = 0;
    std::uint64_t schedule = 0;
    words >> seed >> schedule;
    Program program = generate_program(seed, chosen);
    program.schedule = schedule;
    std::vector<Statement> kept;
    auto next = program.statements.begin();
    for (int number = 0; words >> number;) {
      next = std::find_if(next, program.statements.end(),
                          [&](const Statement& statement) { return statement.number == number; });
      if (next == program.statements.end()) return 2;
      kept.push_back(*next++);
    }
    program.statements = std::move(kept);
    nlohmann::json seen;
    seen["lines"] = run_program(program, wrong);
    seen["decisions"] = schedule_hash();
    seen["edges"] = take_new(counted);
    fmt::print("{}\n", seen.dump());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace stretto::cli
