#include "cli/run_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write_idx(const std::string& path, const std::vector<std::uint32_t>& extents,
               const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << std::string({'\0', '\0', '\x08', static_cast<char>(extents.size())});
  for (const std::uint32_t extent : extents) {
    for (int shift = 24; shift >= 0; shift -= 8) file << static_cast<char>(extent >> shift & 0xff);
  }
  file.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

void write_pair(const std::string& folder, const std::string& part, int count) {
  constexpr int side = 28;
  std::vector<std::uint8_t> pixels, labels;
  for (int image = 0; image < count; ++image) {
    const int label = image * 7 % 10;
    labels.push_back(static_cast<std::uint8_t>(label));
    // A bright band at a height of its own for each label, on a ground that differs from image to image.
    for (int pixel = 0; pixel < side * side; ++pixel) {
      const bool band = pixel / side / 2 == label;
      pixels.push_back(static_cast<std::uint8_t>(band ? 220 : (pixel * 31 + image * 17) % 60));
    }
  }
  const auto number = static_cast<std::uint32_t>(count);
  write_idx(folder + part + "-images-idx3-ubyte", {number, side, side}, pixels);
  write_idx(folder + part + "-labels-idx1-ubyte", {number}, labels);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                          const std::string& input, const std::string& before) {
  const TemporaryFolder folder;
  std::string line = before + " env";
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string assignment = *entry;
    if (assignment.starts_with("STRETTO_")) line += " -u " + assignment.substr(0, assignment.find('='));
  }
  line += " STRETTO_CUDA_DEVICES=none";
  for (const std::string& assignment : environment) line += " " + quoted(assignment);
  line += " " + quoted(STRETTO_COMMAND);
  for (const std::string& argument : arguments) line += " " + quoted(argument);
  line += " >" + quoted(folder.path("output")) + " 2>" + quoted(folder.path("errors")) + " <" + quoted(input);
  const int status = std::system(line.c_str());
  if (status < 0 || !WIFEXITED(status)) throw std::runtime_error("cannot run " + line);
  return {WEXITSTATUS(status), contents(folder.path("output")), contents(folder.path("errors"))};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "stretto-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder " + name);
  path_ = name + "/";
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::string TemporaryFolder::path(const std::string& name) const { return path_ + name; }

void TemporaryFolder::write_data_set(int train_images, int test_images) const {
  write_pair(path_, "train", train_images);
  write_pair(path_, "t10k", test_images);
}
