#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/readiness.h"
#include "engine/submission.h"

namespace stretto {

/// Where the bodies of one replay begin to draw random numbers from. The engine hands it on unread.
struct RunSeed {
  std::uint64_t key = 0;
  std::uint64_t number = 0;
};

class PassStep;

/// A body that may run any number of times, also on several threads at once: each run is as if it were the first.
class RepeatableBody {
 public:
  RepeatableBody() = default;
  RepeatableBody(const RepeatableBody&) = delete;
  RepeatableBody& operator=(const RepeatableBody&) = delete;
  virtual ~RepeatableBody() = default;

  /// `seed` null: the run of the call that was captured.
  virtual void run(BodyContext& context, const RunSeed* seed) const = 0;
  /// Only what is ready is run.
  virtual Readiness readiness() const { return Readiness::ready; }
  /// What it works on, for a message; empty where it does not say.
  virtual std::string operands() const { return {}; }
  /// What it has that `other`, of the same statement and with the same operands, has not, as in "another number"; empty
  /// where nothing of the kind is known.
  virtual std::string difference(const RepeatableBody& /*other*/) const { return {}; }
  /// Where it can be joined with others to one pass; else null.
  virtual const PassStep* step() const { return nullptr; }
};

/// A callable `void(BodyContext&)` that can be called as const: all runs call the one object.
template <typename Callable>
class ConstBody final : public RepeatableBody {
 public:
  template <typename Given>
  explicit ConstBody(Given&& callable) : callable_(std::forward<Given>(callable)) {}
  void run(BodyContext& context, const RunSeed*) const override { callable_(context); }

 private:
  const Callable callable_;
};

/// A body that knows itself how it is repeated. `repeatable` returns null, and leaves it as it is, where it cannot be.
template <typename Body>
concept SelfRepeatable = requires(Body& body) {
  { body.repeatable() } -> std::same_as<std::shared_ptr<const RepeatableBody>>;
};

/// The body in a form that can be repeated; null, with `body` as it was, where there is none.
template <typename Body>
std::shared_ptr<const RepeatableBody> make_repeatable(Body&& body) {
  using Callable = std::decay_t<Body>;
  if constexpr (SelfRepeatable<Callable>) {
    return body.repeatable();
  } else if constexpr (std::is_invocable_v<const Callable&, BodyContext&>) {
    return std::make_shared<ConstBody<Callable>>(std::forward<Body>(body));
  } else {
    return nullptr;
  }
}

}  // namespace stretto
