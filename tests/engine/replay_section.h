#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/replay.h"
#include "engine/template.h"
#include "engine/testing.h"

namespace stretto {

using Value = std::int64_t;

/// A section that was captured, with the buffers that it was captured with.
class Section {
 public:
  /// `submit` is called once, and what it submits goes on as usual. It returns what is wanted, or nothing.
  template <typename Submit>
  Section(const std::vector<BufferReference>& arguments, Submit submit) {
    Capture capture(arguments);
    if constexpr (std::is_void_v<std::invoke_result_t<Submit>>) {
      submit();
    } else {
      results = submit();
    }
    capture.close();
    reason = capture.reason();
    if (!reason.empty()) return;
    std::vector<std::uint32_t> slots;
    for (const Array<Value>& result : results) slots.push_back(capture.slot_of(*result.buffer));
    made = Template::make(capture.take(), slots);
    replays = std::make_shared<Replays>(Engine::get().scheduler(), made);
  }

  /// Replays it with other arguments; returns what it makes.
  std::vector<BufferReference> operator()(const std::vector<BufferReference>& arguments) const {
    std::vector<Buffer*> given, results;
    for (const BufferReference& argument : arguments) given.push_back(argument.get());
    std::vector<BufferReference> made_results(made->made_results());
    for (const Template::Slot& slot : made->slots())
      if (slot.kind == Template::SlotKind::result)
        made_results[slot.number] = Engine::get().create_buffer(made->device(), slot.bytes);
    for (const BufferReference& result : made_results) results.push_back(result.get());
    EXPECT_TRUE(replays->submit({.name = "replay", .site = {}, .arguments = given, .results = results, .seed = {}}));
    return made_results;
  }

  std::string reason;
  std::vector<Array<Value>> results;  ///< Of the captured call.
  std::shared_ptr<const Template> made;
  std::shared_ptr<Replays> replays;
};

inline Access access(const BufferReference& buffer, AccessMode mode, const Box* box = nullptr) {
  return {buffer.get(), box, mode};
}

inline Value value_of(const BufferReference& buffer, CallSite site = std::source_location::current()) {
  Engine::get().wait(*buffer, nullptr, "read", site);
  return *reinterpret_cast<Value*>(buffer->data());
}

/// For a scenario whose device may be lost: prints whether the array is lost with it, or else right.
inline void tell_if_lost(const Array<Value>& array, Value expected) {
  const std::string error = error_of([&] { array.wait(); });
  if (error != "nothing") {
    std::printf("%s", error.find("sim:0 was lost") != std::string::npos ? "lost " : error.c_str());
  } else {
    std::printf("%s", array.item() == expected ? "right " : "wrong ");
  }
}

}  // namespace stretto
