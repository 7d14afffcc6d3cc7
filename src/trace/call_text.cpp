#include "trace/call_text.h"

#include "trace/event_text.h"
#include "trace/records.h"

namespace stretto::trace {
namespace {

const char* text_of(std::uint64_t word) { return reinterpret_cast<const char*>(static_cast<std::uintptr_t>(word)); }

/// Appends the shapes, and returns how many bytes are read and written.
std::uint64_t append_operands(std::string& text, std::span<const std::uint64_t> words) {
  if (words.empty()) return 0;
  std::string inputs, outputs;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < words.size();) {
    const std::uint64_t operand = words[i++];
    const auto dtype = static_cast<DType>(operand & 0xff);
    std::string array = "(";
    std::uint64_t elements = 1;
    const auto rank = static_cast<int>(operand >> operand_rank_shift & 0xff);
    for (int axis = 0; axis < rank; ++axis) {
      if (axis > 0) array += ", ";
      elements *= words[i];
      append_number(array, words[i++]);
    }
    array += rank == 1 ? ",) " : ") ";
    array += name(dtype);
    for (const auto& [flag, list] : {std::pair{operand_is_read, &inputs}, std::pair{operand_is_written, &outputs}}) {
      if ((operand & flag) == 0) continue;
      *list += (list->empty() ? "" : ", ") + array;
      bytes += elements * item_size(dtype);
    }
  }
  text += ",\"shapes\":\"" + inputs;
  if (!outputs.empty()) text += (inputs.empty() ? "-> " : " -> ") + outputs;
  text += '"';
  return bytes;
}

}  // namespace

Call::Call(std::span<const std::uint64_t> words) {
  head = "{\"ph\":\"X\",\"name\":";
  append_quoted(head, text_of(words[call_name]));
  head += ",\"cat\":\"task\"";
  const Device device(static_cast<DeviceKind>(words[call_device] & 0xff), static_cast<int>(words[call_device] >> 8));
  body = ",\"device\":\"" + to_string(device) + "\",\"role\":\"" + text_of(words[call_role]) + "\"";
  const CallSite site(text_of(words[call_file]), "", static_cast<std::uint32_t>(words[call_line]));
  if (site.known()) {
    body += ",\"line\":";
    append_quoted(body, to_string(site));
  }
  const std::uint64_t bytes = words[call_bytes] + append_operands(body, words.subspan(call_operands));
  if (bytes > 0) {
    body += ",\"bytes\":";
    append_number(body, bytes);
  }
}

}  // namespace stretto::trace
