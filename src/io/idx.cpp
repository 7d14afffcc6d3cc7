#include <fmt/format.h>
#include <stretto/io/idx.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/tensor/creation.h>

namespace stretto {
namespace {

constexpr std::uint8_t unsigned_bytes = 0x08;

/// A file read front to back, decompressed where it is compressed.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb"), &gzclose) {
    if (!file_) throw FileError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    gzbuffer(file_.get(), 1 << 18);
  }

  /// Up to `count` bytes: fewer at the end of the file.
  std::size_t read(std::uint8_t* target, std::size_t count) {
    std::size_t done = 0;
    while (done < count) {
      errno = 0;
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(count - done, 1 << 30));
      const int got = gzread(file_.get(), target + done, wanted);
      if (got < 0) fail();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    // A compressed file that ends before its end is no error of the last gzread, only a remark beside it.
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) fail();
    return done;
  }

 private:
  [[noreturn]] void fail() {
    int code = Z_OK;
    const char* text = gzerror(file_.get(), &code);
    const std::string reason = code == Z_ERRNO       ? std::strerror(errno)
                               : code == Z_BUF_ERROR ? "it ends too early"
                                                     : text;
    throw FileError(fmt::format("{} cannot be read to its end: {}", path_, reason));
  }

  std::string path_;
  std::unique_ptr<gzFile_s, decltype(&gzclose)> file_;
};

Shape read_header(ByteSource& source, const std::string& path) {
  std::array<std::uint8_t, 4> magic{};
  const std::size_t got = source.read(magic.data(), magic.size());
  if (got < magic.size() || magic[0] != 0 || magic[1] != 0) {
    throw FileError(fmt::format("{} is no IDX file: it begins with {:02x}, not with 00 00", path,
                                fmt::join(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(got), " ")));
  }
  if (magic[2] != unsigned_bytes) {
    throw FileError(fmt::format("{} holds elements of type 0x{:02x}; expected unsigned bytes, 0x08", path, magic[2]));
  }
  const int rank = magic[3];
  if (rank < 1 || rank > max_rank) {
    throw FileError(fmt::format("{} says that it has {} dimensions; expected 1 to {}", path, rank, max_rank));
  }
  std::vector<std::uint8_t> extents(static_cast<std::size_t>(4 * rank));
  const std::size_t found = source.read(extents.data(), extents.size());
  if (found < extents.size()) {
    throw FileError(fmt::format("{} ends in its header: expected {} bytes for {} dimensions, found {}", path,
                                4 + extents.size(), rank, 4 + found));
  }
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const std::uint8_t* bytes = extents.data() + 4 * axis;
    shape.push_back(std::int64_t{bytes[0]} << 24 | std::int64_t{bytes[1]} << 16 | std::int64_t{bytes[2]} << 8 |
                    bytes[3]);
  }
  return shape;
}

/// The number of elements, which the header may have made up.
std::size_t claimed_bytes(const Shape& shape, const std::string& path) {
  try {
    return static_cast<std::size_t>(shape.numel());
  } catch (const ShapeError&) {
    throw FileError(fmt::format("{} says that its shape is {}, which no file can hold", path, to_string(shape)));
  }
}

std::vector<std::uint8_t> read_elements(ByteSource& source, const Shape& shape, const std::string& path) {
  const std::size_t claimed = claimed_bytes(shape, path);
  // Memory grows with what is really there.
  constexpr std::size_t step = std::size_t{16} << 20;
  std::vector<std::uint8_t> bytes;
  std::size_t found = 0;
  while (found < claimed) {
    bytes.resize(std::min(claimed, found + step));
    const std::size_t got = source.read(bytes.data() + found, bytes.size() - found);
    found += got;
    if (found < bytes.size()) break;
  }
  if (found < claimed) {
    throw FileError(fmt::format("{} is too short: shape {} needs {} bytes behind the header, found {}", path,
                                to_string(shape), claimed, found));
  }
  std::uint8_t more = 0;
  if (source.read(&more, 1) == 1) {
    throw FileError(fmt::format("{} is too long: shape {} needs {} bytes behind the header, and more follow", path,
                                to_string(shape), claimed));
  }
  return bytes;
}

std::pair<Shape, std::vector<std::uint8_t>> read_bytes(const std::string& path) {
  ByteSource source(path);
  const Shape shape = read_header(source, path);
  return {shape, read_elements(source, shape, path)};
}

std::string find_file(const std::string& directory, const char* name) {
  const std::filesystem::path plain = std::filesystem::path(directory) / name;
  std::string compressed = plain.string() + ".gz";
  std::error_code ignored;
  if (std::filesystem::exists(compressed, ignored)) return compressed;
  if (std::filesystem::exists(plain, ignored)) return plain.string();
  throw FileError(fmt::format(
      "there is no {} in {}, compressed or plain: Debian's package dataset-fashion-mnist has it", name, directory));
}

Tensor load_images(const std::string& directory, const char* name, CallSite site) {
  const std::string path = find_file(directory, name);
  const auto [shape, bytes] = read_bytes(path);
  constexpr int side = FashionMnist::side;
  if (shape.rank() != 3 || shape[1] != side || shape[2] != side) {
    throw FileError(
        fmt::format("{}: expected images of shape (N,{},{}), found {}", path, side, side, to_string(shape)));
  }
  if (shape[0] == 0) throw FileError(fmt::format("{}: holds no images", path));
  return from_vector(bytes, shape, cpu(), site);
}

Tensor load_labels(const std::string& directory, const char* name, std::int64_t images, CallSite site) {
  const std::string path = find_file(directory, name);
  const auto [shape, bytes] = read_bytes(path);
  if (shape != Shape{images}) {
    throw FileError(
        fmt::format("{}: expected a label for each of {} images, found shape {}", path, images, to_string(shape)));
  }
  const auto wrong = std::ranges::find_if(bytes, [](std::uint8_t label) { return label >= FashionMnist::classes; });
  if (wrong != bytes.end()) {
    throw FileError(fmt::format("{}: label {} of image {} is not below {}", path, *wrong, wrong - bytes.begin(),
                                FashionMnist::classes));
  }
  return from_vector(bytes, shape, cpu(), site);
}

}  // namespace

Tensor read_idx(const std::string& path, CallSite site) {
  try {
    const auto [shape, bytes] = read_bytes(path);
    return from_vector(bytes, shape, cpu(), site);
  } catch (Error& error) {
    error.with_context("read_idx", site);
    throw;
  }
}

FashionMnist load_fashion_mnist(const std::string& directory, CallSite site) {
  try {
    FashionMnist data;
    data.train_images = load_images(directory, "train-images-idx3-ubyte", site);
    data.train_labels = load_labels(directory, "train-labels-idx1-ubyte", data.train_images.size(0), site);
    data.test_images = load_images(directory, "t10k-images-idx3-ubyte", site);
    data.test_labels = load_labels(directory, "t10k-labels-idx1-ubyte", data.test_images.size(0), site);
    return data;
  } catch (Error& error) {
    error.with_context("load_fashion_mnist", site);
    throw;
  }
}

}  // namespace stretto
