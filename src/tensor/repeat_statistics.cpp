#include <stretto/tensor/repeat_statistics.h>

#include "engine/engine.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"

namespace stretto {

RepeatStatistics repeat_statistics() {
  const Repeats* const repeats = Engine::get().scheduler().repeats();
  if (repeats == nullptr) return {};
  const Repeats::Statistics found = repeats->statistics();
  return {.sections = found.replays,
          .tasks = found.tasks,
          .launched = found.launched,
          .recorded = found.recorded,
          .left = found.left};
}

}  // namespace stretto
