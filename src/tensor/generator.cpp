#include <stretto/tensor/generator.h>

#include <atomic>
#include <optional>

#include "base/fork.h"
#include "base/mutex.h"
#include "engine/capture.h"
#include "tensor/default_generator.h"

namespace stretto {

namespace {

constexpr std::uint64_t first_seed = 67280421310721;

/// The seed and how often it was set; `settings` tells a thread that its generator is out of date.
struct ProcessSeed {
  ProcessSeed() { hold_across_fork(mutex); }

  Mutex mutex;
  std::uint64_t seed STRETTO_GUARDED_BY(mutex) = first_seed;
  std::atomic<std::uint64_t> settings{1};
  std::atomic<std::uint64_t> threads{0};
};

ProcessSeed& process_seed() {
  static ProcessSeed& seed = *new ProcessSeed;
  return seed;
}

/// Two numbers as one that says nothing of either (splitmix64).
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t bits = a + 0x9e3779b97f4a7c15u * (b + 1);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

struct ThreadSource {
  RandomSource source{0};
  std::uint64_t settings = 0;
  std::uint64_t number = 0;
  bool numbered = false;
};
// In the static block of thread-local storage: both are read at every submission.
[[gnu::tls_model("initial-exec")]] thread_local constinit ThreadSource this_thread;
[[gnu::tls_model("initial-exec")]] thread_local constinit RandomSource* task_source = nullptr;

[[gnu::noinline]] void renew(ThreadSource& thread) {
  ProcessSeed& process = process_seed();
  if (!thread.numbered) {
    thread.number = process.threads.fetch_add(1);
    thread.numbered = true;
  }
  const MutexLock lock(process.mutex);
  thread.settings = process.settings.load();
  // The first thread's key is the seed itself: a program of one thread draws what Generator(seed) would.
  thread.source = RandomSource(thread.number == 0 ? process.seed : mix(process.seed, thread.number));
}

RandomSource& thread_source() {
  if (this_thread.settings != process_seed().settings.load(std::memory_order_acquire)) [[unlikely]]
    renew(this_thread);
  return this_thread.source;
}

}  // namespace

RandomSource& random_source() { return task_source ? *task_source : thread_source(); }

std::uint64_t next_task_key() {
  RandomSource& source = random_source();
  return task_key(source.key, source.tasks++);
}

std::uint64_t task_key(std::uint64_t key, std::uint64_t tasks) {
  // Apart from the keys of threads, which are small numbers mixed with the same seed.
  return mix(key, ~tasks);
}

TaskRandomScope::TaskRandomScope(std::uint64_t key) : source_(key), outer_(task_source) { task_source = &source_; }

TaskRandomScope::~TaskRandomScope() { task_source = outer_; }

Generator& default_generator() {
  Capture::give_up("draws random numbers");
  return random_source().generator;
}

void manual_seed(std::uint64_t seed) {
  Capture::give_up("sets the seed of random numbers");
  ProcessSeed& process = process_seed();
  {
    const MutexLock lock(process.mutex);
    process.seed = seed;
    process.settings.fetch_add(1);
  }
  if (task_source) *task_source = RandomSource(seed);
}

}  // namespace stretto
