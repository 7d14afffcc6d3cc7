#include "trace/writer.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <stretto/base/error.h>

#include "base/futex.h"
#include "base/thread.h"
#include "trace/collector.h"
#include "trace/event_text.h"
#include "trace/recording.h"

namespace stretto::trace {
namespace {

/// Between two looks at what threads have recorded, and between two values of a counter.
constexpr std::chrono::milliseconds between_looks{5};
/// What was written goes to the system so often, or when there is so much of it.
constexpr std::chrono::milliseconds between_flushes{200};
constexpr std::size_t most_unwritten = std::size_t{1} << 20;
/// So much memory for records is kept that nobody uses at the moment.
constexpr std::size_t kept_of_records = std::size_t{32} << 20;
/// So much of the run is read at once, in nanoseconds, so that what is known of its tasks stays in a cache.
constexpr std::int64_t usual_stretch = 3'000'000;
/// The same where there is work in order, of whose end it may be told some time later.
constexpr std::int64_t stretch_in_order = 20'000'000;
/// At least; more than two threads' clocks differ by.
constexpr std::int64_t shortest_stretch = 1'000'000;

std::atomic<Source*> source_of_process{nullptr};
constinit Finish finish_of_process = nullptr;

/// The command line, with blanks between its arguments.
std::string command() {
  std::string text;
  if (std::FILE* const file = std::fopen("/proc/self/cmdline", "rb")) {
    char part[512];
    while (const std::size_t count = std::fread(part, 1, sizeof part, file)) text.append(part, count);
    std::fclose(file);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& character : text)
    if (character == '\0') character = ' ';
  return text;
}

/// One recording, and its thread.
class Writer {
 public:
  explicit Writer(const std::string& path)
      : file_(path), begin_(clock_.nanoseconds(ticks())), collector_(file_, clock_, begin_) {}

  /// `streams` are those that the process has so far, and have been emptied. Throws Error, and leaves them, where no
  /// thread can be started.
  void begin(std::vector<std::unique_ptr<RecordStream>>& streams) {
    streams_.swap(streams);
    try {
      thread_ = Thread([this] { run(); });
    } catch (...) {
      streams_.swap(streams);
      throw;
    }
  }
  /// Ends the thread and gives the streams back.
  std::vector<std::unique_ptr<RecordStream>> finish() {
    stopping_.store(1, std::memory_order_release);
    futex_wake(stopping_);
    thread_.join();
    write_head();
    read_all();
    sample();
    read_all();
    collector_.end();
    return std::move(streams_);
  }
  /// Throws FileError.
  void close() { file_.close(); }
  void abandon() { file_.abandon(); }

 private:
  void run();
  void read_all();
  bool read_stretch();
  void write_head();
  void sample();

  EventFile file_;
  TickClock clock_;
  const std::int64_t begin_;
  Collector collector_;
  std::vector<std::unique_ptr<RecordStream>> streams_;
  bool has_head_ = false;
  std::int64_t read_until_ = 0;
  bool in_order_ = false;  ///< Work in order was read of the last time.
  std::atomic<std::uint32_t> stopping_{0};
  Thread thread_;
};

void Writer::run() {
  // It must not slow down what it tells of: whoever wakes up takes its core at once, which is not so at any niceness.
  const sched_param none{};
  sched_setscheduler(static_cast<pid_t>(syscall(SYS_gettid)), SCHED_IDLE, &none);
  SteadyClock::time_point flushed = SteadyClock::now(), sampled{};
  while (stopping_.load(std::memory_order_acquire) == 0) {
    bool is_more = false;
    // The first line says on which devices the run is: there is nothing to say before the engine is there.
    if (source_of_process.load(std::memory_order_acquire) != nullptr) {
      write_head();
      if (const SteadyClock::time_point moment = SteadyClock::now(); moment - sampled >= between_looks) {
        sample();
        sampled = moment;
      }
      is_more = read_stretch();
    }
    const SteadyClock::time_point moment = SteadyClock::now();
    if (file_.unwritten() >= most_unwritten || moment - flushed >= between_flushes) {
      file_.flush();
      flushed = moment;
      if (!is_more) RecordStream::trim(kept_of_records);
    }
    if (!is_more) futex_wait(stopping_, 0, between_looks);
  }
}

void Writer::read_all() {
  while (read_stretch()) {
  }
}

/// Reads all streams, but no further than some time behind their oldest record: what belongs to one task is read at
/// about the same time, however far the writer is behind. Whether there is more. Each time a little further than the
/// last time: where the end of a task was read, what was left before it is read by the next time, as the collector
/// relies on.
bool Writer::read_stretch() {
  clock_.adjust();
  for (RecordStream* made = RecordStream::take_made(); made != nullptr;) {
    RecordStream* const next = made->next_made();
    streams_.emplace_back(made);
    made = next;
  }
  const auto look_at = [&](RecordStream& stream) {
    const RecordHeader* const record = stream.next();
    if (record != nullptr) stream.moment = collector_.moment_of(*record).value_or(stream.moment);
    return record;
  };
  std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
  for (const std::unique_ptr<RecordStream>& stream : streams_)
    if (look_at(*stream) != nullptr) oldest = std::min(oldest, stream->moment);
  if (oldest != std::numeric_limits<std::int64_t>::max())
    read_until_ = std::max(read_until_ + shortest_stretch, oldest + (in_order_ ? stretch_in_order : usual_stretch));
  bool is_more = false;
  in_order_ = false;
  for (const std::unique_ptr<RecordStream>& stream : streams_) {
    while (look_at(*stream) != nullptr) {
      if (stream->moment > read_until_) {
        is_more = true;
        break;
      }
      const RecordHeader& record = *stream->read();
      in_order_ = in_order_ || record.kind == RecordKind::retirement;
      collector_.read(record, *stream);
    }
    if (file_.unwritten() >= most_unwritten) file_.flush();
  }
  collector_.end_pass();
  if (const std::uint64_t dropped = RecordStream::take_dropped()) collector_.events().write_dropped(now(), dropped);
  std::erase_if(streams_, [](const std::unique_ptr<RecordStream>& stream) { return stream->is_over(); });
  return is_more;
}

void Writer::write_head() {
  if (std::exchange(has_head_, true)) return;
  Source* const source = source_of_process.load(std::memory_order_acquire);
  std::string text = "{\"ph\":\"M\",\"name\":\"stretto\",\"pid\":1,\"tid\":0,\"args\":{\"format\":1,\"version\":";
  append_quoted(text, STRETTO_VERSION);
  text += ",\"engine\":";
  append_quoted(text, source == nullptr ? "none" : source->engine());
  text += ",\"command\":";
  append_quoted(text, command());
  text += ",\"devices\":[";
  if (source != nullptr) {
    for (const Source::DeviceNote& device : source->devices()) {
      if (text.back() != '[') text += ',';
      text += "{\"name\":";
      append_quoted(text, device.name);
      text += std::string(",\"") + device.unit + "\":" + std::to_string(device.count) + "}";
    }
  }
  text += "]}}";
  file_.write_event(text);
}

void Writer::sample() {
  Source* const source = source_of_process.load(std::memory_order_acquire);
  if (source == nullptr) return;
  const std::int64_t moment = now();
  for (const Source::Counter& counter : source->counters())
    collector_.events().write_counter(counter.name, counter.unit, moment, counter.value);
}

// --- The recording that is under way
// -------------------------------------------------------------------------------------

enum class State : int { idle, changing, recording };
std::atomic<State> state{State::idle};
std::atomic<std::uint64_t> sessions{0};
// Whoever changes the state has these.
Writer* writer = nullptr;
std::vector<std::unique_ptr<RecordStream>>& streams() {
  static auto& kept = *new std::vector<std::unique_ptr<RecordStream>>;
  return kept;
}

/// What was recorded too late for the recording before this one.
void discard_records() {
  for (RecordStream* made = RecordStream::take_made(); made != nullptr;) {
    RecordStream* const next = made->next_made();
    streams().emplace_back(made);
    made = next;
  }
  for (const std::unique_ptr<RecordStream>& stream : streams()) {
    while (stream->read() != nullptr) {
    }
    stream->track = 0;
    stream->section = 0;
    stream->calls.clear();
  }
  RecordStream::take_dropped();
}

}  // namespace

void set_source(Source& source) { source_of_process.store(&source, std::memory_order_release); }

void set_finish(Finish finish) { finish_of_process = finish; }

Finish finish() { return finish_of_process; }

std::uint64_t session_number() { return sessions.load(std::memory_order_relaxed); }

void start(const std::string& path) {
  State expected = State::idle;
  if (!state.compare_exchange_strong(expected, State::changing))
    throw UsageError("the timeline cannot be recorded to " + path + ": another recording is under way");
  try {
    auto made = std::make_unique<Writer>(path);
    discard_records();
    try {
      made->begin(streams());
    } catch (const Error& error) {
      throw Error("the timeline cannot be recorded to " + path + ": " + error.message());
    }
    writer = made.release();
  } catch (...) {
    state.store(State::idle);
    throw;
  }
  sessions.fetch_add(1, std::memory_order_relaxed);
  is_recording.store(true, std::memory_order_release);
  state.store(State::recording);
}

void stop() {
  State expected = State::recording;
  while (!state.compare_exchange_strong(expected, State::changing)) {
    if (expected == State::idle) return;
    // Another thread is about to be done.
    expected = State::recording;
    sleep_for(std::chrono::milliseconds(1));
  }
  is_recording.store(false, std::memory_order_relaxed);
  const std::unique_ptr<Writer> ended(std::exchange(writer, nullptr));
  streams() = ended->finish();
  RecordStream::trim(0);
  state.store(State::idle);
  ended->close();
}

void forget_after_fork() {
  if (state.exchange(State::idle) == State::idle) return;
  is_recording.store(false);
  // Its thread is gone, and may have been amid anything: it is left behind as it is.
  static auto& left_behind = *new std::vector<Writer*>;
  if (writer != nullptr) {
    writer->abandon();
    left_behind.push_back(std::exchange(writer, nullptr));
  }
  new (&streams()) std::vector<std::unique_ptr<RecordStream>>;
  RecordStream::forget_all();
}

}  // namespace stretto::trace
