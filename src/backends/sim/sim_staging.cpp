#include "backends/sim/sim_staging.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "backends/sim/sim_model.h"
#include "backends/sim/sim_protection.h"

namespace stretto {

SimTime sim_move(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double rate, bool dry,
                 bool late) {
  SimTime end = begin + SimModel::copy_time(bytes, rate);
  if (late) {
    sim_sleep_until(end);
    begin = end;
  }
  if (!dry) {
    const SimTime started = sim_now();
    std::memcpy(to, from, bytes);
    end = std::max(end, begin + (sim_now() - started));
  }
  sim_sleep_until(end);
  return end;
}

void SimStaging::begin_stop() {
  const MutexLock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void SimStaging::stop() {
  begin_stop();
  if (runner_.joinable()) runner_.join();
}

SimTime SimStaging::out(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double lane_rate,
                        StagingEnd end) {
  prepare();
  SimTime moment = begin;
  for (std::size_t offset = 0; offset < bytes; offset += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, bytes - offset);
    const std::uint64_t number = ++last_;
    if (number > chunk_count && !await(&SimStaging::thread_, number - chunk_count, moment)) return moment;
    moment = sim_move(chunk_of(number), from + offset, size, moment, lane_rate, dry_);
    push({to + offset, size, number, moment, end, true});
  }
  await(&SimStaging::thread_, last_, moment);
  return moment;
}

SimTime SimStaging::in(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double lane_rate,
                       StagingEnd end) {
  prepare();
  SimTime moment = begin;
  std::uint64_t number = last_;
  for (std::size_t offset = 0; offset < bytes; offset += chunk_bytes)
    push({const_cast<std::byte*>(from) + offset, std::min(chunk_bytes, bytes - offset), ++last_, begin, end, false});
  for (std::size_t offset = 0; offset < bytes; offset += chunk_bytes) {
    if (!await(&SimStaging::thread_, ++number, moment)) return moment;
    moment = sim_move(to + offset, chunk_of(number), std::min(chunk_bytes, bytes - offset), moment, lane_rate, dry_);
    advance(&SimStaging::lane_, number, moment);
  }
  return moment;
}

void SimStaging::prepare() {
  if (chunks_ == nullptr) chunks_ = std::make_unique_for_overwrite<std::byte[]>(chunk_count * chunk_bytes);
  const MutexLock lock(mutex_);
  if (!runner_.joinable() && !stopping_) runner_ = SimThread([this] { run(); });
}

void SimStaging::push(const Piece& piece) {
  const MutexLock lock(mutex_);
  pieces_.push_back(piece);
  // Chunks that the lane fills are done with by the lane once they are handed over.
  if (piece.outward) {
    lane_.number = piece.number;
    lane_.moments[piece.number % chunk_count] = piece.ready;
  }
  changed_.notify_all();
}

void SimStaging::run() {
  while (true) {
    std::optional<Piece> piece;
    {
      MutexLock lock(mutex_);
      while (pieces_.empty() && !stopping_) changed_.wait(lock);
      if (stopping_) return;
      piece = pieces_.front();
      pieces_.pop_front();
    }
    perform(*piece);
  }
}

void SimStaging::perform(const Piece& piece) {
  SimTime begin = std::max(thread_moment_, piece.ready);
  if (!piece.outward && piece.number > chunk_count && !await(&SimStaging::lane_, piece.number - chunk_count, begin))
    return;
  delays_.dawdle();
  std::optional<SimAccess> access;
  if (piece.end.on_device) access.emplace();
  std::byte* const chunk = chunk_of(piece.number);
  thread_moment_ = piece.outward ? sim_move(piece.host, chunk, piece.bytes, begin, piece.end.rate, dry_)
                                 : sim_move(chunk, piece.host, piece.bytes, begin, piece.end.rate, dry_);
  advance(&SimStaging::thread_, piece.number, thread_moment_);
}

/// Blocks until the other end is done with the chunk, and makes `moment` no earlier than that. False where the copy is
/// to be given up.
bool SimStaging::await(Progress SimStaging::* progress, std::uint64_t number, SimTime& moment) {
  MutexLock lock(mutex_);
  while ((this->*progress).number < number && !stopping_) changed_.wait(lock);
  if (stopping_) return false;
  moment = std::max(moment, (this->*progress).moments[number % chunk_count]);
  return true;
}

void SimStaging::advance(Progress SimStaging::* progress, std::uint64_t number, SimTime moment) {
  const MutexLock lock(mutex_);
  (this->*progress).number = number;
  (this->*progress).moments[number % chunk_count] = moment;
  changed_.notify_all();
}

}  // namespace stretto
