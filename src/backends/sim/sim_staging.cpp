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

SimStaging::SimStaging(bool dry, int threads, std::optional<std::uint64_t> delay_seed)
    : dry_(dry), chunk_count_(std::max(least_chunks, chunks_a_thread * static_cast<std::uint64_t>(threads))) {
  for (int thread = 0; thread < threads; ++thread) {
    copiers_.emplace_back(delay_seed);
    if (delay_seed) ++*delay_seed;
  }
  lane_ = thread_ = {std::vector<std::uint64_t>(chunk_count_), std::vector<SimTime>(chunk_count_)};
}

void SimStaging::begin_stop() {
  const MutexLock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void SimStaging::stop() {
  begin_stop();
  for (Copier& copier : copiers_)
    if (copier.thread.joinable()) copier.thread.join();
}

SimTime SimStaging::out(std::byte* to, const std::byte* from, std::size_t bytes, SimTime begin, double lane_rate,
                        StagingEnd end) {
  prepare();
  SimTime moment = begin;
  const std::uint64_t before = last_;
  for (std::size_t offset = 0; offset < bytes; offset += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, bytes - offset);
    const std::uint64_t number = ++last_;
    if (number > chunk_count_ && !await(&SimStaging::thread_, number - chunk_count_, moment)) return moment;
    moment = sim_move(chunk_of(number), from + offset, size, moment, lane_rate, dry_);
    push({to + offset, size, number, moment, end, true});
  }
  // The earlier pieces of a chunk are done when its last one is.
  for (std::uint64_t left = std::min(last_ - before, chunk_count_); left > 0; --left)
    if (!await(&SimStaging::thread_, last_ - left + 1, moment)) return moment;
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
  if (chunks_ == nullptr) chunks_ = std::make_unique_for_overwrite<std::byte[]>(chunk_count_ * chunk_bytes);
  const MutexLock lock(mutex_);
  for (Copier& copier : copiers_)
    if (!copier.thread.joinable() && !stopping_) copier.thread = SimThread([this, &copier] { run(copier); });
}

void SimStaging::push(const Piece& piece) {
  const MutexLock lock(mutex_);
  // The other end is one device's copy engine, or the cores of the host.
  copiers_[piece.end.on_device ? 0 : piece.number % copiers_.size()].pieces.push_back(piece);
  // Chunks that the lane fills are done with by the lane once they are handed over.
  if (piece.outward) {
    lane_.numbers[piece.number % chunk_count_] = piece.number;
    lane_.moments[piece.number % chunk_count_] = piece.ready;
  }
  changed_.notify_all();
}

void SimStaging::run(Copier& copier) {
  while (true) {
    std::optional<Piece> piece;
    {
      MutexLock lock(mutex_);
      while (copier.pieces.empty() && !stopping_) changed_.wait(lock);
      if (stopping_) return;
      piece = copier.pieces.front();
      copier.pieces.pop_front();
    }
    perform(copier, *piece);
  }
}

void SimStaging::perform(Copier& copier, const Piece& piece) {
  SimTime begin = std::max(copier.moment, piece.ready);
  if (!piece.outward && piece.number > chunk_count_ && !await(&SimStaging::lane_, piece.number - chunk_count_, begin))
    return;
  copier.delays.dawdle();
  std::optional<SimAccess> access;
  if (piece.end.on_device) access.emplace();
  std::byte* const chunk = chunk_of(piece.number);
  copier.moment = piece.outward ? sim_move(piece.host, chunk, piece.bytes, begin, piece.end.rate, dry_)
                                : sim_move(chunk, piece.host, piece.bytes, begin, piece.end.rate, dry_);
  advance(&SimStaging::thread_, piece.number, copier.moment);
}

/// Blocks until the other end is done with the chunk, and makes `moment` no earlier than that. False where the copy is
/// to be given up.
bool SimStaging::await(Progress SimStaging::* progress, std::uint64_t number, SimTime& moment) {
  MutexLock lock(mutex_);
  const std::size_t chunk = number % chunk_count_;
  while ((this->*progress).numbers[chunk] < number && !stopping_) changed_.wait(lock);
  if (stopping_) return false;
  moment = std::max(moment, (this->*progress).moments[chunk]);
  return true;
}

void SimStaging::advance(Progress SimStaging::* progress, std::uint64_t number, SimTime moment) {
  const MutexLock lock(mutex_);
  (this->*progress).numbers[number % chunk_count_] = number;
  (this->*progress).moments[number % chunk_count_] = moment;
  changed_.notify_all();
}

}  // namespace stretto
