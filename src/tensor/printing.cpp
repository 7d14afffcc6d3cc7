#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include <stretto/tensor/tensor.h>

#include "tensor/operator_call.h"
#include "tensor/tensor_implementation.h"

namespace stretto {

namespace {

// As PyTorch prints by default.
constexpr std::int64_t summarised_from = 1001;
constexpr std::int64_t edge = 3;
constexpr std::size_t line_width = 80;
constexpr std::string_view opening = "tensor(";

/// The texts of all elements, equally wide.
std::vector<std::string> pad(std::vector<std::string> texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
  return texts;
}

/// Floating numbers in one notation: whole numbers as "2.", others with four digits, as powers of ten where their sizes
/// differ too much.
std::vector<std::string> format_floating(const std::vector<double>& values) {
  double smallest = INFINITY, largest = 0;
  bool whole = true;
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    smallest = std::min(smallest, std::abs(value));
    largest = std::max(largest, std::abs(value));
    whole = whole && value == std::trunc(value);
  }
  const bool scientific = largest > 0 && (largest / smallest > 1000 || largest > 1e8 || (!whole && smallest < 1e-4));
  std::vector<std::string> texts;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      texts.push_back(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    } else if (scientific) {
      texts.push_back(fmt::format("{:.4e}", value));
    } else {
      texts.push_back(whole ? fmt::format("{:.0f}.", value) : fmt::format("{:.4f}", value));
    }
  }
  return pad(std::move(texts));
}

std::vector<std::string> format_elements(const Tensor& tensor, const CallSite& site) {
  return visit_dtype(implementation_of(tensor).dtype, [&]<typename T>(std::type_identity<T>) {
    const auto values = tensor.to_vector<T>(site);
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<std::string> texts;
      texts.reserve(values.size());
      for (const bool value : values) texts.push_back(value ? "True" : "False");
      return pad(std::move(texts));
    } else if constexpr (std::is_integral_v<T>) {
      std::vector<std::string> texts;
      texts.reserve(values.size());
      for (const T value : values) texts.push_back(std::to_string(value));
      return pad(std::move(texts));
    } else {
      return format_floating(std::vector<double>(values.begin(), values.end()));
    }
  });
}

/// The first and the last positions of every axis that is longer than both together.
Tensor edges_of(Tensor tensor, const CallSite& site) {
  for (int axis = 0; axis < implementation_of(tensor).geometry.shape.rank(); ++axis) {
    const TensorImplementation& whole = implementation_of(tensor);
    Shape shape = whole.geometry.shape;
    if (shape[axis] <= 2 * edge) continue;
    shape[axis] = 2 * edge;
    const Tensor ends = make_output(shape, whole.dtype, whole.device);
    ends.narrow(axis, 0, edge).copy_(Operand(tensor.narrow(axis, 0, edge), site));
    ends.narrow(axis, edge, edge).copy_(Operand(tensor.slice(axis, -edge), site));
    tensor = ends;
  }
  return tensor;
}

/// Writes nested brackets around elements that are there already as texts.
class Layout {
 public:
  Layout(const Shape& shape, std::vector<std::string> elements, bool summarised)
      : shape_(shape), elements_(std::move(elements)), summarised_(summarised) {}

  std::string text() {
    write(0);
    return std::move(text_);
  }

 private:
  bool leaves_out(int axis) const { return summarised_ && shape_[axis] > 2 * edge; }

  void write(int axis) {
    if (axis == shape_.rank()) {
      text_ += elements_[next_++];
      return;
    }
    const bool innermost = axis == shape_.rank() - 1;
    const std::string indent(opening.size() + static_cast<std::size_t>(axis) + 1, ' ');
    const std::size_t element_width = innermost ? elements_.front().size() + 2 : 0;
    const std::size_t elements_per_line =
        innermost ? std::max<std::size_t>(1, (line_width - std::min(line_width, indent.size())) / element_width) : 1;
    const std::string new_line =
        innermost ? "\n" + indent : std::string(static_cast<std::size_t>(shape_.rank() - 1 - axis), '\n') + indent;
    const std::int64_t shown = leaves_out(axis) ? 2 * edge : shape_[axis];
    text_ += '[';
    std::size_t on_line = 0;
    const auto separate = [&] {
      if (on_line == 0) return;
      text_ += on_line % elements_per_line == 0 ? "," + new_line : ", ";
    };
    for (std::int64_t i = 0; i < shown; ++i) {
      if (i == edge && leaves_out(axis)) {
        separate();
        text_ += innermost ? " ..." : "...";
        ++on_line;
      }
      separate();
      write(axis + 1);
      ++on_line;
    }
    text_ += ']';
  }

  Shape shape_;
  std::vector<std::string> elements_;
  bool summarised_;
  std::string text_;
  std::size_t next_ = 0;
};

}  // namespace

std::string to_string(const Tensor& tensor, CallSite site) {
  if (!tensor.defined()) return "tensor(undefined)";
  const TensorImplementation& whole = implementation_of(tensor);
  const Shape& shape = whole.geometry.shape;
  std::string text(opening);
  std::string suffix;
  if (whole.numel == 0) {
    text += "[]";
    if (shape.rank() != 1) suffix += ", size=" + to_string(shape);
  } else {
    const bool summarised = whole.numel >= summarised_from;
    const Tensor shown = summarised ? edges_of(tensor, site) : tensor;
    text += Layout(shape, format_elements(shown, site), summarised).text();
  }
  if (whole.dtype != default_dtype && whole.dtype != DType::int64 && whole.dtype != DType::bool_)
    suffix += ", dtype=" + std::string(name(whole.dtype));
  if (whole.device != Device()) suffix += ", device=" + to_string(whole.device);
  const std::size_t last_line = text.size() - (text.rfind('\n') + 1);
  if (!suffix.empty() && last_line + suffix.size() + 1 > line_width)
    suffix.replace(0, 2, ",\n" + std::string(opening.size(), ' '));
  return text + suffix + ")";
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) { return stream << to_string(tensor); }

}  // namespace stretto
