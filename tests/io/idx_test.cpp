#include <gtest/gtest.h>
#include <stretto/io/idx.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/tensor/tensor.h>

namespace stretto {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A folder that is gone with the test.
class IdxTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("stretto-idx-" + std::to_string(getpid()) + "-" + std::string(info->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(path(name), std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    return path(name);
  }

  std::string write_compressed(const std::string& name, const Bytes& bytes) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path(name);
  }

  std::filesystem::path folder_;
};

Bytes header(const std::vector<std::uint32_t>& extents, std::uint8_t type = 0x08) {
  Bytes bytes = {0, 0, type, static_cast<std::uint8_t>(extents.size())};
  for (const std::uint32_t extent : extents) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
  }
  return bytes;
}

Bytes idx(const std::vector<std::uint32_t>& extents, std::size_t elements, std::uint8_t step = 1) {
  Bytes bytes = header(extents);
  for (std::size_t i = 0; i < elements; ++i) bytes.push_back(static_cast<std::uint8_t>(i * step));
  return bytes;
}

/// The message of the FileError that reading throws.
template <typename Read>
std::string error_of(Read read) {
  try {
    read();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

void expect_says(const std::string& message, const std::string& text) {
  EXPECT_NE(message.find(text), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST_F(IdxTest, ReadsPlainAndCompressedFiles) {
  const Bytes bytes = idx({2, 3}, 6, 50);
  const Bytes expected = {0, 50, 100, 150, 200, 250};
  for (const std::string& file : {write("plain", bytes), write_compressed("compressed.gz", bytes)}) {
    const Tensor tensor = read_idx(file);
    EXPECT_EQ(tensor.shape(), Shape({2, 3}));
    EXPECT_EQ(tensor.dtype(), DType::uint8);
    EXPECT_EQ(tensor.to_vector<std::uint8_t>(), expected);
  }
}

TEST_F(IdxTest, ReadsAFileWithoutElements) {
  EXPECT_EQ(read_idx(write("empty", idx({0, 3}, 0))).shape(), Shape({0, 3}));
}

TEST_F(IdxTest, SaysWhatIsMissing) {
  const std::string message = error_of([&] { read_idx(path("nowhere")); });
  expect_says(message, "[read_idx] cannot read " + path("nowhere") + ": No such file or directory");
  expect_says(message, "(at idx_test.cpp:");
  expect_says(error_of([&] { read_idx(folder_.string()); }), "cannot be read to its end: Is a directory");
}

TEST_F(IdxTest, RefusesWhatIsNoIdxFile) {
  expect_says(error_of([&] { read_idx(write("text", {'h', 'e', 'l', 'l', 'o'})); }),
              "is no IDX file: it begins with 68 65 6c 6c, not with 00 00");
  expect_says(error_of([&] { read_idx(write("nothing", {})); }), "is no IDX file: it begins with , not with 00 00");
  expect_says(error_of([&] { read_idx(write("floats", header({2}, 0x0d))); }),
              "holds elements of type 0x0d; expected unsigned bytes, 0x08");
  expect_says(error_of([&] { read_idx(write("scalar", header({}))); }),
              "says that it has 0 dimensions; expected 1 to 8");
  expect_says(error_of([&] { read_idx(write("deep", {0, 0, 8, 9})); }),
              "says that it has 9 dimensions; expected 1 to 8");
}

TEST_F(IdxTest, SaysHowMuchATruncatedFileLacks) {
  Bytes cut_header = header({2, 3});
  cut_header.resize(9);
  expect_says(error_of([&] { read_idx(write("header", cut_header)); }),
              "ends in its header: expected 12 bytes for 2 dimensions, found 9");
  expect_says(error_of([&] { read_idx(write("short", idx({2, 3}, 5))); }),
              "is too short: shape (2,3) needs 6 bytes behind the header, found 5");
  expect_says(error_of([&] { read_idx(write_compressed("short.gz", idx({2, 3}, 5))); }), "needs 6 bytes");
}

TEST_F(IdxTest, RefusesAFileThatLies) {
  expect_says(error_of([&] { read_idx(write("long", idx({2, 3}, 7))); }),
              "is too long: shape (2,3) needs 6 bytes behind the header, and more follow");
  // Sixteen exabytes are claimed, and nothing near that is asked of the memory.
  expect_says(error_of([&] { read_idx(write("huge", idx({0xffffffff, 0x7fffffff}, 5))); }),
              "is too short: shape (4294967295,2147483647) needs 9223372030412324865 bytes behind the header, found 5");
  expect_says(error_of([&] { read_idx(write("overflow", idx({0xffffffff, 0xffffffff, 0xffffffff}, 5))); }),
              "which no file can hold");
}

TEST_F(IdxTest, NoticesDamageInACompressedFile) {
  const std::string file = write_compressed("cut.gz", idx({4096}, 4096, 37));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 8);
  expect_says(error_of([&] { read_idx(file); }), "it ends too early");

  const std::string flipped = write_compressed("flipped.gz", idx({4096}, 4096, 37));
  std::fstream stream(flipped, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(-8, std::ios::end);
  stream.put('\x55');
  stream.close();
  expect_says(error_of([&] { read_idx(flipped); }), "incorrect data check");
}

class FashionMnistTest : public IdxTest {
 protected:
  /// A tiny data set: 3 images to train with and 2 to test with.
  void write_all() const {
    write("train-images-idx3-ubyte", idx({3, 28, 28}, 3 * 784));
    write("train-labels-idx1-ubyte", idx({3}, 3));
    write_compressed("t10k-images-idx3-ubyte.gz", idx({2, 28, 28}, 2 * 784));
    write_compressed("t10k-labels-idx1-ubyte.gz", idx({2}, 2));
  }
};

TEST_F(FashionMnistTest, ReadsTheFourFilesCompressedOrNot) {
  write_all();
  const FashionMnist data = load_fashion_mnist(folder_.string());
  EXPECT_EQ(data.train_images.shape(), Shape({3, 28, 28}));
  EXPECT_EQ(data.test_images.shape(), Shape({2, 28, 28}));
  EXPECT_EQ(data.train_labels.to_vector<std::uint8_t>(), (Bytes{0, 1, 2}));
  EXPECT_EQ(data.test_labels.to_vector<std::uint8_t>(), (Bytes{0, 1}));
}

TEST_F(FashionMnistTest, NamesTheFileThatIsNotThere) {
  write_all();
  std::filesystem::remove(folder_ / "t10k-labels-idx1-ubyte.gz");
  const std::string message = error_of([&] { load_fashion_mnist(folder_.string()); });
  expect_says(message, "[load_fashion_mnist] there is no t10k-labels-idx1-ubyte in " + folder_.string() +
                           ", compressed or plain: Debian's package dataset-fashion-mnist has it");
}

TEST_F(FashionMnistTest, RefusesShapesAndLabelsOfAnotherDataSet) {
  write_all();
  write("train-labels-idx1-ubyte", idx({2}, 2));
  expect_says(error_of([&] { load_fashion_mnist(folder_.string()); }),
              "expected a label for each of 3 images, found shape (2,)");
  write("train-labels-idx1-ubyte", idx({3}, 3, 7));
  expect_says(error_of([&] { load_fashion_mnist(folder_.string()); }), "label 14 of image 2 is not below 10");
  write("train-images-idx3-ubyte", idx({0, 28, 28}, 0));
  expect_says(error_of([&] { load_fashion_mnist(folder_.string()); }), "train-images-idx3-ubyte: holds no images");
  write("train-images-idx3-ubyte", idx({3, 28, 27}, 3 * 28 * 27));
  expect_says(error_of([&] { load_fashion_mnist(folder_.string()); }),
              "expected images of shape (N,28,28), found (3,28,27)");
}

}  // namespace
}  // namespace stretto
