#include "trace/recording.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <stretto/base/error.h>

#include "base/fork.h"
#include "base/mutex.h"
#include "base/thread.h"

namespace stretto::trace {
namespace {

/// One thread's records. The lock is the thread's own except while a snapshot is taken.
struct Buffer {
  Mutex mutex;
  Track track STRETTO_GUARDED_BY(mutex);
};

struct Buffers {
  Buffers() { hold_across_fork(mutex); }

  Mutex mutex;
  std::vector<std::unique_ptr<Buffer>> all STRETTO_GUARDED_BY(mutex);
};

std::atomic<bool> recording{false};
std::atomic<std::uint64_t> dropped_records{0};

Buffers& buffers() {
  // Leaked: threads record until the process is gone.
  static Buffers& instance = *new Buffers;
  return instance;
}

Buffer& own_buffer() {
  static thread_local Buffer* own = nullptr;
  if (own == nullptr) {
    auto fresh = std::make_unique<Buffer>();
    own = fresh.get();
    Buffers& shared = buffers();
    const MutexLock lock(shared.mutex);
    {
      const MutexLock track_lock(own->mutex);
      own->track.name = "thread " + std::to_string(shared.all.size());
    }
    shared.all.push_back(std::move(fresh));
  }
  return *own;
}

/// JSON's escapes: quotes, backslashes and control characters. Other bytes pass if they are valid UTF-8, else as
/// U+FFFD.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      if (byte == '"' || byte == '\\') {
        result += '\\';
        result += text[i];
      } else if (byte < 0x20 || byte == 0x7f) {
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", byte);
        result += code;
      } else {
        result += text[i];
      }
      ++i;
      continue;
    }
    const std::size_t length = byte >= 0xc2 && byte < 0xe0   ? 2
                               : byte >= 0xe0 && byte < 0xf0 ? 3
                               : byte >= 0xf0 && byte < 0xf5 ? 4
                                                             : 0;
    bool valid = length > 0 && i + length <= text.size();
    for (std::size_t j = 1; valid && j < length; ++j) valid = (static_cast<unsigned char>(text[i + j]) & 0xc0) == 0x80;
    if (valid) {
      result += text.substr(i, length);
      i += length;
    } else {
      result += "\xef\xbf\xbd";
      ++i;
    }
  }
  return result;
}

}  // namespace

bool enabled() { return recording.load(std::memory_order_relaxed); }
void enable(bool on) { recording.store(on, std::memory_order_relaxed); }

std::int64_t now() { return nanoseconds_now(); }

void name_thread(std::string name) {
  Buffer& buffer = own_buffer();
  const MutexLock lock(buffer.mutex);
  buffer.track.name = std::move(name);
}

void record(const TaskRecord& record) {
  Buffer& buffer = own_buffer();
  const MutexLock lock(buffer.mutex);
  if (buffer.track.records.size() < track_capacity) {
    buffer.track.records.push_back(record);
  } else {
    dropped_records.fetch_add(1, std::memory_order_relaxed);
  }
}

std::vector<Track> snapshot() {
  Buffers& shared = buffers();
  const MutexLock lock(shared.mutex);
  std::vector<Track> tracks;
  for (const auto& buffer : shared.all) {
    const MutexLock track_lock(buffer->mutex);
    if (!buffer->track.records.empty()) tracks.push_back(buffer->track);
  }
  return tracks;
}

std::uint64_t dropped() { return dropped_records.load(std::memory_order_relaxed); }

void clear() {
  Buffers& shared = buffers();
  const MutexLock lock(shared.mutex);
  for (const auto& buffer : shared.all) {
    const MutexLock track_lock(buffer->mutex);
    buffer->track.records.clear();
  }
  dropped_records.store(0, std::memory_order_relaxed);
}

std::string to_trace_events(const std::vector<Track>& tracks) {
  std::int64_t begin = INT64_MAX;
  for (const Track& track : tracks)
    for (const TaskRecord& record : track.records) begin = std::min(begin, record.started);
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const std::string thread = ",\"pid\":1,\"tid\":" + std::to_string(i + 1);
    text += separator;
    text +=
        "{\"ph\":\"M\",\"name\":\"thread_name\"" + thread + ",\"args\":{\"name\":\"" + escaped(tracks[i].name) + "\"}}";
    separator = ",\n";
    // A body that waits may run another on its stack: slices of one track nest, the outer one first.
    std::vector<TaskRecord> records = tracks[i].records;
    std::ranges::sort(records, [](const TaskRecord& a, const TaskRecord& b) {
      return a.started != b.started ? a.started < b.started : a.ended > b.ended;
    });
    for (const TaskRecord& record : records) {
      char times[96];
      std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", static_cast<double>(record.started - begin) / 1e3,
                    static_cast<double>(record.ended - record.started) / 1e3);
      text += ",\n{\"ph\":\"X\",\"name\":\"" + escaped(record.name) + "\"" + thread + "," + times +
              ",\"args\":{\"device\":\"" + to_string(record.device) + "\",\"line\":\"" +
              escaped(to_string(record.site)) + "\"}}";
    }
  }
  return text + "\n]}\n";
}

void write_file(const std::string& path) {
  const std::string text = to_trace_events(snapshot());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) throw FileError("cannot write the timeline to " + path);
}

}  // namespace stretto::trace
