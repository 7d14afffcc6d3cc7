#pragma once

#include <string>
#include <vector>

namespace stretto::cli {

/// One figure: the median of its samples, and the least and the largest.
struct Result {
  std::string name;
  double value = 0;
  std::string unit;
  double minimum = 0;
  double maximum = 0;
};

/// The median, the least and the largest of `samples`, at least one.
Result summarise(std::string name, std::string unit, std::vector<double> samples);

/// Where `--json FILE` puts the figures.
class ResultFile {
 public:
  /// "" writes nothing. Throws FileError when the file cannot be written: at once, not after the work.
  explicit ResultFile(std::string path);
  /// The file's whole content: version, machine and results. It describes the machine's devices, so it uses the
  /// runtime.
  void write(const std::vector<Result>& results) const;

 private:
  std::string path_;
};

}  // namespace stretto::cli
