#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// How often a compiled function did what.
struct CompileStatistics {
  std::uint64_t recordings = 0;   ///< Calls that ran the function and kept what it submitted.
  std::uint64_t replays = 0;      ///< Calls that did not run it.
  std::uint64_t plain_calls = 0;  ///< Calls that ran it, and nothing else.
  std::size_t kept = 0;           ///< Recordings that are kept at this moment.
  std::size_t unready = 0;        ///< Recordings of these whose kernels are still being compiled, for a GPU.
  std::size_t fused = 0;          ///< Operations of these that run together with others, as one pass over memory.
  std::string reason;             ///< Why it is run plainly for good; empty while it is not.
};

namespace detail {

/// What a compiled function has besides the function itself.
class STRETTO_API CompiledCalls {
 public:
  using Run = std::vector<Tensor> (*)(void* function, std::span<const Tensor> arguments);

  explicit CompiledCalls(CallSite site);
  CompiledCalls(CompiledCalls&&) noexcept;
  CompiledCalls& operator=(CompiledCalls&&) noexcept;
  ~CompiledCalls();

  std::vector<Tensor> call(std::span<const Tensor> arguments, Run run, void* function) const;
  CompileStatistics statistics() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// How what a function returns is a list of tensors, and is made of one again.
template <typename Result>
struct CompiledResult;

template <>
struct CompiledResult<Tensor> {
  static std::vector<Tensor> list(Tensor&& result) {
    std::vector<Tensor> tensors;
    tensors.push_back(std::move(result));
    return tensors;
  }
  static Tensor of(std::vector<Tensor>&& tensors) { return std::move(tensors.front()); }
};
template <>
struct CompiledResult<std::vector<Tensor>> {
  static std::vector<Tensor> list(std::vector<Tensor>&& result) { return std::move(result); }
  static std::vector<Tensor> of(std::vector<Tensor>&& tensors) { return std::move(tensors); }
};
/// Pairs, tuples and arrays of tensors.
template <typename Result>
  requires requires { std::tuple_size<Result>::value; }
struct CompiledResult<Result> {
  static std::vector<Tensor> list(Result&& result) {
    std::vector<Tensor> tensors;
    std::apply([&](auto&... each) { (tensors.push_back(std::move(each)), ...); }, result);
    return tensors;
  }
  static Result of(std::vector<Tensor>&& tensors) {
    Result result;
    std::size_t next = 0;
    std::apply([&](auto&... each) { ((each = std::move(tensors[next++])), ...); }, result);
    return result;
  }
};

}  // namespace detail

/// A function whose repeated calls are replayed; see `compile`. May be moved while nobody calls it.
template <typename Function>
class CompiledFunction {
 public:
  CompiledFunction(Function function, CallSite site) : function_(std::move(function)), calls_(site) {}

  /// Calls the function, or submits what it submitted before. From any thread; several may call at once, which the
  /// function itself must bear where it is run.
  template <typename... Arguments>
    requires(std::convertible_to<const Arguments&, const Tensor&> && ...)
  auto operator()(const Arguments&... arguments) const {
    using Result = std::remove_cvref_t<std::invoke_result_t<const Function&, const Arguments&...>>;
    const std::array<Tensor, sizeof...(Arguments)> list{arguments...};
    const auto run = [](void* function, std::span<const Tensor> given) {
      const auto call = [&]<std::size_t... number>(std::index_sequence<number...>) -> decltype(auto) {
        return (*static_cast<const Function*>(function))(given[number]...);
      };
      if constexpr (std::is_void_v<Result>) {
        call(std::index_sequence_for<Arguments...>());
        return std::vector<Tensor>();
      } else {
        return detail::CompiledResult<Result>::list(Result(call(std::index_sequence_for<Arguments...>())));
      }
    };
    void* const function = const_cast<void*>(static_cast<const void*>(&function_));
    std::vector<Tensor> results = calls_.call(list, run, function);
    if constexpr (!std::is_void_v<Result>) return detail::CompiledResult<Result>::of(std::move(results));
  }

  CompileStatistics statistics() const { return calls_.statistics(); }

 private:
  Function function_;
  detail::CompiledCalls calls_;
};

/// A function of tensors that is run once for each kind of arguments, and whose later calls submit what the first one
/// submitted, without running it: that costs a tenth of it or less.
///
///     auto step = st::compile([&](const st::Tensor& x, const st::Tensor& y) {
///       ...
///       weight -= gradient * rate;
///       return loss;
///     });
///     for (...) loss = step(x, y);
///
/// `function` takes tensors and returns a tensor, a pair, tuple, array or vector of tensors, or nothing. It must be
/// callable as const. What it returns has equal values, bit for bit, whether a call runs it or replays it, and so has
/// everything that it changes in place.
///
/// A call replays when there was one whose arguments had the same shapes, strides, types and devices and were parts of
/// the same tensors in the same way. Of the others the last few are kept. On a GPU elementwise operations are compiled
/// to one kernel, which takes some tenths of a second; until then calls run the function, and nobody waits.
///
/// *What is constant.* In a replay the function does not run. Tensors that it uses without being given them are those
/// of the call that was recorded; their values are those of the moment. C++ values are those of that call, those that
/// the body of a `task` has captured included: all replays call the one body that was submitted, as const, and two of
/// them may do so at once. What it has captured is destroyed with the recording. What changes from call to call is an
/// argument. On a GPU the body of a `task` is called by some of the replays only: the others launch again, as a CUDA
/// graph, what it enqueued in an earlier one with the same addresses. So it does the same in each, and nothing but
/// enqueue; where CUDA cannot record what it does, or it submits or waits, it is called by all.
///
/// Of tasks inside that are ready, those of a higher priority begin first, and so do those that they wait for. To tasks
/// outside a replay is one of normal priority.
///
/// *What is never replayed.* A function that reads a value or waits, makes tensors of values that the host has, writes
/// by `host_write`, draws random numbers, uses more than one device, submits a `task` whose body cannot be
/// called as const (a `mutable` lambda), or leaves a handle of what it made anywhere but in its results (in a variable
/// outside, or in the body of a task, which is to ask for `data<T>(0)` by number) is run at each call, as if it were
/// not compiled; `statistics().reason` and, once, a line at `STRETTO_LOG=info` say why.
/// So it is inside of tasks and of other compiled functions, by the serial engine, with `STRETTO_REPLAY=0`,
/// `STRETTO_CHECK=access` or `STRETTO_WATCHDOG`, and while a timeline is recorded. With `STRETTO_CHECK=replay` a call
/// that would replay runs it, too, and throws UsageError, behind that, where a replay would not have done the same.
///
/// *Memory.* Each recording keeps memory for its temporaries, for up to three replays that are pending at a time; all
/// of the process together take at most an eighth of the device's, and what would take more is run plainly. CUDA graphs
/// of a GPU have some 130,000 tasks together at most, and go where memory is short. It keeps
/// the tensors that the function has captured, too. All of it goes with the compiled function, or behind its last
/// replay.
///
/// *What blocks.* A call returns at once; where three replays are pending it waits for the first of them. Failures are
/// those of the tasks inside, each with its own name and line; where there is no memory for a replay, with the line of
/// the `compile`.
template <typename Function>
auto compile(Function&& function, CallSite site = std::source_location::current()) {
  return CompiledFunction<std::decay_t<Function>>(std::forward<Function>(function), site);
}

}  // namespace stretto
