#include <stretto/tensor/compile.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include <stretto/base/error.h>
#include <stretto/tensor/devices.h>

#include "base/environment.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/readiness.h"
#include "engine/engine.h"
#include "engine/pass_finder.h"
#include "engine/replay.h"
#include "tensor/default_generator.h"
#include "tensor/live_handles.h"
#include "tensor/replay_difference.h"
#include "tensor/tensor_implementation.h"
#include "trace/recording.h"

namespace stretto {

namespace {

constexpr std::size_t most_kept = 8;

/// Guards the recordings of all compiled functions, for moments: one for all, which a fork finds open.
Mutex& keeping() {
  static Mutex& mutex = []() -> Mutex& {
    auto& made = *new Mutex;
    hold_across_fork(made);
    return made;
  }();
  return mutex;
}

/// What the arguments of a call have in common with those of the recorded one, or have not.
struct ArgumentForm {
  ArgumentForm(const TensorImplementation& tensor, std::size_t first)
      : geometry(tensor.geometry),
        dtype(tensor.dtype),
        device(tensor.device),
        bytes(tensor.buffer->bytes()),
        same_buffer_as(first) {}
  bool operator==(const ArgumentForm&) const = default;

  Geometry geometry;
  DType dtype;
  Device device;
  std::size_t bytes;
  std::size_t same_buffer_as;  ///< The first argument with the same buffer.
};

std::vector<ArgumentForm> forms_of(std::span<const Tensor> arguments) {
  std::vector<ArgumentForm> forms;
  for (const Tensor& argument : arguments) {
    const TensorImplementation& tensor = implementation_of(argument);
    std::size_t first = 0;
    while (implementation_of(arguments[first]).buffer.get() != tensor.buffer.get()) ++first;
    forms.emplace_back(tensor, first);
  }
  return forms;
}

/// A tensor that is returned: a view of one of the template's slots.
struct ResultForm {
  std::uint32_t slot = 0;
  bool defined = false;
  DType dtype{};
  Geometry geometry;
};

struct Recording {
  std::vector<ArgumentForm> forms;
  Device default_device;
  std::vector<ResultForm> results;
  std::shared_ptr<Replays> replays;
  std::size_t fused = 0;
  Captured submitted;  ///< Only where it is held against what calls submit.

  bool fits(const std::vector<ArgumentForm>& given, std::span<const Tensor> arguments) const;
  /// Whether it can be replayed. Of kernels that are compiled nobody waits for any.
  Readiness readiness() const;

 private:
  mutable std::atomic<bool> is_ready_{false};
};

Readiness Recording::readiness() const {
  if (is_ready_.load(std::memory_order_acquire)) return Readiness::ready;
  for (const Template::Node& node : replays->replayed().nodes())
    if (const Readiness of_node = node.body->readiness(); of_node != Readiness::ready) return of_node;
  is_ready_.store(true, std::memory_order_release);
  return Readiness::ready;
}

bool Recording::fits(const std::vector<ArgumentForm>& given, std::span<const Tensor> arguments) const {
  if (stretto::default_device() != default_device || given != forms) return false;
  const Template& replayed = replays->replayed();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Template::Slot& slot = replayed.slots()[replayed.argument_slot(i)];
    Buffer* const buffer = implementation_of(arguments[i]).buffer.get();
    if (slot.buffer && slot.buffer.get() != buffer) return false;
    // What libraries lend to be read alone is refused by the plain call.
    if (slot.written && buffer->read_only()) return false;
    const bool is_captured = std::ranges::any_of(replayed.slots(), [&](const Template::Slot& one) {
      return one.kind == Template::SlotKind::captured && one.buffer.get() == buffer;
    });
    if (is_captured) return false;
  }
  return true;
}

/// The same views by handles that nobody else has.
std::vector<Tensor> own_handles(std::span<const Tensor> arguments) {
  std::vector<Tensor> own;
  for (const Tensor& argument : arguments) {
    const TensorImplementation& tensor = implementation_of(argument);
    own.push_back(make_tensor(tensor.buffer, tensor.dtype, tensor.geometry));
  }
  return own;
}

}  // namespace

struct detail::CompiledCalls::State {
  explicit State(CallSite where) : site(where) {}

  bool is_plain(std::span<const Tensor> arguments);
  std::shared_ptr<const Recording> find(const std::vector<ArgumentForm>& forms, std::span<const Tensor> arguments);
  std::optional<std::vector<Tensor>> replay(const Recording& recording, std::span<const Tensor> arguments);
  std::vector<Tensor> record(std::vector<ArgumentForm> forms, std::span<const Tensor> arguments, Run run,
                             void* function);
  void forget(const std::shared_ptr<const Recording>& recording);
  std::vector<Tensor> check(const Recording& recording, std::span<const Tensor> arguments, Run run, void* function);
  void give_up(const std::string& why);

  const CallSite site;
  std::atomic<std::uint64_t> recordings{0}, replays{0}, plain_calls{0};
  std::atomic<bool> given_up{false};
  std::string reason;                                  // set before `given_up`; both under the lock
  std::vector<std::shared_ptr<const Recording>> kept;  // under the lock; the last used is last
};

bool detail::CompiledCalls::State::is_plain(std::span<const Tensor> arguments) {
  if (!environment().replay || given_up.load(std::memory_order_acquire) || Capture::current() != nullptr) return true;
  Scheduler& scheduler = Engine::get().scheduler();
  if (scheduler.serial() || scheduler.access_check() != nullptr || scheduler.watchdog() != nullptr ||
      scheduler.ending() || scheduler.thread().frame != nullptr || trace::enabled())
    return true;
  return !std::ranges::all_of(arguments, &Tensor::defined);
}

std::shared_ptr<const Recording> detail::CompiledCalls::State::find(const std::vector<ArgumentForm>& forms,
                                                                    std::span<const Tensor> arguments) {
  const MutexLock lock(keeping());
  const auto found = std::ranges::find_if(
      kept, [&](const std::shared_ptr<const Recording>& one) { return one->fits(forms, arguments); });
  if (found == kept.end()) return nullptr;
  std::rotate(found, found + 1, kept.end());
  return kept.back();
}

std::optional<std::vector<Tensor>> detail::CompiledCalls::State::replay(const Recording& recording,
                                                                        std::span<const Tensor> arguments) {
  const Template& replayed = recording.replays->replayed();
  std::vector<Buffer*> given;
  for (const Tensor& argument : arguments) given.push_back(implementation_of(argument).buffer.get());
  std::vector<BufferReference> made;
  std::vector<Buffer*> results;
  for (const Template::Slot& slot : replayed.slots()) {
    if (slot.kind != Template::SlotKind::result) continue;
    made.resize(std::max<std::size_t>(made.size(), slot.number + 1));
    made[slot.number] = Engine::get().create_buffer(replayed.device(), slot.bytes);
  }
  for (const BufferReference& buffer : made) results.push_back(buffer.get());
  RandomSource& random = random_source();
  const Replay::Call call{.name = "compile",
                          .site = site,
                          .arguments = given,
                          .results = results,
                          .seed = {.key = random.key, .number = random.tasks}};
  if (!recording.replays->submit(call)) return std::nullopt;
  random.tasks += replayed.drawing_tasks();
  std::vector<Tensor> tensors;
  for (const ResultForm& form : recording.results) {
    if (!form.defined) {
      tensors.emplace_back();
      continue;
    }
    const Template::Slot& slot = replayed.slots()[form.slot];
    BufferReference buffer = slot.buffer;
    if (slot.kind == Template::SlotKind::result) buffer = made[slot.number];
    if (slot.kind == Template::SlotKind::argument) {
      std::size_t argument = 0;
      while (replayed.argument_slot(argument) != form.slot) ++argument;
      buffer = implementation_of(arguments[argument]).buffer;
    }
    tensors.push_back(make_tensor(std::move(buffer), form.dtype, form.geometry));
  }
  return tensors;
}

void detail::CompiledCalls::State::forget(const std::shared_ptr<const Recording>& recording) {
  const MutexLock lock(keeping());
  std::erase(kept, recording);
}

void detail::CompiledCalls::State::give_up(const std::string& why) {
  {
    const MutexLock lock(keeping());
    if (given_up.load(std::memory_order_relaxed)) return;
    reason = why;
    given_up.store(true, std::memory_order_release);
  }
  if (log_enabled(LogLevel::info))
    log(LogLevel::info, "the function compiled at " + to_string(site) + " is run at each call: it " + why);
}

std::vector<Tensor> detail::CompiledCalls::State::record(std::vector<ArgumentForm> forms,
                                                         std::span<const Tensor> arguments, Run run, void* function) {
  auto recording = std::make_shared<Recording>();
  recording->forms = std::move(forms);
  recording->default_device = stretto::default_device();
  std::vector<BufferReference> buffers;
  for (const Tensor& argument : arguments) buffers.push_back(implementation_of(argument).buffer);
  LiveHandles::Owner live = LiveHandles::make();
  Capture capture(buffers);
  std::vector<Tensor> results;
  {
    const LiveHandles::Scope scope(*live);
    const std::vector<Tensor> own = own_handles(arguments);
    results = run(function, own);
    // A result that is an argument's handle is nobody else's from here on.
  }
  capture.close();
  if (capture.reason().empty()) {
    std::vector<const TensorImplementation*> made_inside;
    for (const Tensor& result : results)
      if (result.defined() && implementation_of(result).live == live.get())
        made_inside.push_back(&implementation_of(result));
    const auto handles_of = [&](const TensorImplementation* one) {
      return static_cast<std::uint32_t>(std::ranges::count(made_inside, one));
    };
    const bool shared_results = std::ranges::any_of(made_inside, [&](const TensorImplementation* one) {
      return one->count.load(std::memory_order_acquire) != handles_of(one);
    });
    std::vector<const TensorImplementation*> distinct = made_inside;
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (shared_results || live->count() != distinct.size())
      capture.end(
          "leaves a handle of what it made, or of an argument, outside of its results: in a variable, or in the body "
          "of a task");
  }
  if (!capture.reason().empty()) {
    give_up(capture.reason());
    plain_calls.fetch_add(1, std::memory_order_relaxed);
    return results;
  }
  std::vector<std::uint32_t> slots;
  for (const Tensor& result : results) {
    ResultForm form;
    if (result.defined()) {
      const TensorImplementation& tensor = implementation_of(result);
      if (tensor.live != live.get()) capture.note_used_from_outside(*tensor.buffer);
      form = {
          .slot = capture.slot_of(*tensor.buffer), .defined = true, .dtype = tensor.dtype, .geometry = tensor.geometry};
      slots.push_back(form.slot);
    }
    recording->results.push_back(form);
  }
  if (capture.captured().tasks.empty()) {
    plain_calls.fetch_add(1, std::memory_order_relaxed);
    return results;
  }
  Captured captured = capture.take();
  if (environment().check_replay) recording->submitted = captured;
  if (environment().fuse) {
    PassFinder finder(std::move(captured), slots);
    captured = finder.join_passes();
    recording->fused = finder.joined_tasks();
  }
  const std::shared_ptr<const Template> made = Template::make(std::move(captured), slots);
  if (made == nullptr) {
    give_up("has more temporaries than a replay can hold");
    return results;
  }
  recording->replays = std::make_shared<Replays>(Engine::get().scheduler(), made);
  recordings.fetch_add(1, std::memory_order_relaxed);
  std::shared_ptr<const Recording> surplus;  // destroyed without the lock
  const MutexLock lock(keeping());
  if (kept.size() == most_kept) {
    surplus = std::move(kept.front());
    kept.erase(kept.begin());
  }
  kept.push_back(std::move(recording));
  return results;
}

/// Runs the function, and throws where a replay of the recording would not have done the same.
std::vector<Tensor> detail::CompiledCalls::State::check(const Recording& recording, std::span<const Tensor> arguments,
                                                        Run run, void* function) {
  plain_calls.fetch_add(1, std::memory_order_relaxed);
  std::vector<BufferReference> buffers;
  for (const Tensor& argument : arguments) buffers.push_back(implementation_of(argument).buffer);
  LiveHandles::Owner live = LiveHandles::make();
  Capture capture(buffers);
  std::vector<Tensor> results;
  {
    const LiveHandles::Scope scope(*live);
    results = run(function, own_handles(arguments));
  }
  capture.close();
  std::string difference = capture.reason().empty() ? replay_difference(recording.submitted, capture.captured())
                                                    : capture.reason() + ", which the recorded call did not";
  for (std::size_t i = 0; difference.empty() && i < results.size(); ++i) {
    const ResultForm& form = recording.results[i];
    const bool is_same = results[i].defined() == form.defined &&
                         (!form.defined || (results[i].dtype() == form.dtype &&
                                            implementation_of(results[i]).geometry == form.geometry));
    if (!is_same) difference = "returns something of another shape or type than the recorded call";
  }
  if (difference.empty()) return results;
  throw UsageError("compile",
                   "this call " + difference +
                       ": C++ values that a compiled function has captured are those of the call that was recorded, "
                       "and what changes has to be an argument",
                   site);
}

namespace detail {

CompiledCalls::CompiledCalls(CallSite site) : state_(std::make_shared<State>(site)) {}
CompiledCalls::CompiledCalls(CompiledCalls&&) noexcept = default;
CompiledCalls& CompiledCalls::operator=(CompiledCalls&&) noexcept = default;
CompiledCalls::~CompiledCalls() = default;

std::vector<Tensor> CompiledCalls::call(std::span<const Tensor> arguments, Run run, void* function) const {
  State& state = *state_;
  if (!state.is_plain(arguments)) {
    std::vector<ArgumentForm> forms = forms_of(arguments);
    const std::shared_ptr<const Recording> recording = state.find(forms, arguments);
    const Readiness readiness = recording == nullptr ? Readiness::refused : recording->readiness();
    if (readiness == Readiness::refused) {
      if (recording != nullptr) state.forget(recording);
      return state.record(std::move(forms), arguments, run, function);
    }
    if (environment().check_replay) return state.check(*recording, arguments, run, function);
    if (readiness == Readiness::ready) {
      if (std::optional<std::vector<Tensor>> results = state.replay(*recording, arguments)) {
        state.replays.fetch_add(1, std::memory_order_relaxed);
        return std::move(*results);
      }
    }
  }
  state.plain_calls.fetch_add(1, std::memory_order_relaxed);
  return run(function, arguments);
}

CompileStatistics CompiledCalls::statistics() const {
  const State& state = *state_;
  CompileStatistics statistics{.recordings = state.recordings.load(),
                               .replays = state.replays.load(),
                               .plain_calls = state.plain_calls.load(),
                               .kept = 0,
                               .unready = 0,
                               .fused = 0,
                               .reason = {}};
  const MutexLock lock(keeping());
  statistics.kept = state.kept.size();
  for (const std::shared_ptr<const Recording>& one : state.kept) {
    statistics.fused += one->fused;
    if (one->readiness() == Readiness::unready) ++statistics.unready;
  }
  statistics.reason = state.reason;
  return statistics;
}

}  // namespace detail

}  // namespace stretto
