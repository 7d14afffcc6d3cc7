#include "kernels/cuda/pass_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "kernels/cuda/step_operator.h"

namespace stretto {
namespace {

constexpr std::int64_t packet_bytes = 16;
/// Of what a thread loads before it computes, and of operators that are computed in many steps.
constexpr std::int64_t most_loaded_bytes = 128, most_functions = 16;
constexpr std::int64_t most_turns = 4;
/// What a kernel can be launched with everywhere.
constexpr std::size_t most_words = 512;

std::string_view type_name(DType dtype) {
  constexpr std::string_view names[] = {"float",        "double",       "Float16",      "BFloat16",
                                        "std::int32_t", "std::int64_t", "std::uint8_t", "bool"};
  return names[static_cast<std::size_t>(dtype)];
}

std::int64_t size_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

/// How the elements of an array are found.
enum class Lie : std::uint8_t {
  dense,     ///< By their number.
  single,    ///< There is one.
  in_rows,   ///< Side by side in the last axis.
  repeated,  ///< The last axis has one again and again.
};

}  // namespace

/// Writes the text of one kernel.
class PassKernelText {
 public:
  PassKernelText(const ElementPass& pass, bool in_packets) : pass_(pass), rank_(pass.extents().size()) {
    for (const ElementPass::Memory& one : pass.memory()) lies_.push_back(lie_of(one.operand));
    is_flat_ = std::ranges::all_of(lies_, [](Lie lie) { return lie == Lie::dense || lie == Lie::single; });
    if (in_packets) kernel_.items_ = find_items();
  }

  std::optional<PassKernel> write() {
    for (const ElementPass::Memory& one : pass_.memory())
      if (rank_ > 0 && one.operand.strides[rank_ - 1] != 0 && one.operand.strides[rank_ - 1] != 1) return std::nullopt;
    const std::int64_t items = kernel_.items_;
    const std::int64_t packets = pass_.numel() / items;
    if (!write_steps()) return std::nullopt;
    turns_ = find_turns();
    add_word(static_cast<std::uint64_t>(packets));
    add_word(static_cast<std::uint64_t>(pass_.numel() % items));
    write_arrays();
    write_constants();
    write_places();
    if (kernel_.words_.size() > most_words) return std::nullopt;
    const std::int64_t of_a_block = PassKernel::threads * turns_;
    kernel_.blocks_ = static_cast<unsigned>(
        std::clamp<std::int64_t>((packets + of_a_block - 1) / of_a_block, 1, std::numeric_limits<std::int32_t>::max()));
    const bool narrow = packets <= std::numeric_limits<std::int32_t>::max();
    kernel_.text_ = fmt::format(
        R"(
#include "kernels/cuda/pass_parts.cuh"

namespace stretto {{

struct Arguments {{
  std::uint64_t words[{words}];
}};

extern "C" __global__ void __launch_bounds__({threads}) {name}(const __grid_constant__ Arguments given) {{
  using Number = {number};
  constexpr int items = {items}, turns = {turns};
  const Number packets = static_cast<Number>(given.words[0]);
{arrays}
  const auto compute = [&]({parameters}) {{
{steps}  }};
  const Number first = static_cast<Number>(blockIdx.x) * ({threads} * turns) + threadIdx.x;
{declared}
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {{
    const Number packet = first + turn * {threads};
    if (packet < packets) {{
{places}{loads}    }}
  }}
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {{
    const Number packet = first + turn * {threads};
    if (packet < packets) {{
{results}#pragma unroll
      for (int i = 0; i < items; ++i) compute({arguments});
{places}{stores}    }}
  }}
{tail}}}

}}  // namespace stretto
)",
        fmt::arg("words", kernel_.words_.size()), fmt::arg("threads", PassKernel::threads),
        fmt::arg("name", PassKernel::name), fmt::arg("number", narrow ? "std::uint32_t" : "std::int64_t"),
        fmt::arg("items", items), fmt::arg("turns", turns_), fmt::arg("arrays", arrays_),
        fmt::arg("parameters", parameters_), fmt::arg("steps", steps_), fmt::arg("declared", declared_),
        fmt::arg("places", places_), fmt::arg("loads", loads_), fmt::arg("results", results_),
        fmt::arg("arguments", arguments_), fmt::arg("stores", stores_), fmt::arg("tail", tail()));
    return std::move(kernel_);
  }

 private:
  Lie lie_of(const ElementPass::Operand& operand) const {
    const std::span<const std::int64_t> extents = pass_.extents();
    bool is_dense = true, is_single = rank_ > 0;
    std::int64_t expected = 1;
    for (std::size_t axis = rank_; axis-- > 0; expected *= extents[axis]) {
      is_dense = is_dense && operand.strides[axis] == expected;
      is_single = is_single && operand.strides[axis] == 0;
    }
    if (is_dense) return Lie::dense;
    if (is_single) return Lie::single;
    return operand.strides[rank_ - 1] == 0 ? Lie::repeated : Lie::in_rows;
  }

  bool is_in_packets(std::size_t array) const { return lies_[array] == Lie::dense || lies_[array] == Lie::in_rows; }

  /// So many elements side by side as 16 bytes of the widest type have, or a fraction of that, so that rows have whole
  /// packets, which are aligned where the addresses are.
  std::int64_t find_items() const {
    std::int64_t widest = 1;
    for (const ElementPass::Memory& one : pass_.memory()) widest = std::max(widest, size_of(one.operand.dtype));
    std::int64_t items = packet_bytes / widest;
    const auto fits = [&] {
      if (!is_flat_ && pass_.extents()[rank_ - 1] % items != 0) return false;
      for (std::size_t array = 0; array < lies_.size(); ++array) {
        if (!is_in_packets(array)) continue;
        const ElementPass::Operand& operand = pass_.memory()[array].operand;
        if (operand.offset % (size_of(operand.dtype) * items) != 0) return false;
        for (std::size_t axis = 0; axis + 1 < rank_; ++axis)
          if (lies_[array] == Lie::in_rows && operand.strides[axis] % items != 0) return false;
      }
      return true;
    };
    while (items > 1 && !fits()) items /= 2;
    return items;
  }

  std::int64_t find_turns() const {
    std::int64_t loaded = 0;
    for (std::size_t array = 0; array < lies_.size(); ++array)
      if (pass_.memory()[array].read_first && lies_[array] != Lie::single)
        loaded += kernel_.items_ * std::max<std::int64_t>(size_of(pass_.memory()[array].operand.dtype), 4);
    std::int64_t turns = most_turns;
    while (turns > 1 && (turns * loaded > most_loaded_bytes || turns * kernel_.items_ * functions_ > most_functions))
      turns /= 2;
    return turns;
  }

  std::size_t add_word(std::uint64_t word) {
    kernel_.words_.push_back(word);
    return kernel_.words_.size() - 1;
  }

  template <typename... Given>
  static void append(std::string& text, fmt::format_string<Given...> format, Given&&... given) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Given>(given)...);
  }

  // --- What is done to an element

  struct Value {
    std::string name;
    DType dtype = DType::float32;
  };

  Value value_of(const ElementPass::Operand& operand) const {
    switch (operand.where) {
      case ElementPass::Where::constant: return {fmt::format("constant{}", operand.offset), operand.dtype};
      case ElementPass::Where::near: return near_.at(operand.number);
      case ElementPass::Where::memory: return in_memory_.at(operand.array);
    }
    return {};
  }

  /// Its bits as a value of another type; empty where that has another size.
  static std::string as(const Value& value, DType dtype) {
    if (value.dtype == dtype) return value.name;
    if (item_size(value.dtype) != item_size(dtype)) return {};
    return fmt::format("__builtin_bit_cast({}, {})", type_name(dtype), value.name);
  }

  /// The value of a step; empty where it cannot be written.
  std::string expression_of(const ElementPass::Step& step) {
    const std::span<const ElementPass::Operand> operands = step.all();
    const DType to = operands.front().dtype;
    std::vector<Value> inputs;
    for (const ElementPass::Operand& operand : operands.subspan(1)) inputs.push_back(value_of(operand));
    const std::string_view name = step.kernel->name;
    if (name == "copy" || name == "fill") {
      const DType from = operands[1].dtype;
      if (from == to) return as(inputs[0], to);
      // A bool is a byte of 0 or 1, and so it is cast as a uint8.
      return fmt::format("step<Identity, {}>({})", type_name(to),
                         as(inputs[0], from == DType::bool_ ? DType::uint8 : from));
    }
    if (name == "where") {
      const std::string condition = as(inputs[0], DType::uint8), a = as(inputs[1], to), b = as(inputs[2], to);
      if (condition.empty() || a.empty() || b.empty()) return {};
      return fmt::format("chosen<{}>({}, {}, {})", type_name(to), condition, a, b);
    }
    const StepOperator* const found = find_step_operator(name);
    if (found == nullptr) return {};
    // Of one and the same value a maximum is made of it, which takes another NaN along.
    if (name == "relu_backward" && inputs[0].name == inputs[1].name) return {};
    functions_ += found->is_function || name == "pow" ? 1 : 0;
    std::string list;
    for (const Value& input : inputs) {
      const std::string given = as(input, operands.back().dtype);
      if (given.empty()) return {};
      append(list, "{}{}", list.empty() ? "" : ", ", given);
    }
    return fmt::format("step<{}, {}>({})", found->type, type_name(to), list);
  }

  bool write_steps() {
    for (std::size_t array = 0; array < lies_.size(); ++array)
      in_memory_[static_cast<std::int32_t>(array)] = {fmt::format("in{}", array), pass_.memory()[array].operand.dtype};
    for (std::size_t number = 0; number < pass_.steps().size(); ++number) {
      const ElementPass::Step& step = pass_.steps()[number];
      const ElementPass::Operand& output = step.operands[0];
      const std::string expression = expression_of(step);
      if (expression.empty()) return false;
      const Value value{fmt::format("value{}", number), output.dtype};
      append(steps_, "    const {} {} = {};\n", type_name(output.dtype), value.name, expression);
      if (output.where == ElementPass::Where::near) {
        near_[output.number] = value;
      } else {
        in_memory_[output.array] = value;
      }
    }
    kernel_.depends_on_version_ = functions_ > 0;
    for (std::size_t array = 0; array < lies_.size(); ++array)
      if (pass_.memory()[array].written)
        append(steps_, "    out{} = {};\n", array, in_memory_.at(static_cast<std::int32_t>(array)).name);
    return true;
  }

  // --- How elements come and go

  void write_arrays() {
    const auto list = [](std::string& text) { return text.empty() ? "" : ", "; };
    for (std::size_t array = 0; array < lies_.size(); ++array) {
      const ElementPass::Memory& one = pass_.memory()[array];
      const std::string_view type = type_name(one.operand.dtype);
      const std::size_t word = add_word(0);
      const std::int64_t size = size_of(one.operand.dtype);
      kernel_.pointers_.push_back(
          {.word = word,
           .address = one.operand.number,
           .offset = one.operand.offset,
           .alignment = static_cast<std::size_t>(is_in_packets(array) ? size * kernel_.items_ : size)});
      append(arrays_, "  {0}* const data{1} = from_word<{0}*>(given.words[{2}]);\n", type, array, word);
      const std::string place = place_of(array);
      if (one.read_first) {
        append(parameters_, "{}{} in{}", list(parameters_), type, array);
        if (lies_[array] == Lie::single) {
          append(arrays_, "  const {0} single{1} = *data{1};\n", type, array);
          append(arguments_, "{}single{}", list(arguments_), array);
          append(tail_arguments_, "{}single{}", list(tail_arguments_), array);
        } else {
          append(declared_, "  Packet<{}, items> loaded{}[turns];\n", type, array);
          append(arguments_, "{}loaded{}[turn].items[i]", list(arguments_), array);
          append(tail_arguments_, "{}data{}[at]", list(tail_arguments_), array);
          if (lies_[array] == Lie::repeated) {
            append(loads_, "      loaded{0}[turn] = repeated<{1}, items>(data{0}[{2}]);\n", array, type, place);
          } else {
            append(loads_, "      loaded{0}[turn] = packet_at<items>(data{0} + {1});\n", array, place);
          }
        }
      }
      if (one.written) {
        append(parameters_, "{}{}& out{}", list(parameters_), type, array);
        append(results_, "      Packet<{}, items> result{};\n", type, array);
        append(arguments_, "{}result{}.items[i]", list(arguments_), array);
        append(stores_, "      packet_at<items>(data{0} + {1}) = result{0};\n", array, place);
        append(tail_results_, "    {} result{};\n", type, array);
        append(tail_arguments_, "{}result{}", list(tail_arguments_), array);
        append(tail_stores_, "    data{0}[at] = result{0};\n", array);
      }
    }
  }

  std::string place_of(std::size_t array) const {
    return lies_[array] == Lie::dense ? "static_cast<std::int64_t>(packet) * items" : fmt::format("place{}", array);
  }

  void write_constants() {
    std::map<std::int64_t, DType> types;
    std::map<std::int64_t, std::uint64_t> values;
    for (const ElementPass::Step& step : pass_.steps()) {
      for (const ElementPass::Operand& operand : step.all()) {
        if (operand.where != ElementPass::Where::constant) continue;
        types[operand.offset] = operand.dtype;
        std::memcpy(&values[operand.offset], pass_.constant(operand), item_size(operand.dtype));
      }
    }
    for (const auto& [number, value] : values)
      append(arrays_, "  const {0} constant{1} = from_word<{0}>(given.words[{2}]);\n", type_name(types[number]), number,
             add_word(value));
  }

  /// Where a packet lies in arrays that are not dense.
  void write_places() {
    if (is_flat_) return;
    append(places_, "      Number rest = packet;\n");
    for (std::size_t axis = rank_; axis-- > 1;) {
      const bool is_last = axis == rank_ - 1;
      const std::size_t word =
          add_word(static_cast<std::uint64_t>(pass_.extents()[axis] / (is_last ? kernel_.items_ : 1)));
      append(places_, "      const Number extent{0} = static_cast<Number>(given.words[{1}]);\n", axis, word);
      append(places_, "      const std::int64_t at{0} = rest % extent{0};\n      rest /= extent{0};\n", axis);
    }
    append(places_, "      const std::int64_t at0 = rest;\n");
    for (std::size_t array = 0; array < lies_.size(); ++array) {
      if (lies_[array] == Lie::dense || lies_[array] == Lie::single) continue;
      const ElementPass::Operand& operand = pass_.memory()[array].operand;
      std::string sum = "0";
      for (std::size_t axis = 0; axis < rank_; ++axis) {
        if (operand.strides[axis] == 0) continue;
        if (axis == rank_ - 1) {
          append(sum, " + at{} * items", axis);
        } else {
          append(sum, " + at{} * static_cast<std::int64_t>(given.words[{}])", axis,
                 add_word(static_cast<std::uint64_t>(operand.strides[axis])));
        }
      }
      append(places_, "      const std::int64_t place{} = {};\n", array, sum);
    }
  }

  /// The elements behind the last packet.
  std::string tail() const {
    if (!is_flat_ || kernel_.items_ == 1) return {};
    return fmt::format(
        R"(  if (blockIdx.x == gridDim.x - 1 && threadIdx.x < given.words[1]) {{
    const std::int64_t at = static_cast<std::int64_t>(packets) * items + threadIdx.x;
{}    compute({});
{}  }}
)",
        tail_results_, tail_arguments_, tail_stores_);
  }

  const ElementPass& pass_;
  const std::size_t rank_;
  std::vector<Lie> lies_;  ///< Of each array in memory.
  bool is_flat_ = true;
  std::int64_t turns_ = 1;
  std::int64_t functions_ = 0;
  PassKernel kernel_;
  std::map<std::int32_t, Value> near_, in_memory_;
  std::string arrays_, parameters_, steps_, declared_, places_, loads_, results_, arguments_, stores_;
  std::string tail_results_, tail_arguments_, tail_stores_;
};

std::optional<PassKernel> PassKernel::write(const ElementPass& pass, bool in_packets) {
  return PassKernelText(pass, in_packets).write();
}

bool PassKernel::suits(std::byte* const* addresses) const {
  return std::ranges::all_of(pointers_, [&](const Pointer& pointer) {
    return reinterpret_cast<std::uintptr_t>(addresses[pointer.address] + pointer.offset) % pointer.alignment == 0;
  });
}

std::vector<std::uint64_t> PassKernel::words(std::byte* const* addresses) const {
  std::vector<std::uint64_t> words = words_;
  for (const Pointer& pointer : pointers_)
    words[pointer.word] = reinterpret_cast<std::uintptr_t>(addresses[pointer.address] + pointer.offset);
  return words;
}

}  // namespace stretto
