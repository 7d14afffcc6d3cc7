#include "cli/bench/library_product.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <dnnl.h>

#include <stretto/base/error.h>

#include "cli/bench/bench_run.h"
#include "cli/bench/task_programs.h"

namespace stretto::cli {
namespace {

/// Loaded by who measures it: it is large, and nothing else needs it.
decltype(&dnnl_sgemm) load_product() {
  const std::string name = "libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(fmt::format("bench matmul compares with {}: {}", name, dlerror()));
  const auto product = reinterpret_cast<decltype(&dnnl_sgemm)>(dlsym(library, "dnnl_sgemm"));
  if (product == nullptr) throw Error(name + " has no dnnl_sgemm");
  return product;
}

}  // namespace

std::vector<float> product_operand(std::int64_t n, std::uint64_t seed) {
  task_programs::SplitMix64 random(seed);
  std::vector<float> values(static_cast<std::size_t>(n * n));
  for (float& value : values) value = static_cast<float>(random.next() >> 40) * 0x1p-24f - 0.5f;
  return values;
}

LibraryProduct::LibraryProduct(std::int64_t n)
    : process_({own_program(), "helper", "library-product", std::to_string(n)}) {}

double LibraryProduct::measure() {
  process_.write_line("measure");
  const std::optional<std::string> line = process_.read_line();
  if (!line) throw Error("matmul: the process that measures the library failed");
  return std::strtod(line->c_str(), nullptr);
}

void serve_library_product(std::int64_t n) {
  const std::vector<float> a = product_operand(n, 1), b = product_operand(n, 2);
  std::vector<float> c(a.size());
  const auto product = load_product();
  const auto multiply = [&] {
    if (product('N', 'N', n, n, n, 1.0f, a.data(), n, b.data(), n, 0.0f, c.data(), n) != dnnl_success) {
      throw Error("dnnl_sgemm failed");
    }
  };
  std::string line;
  while (std::getline(std::cin, line)) {
    // The first call after a pause wakes the library's threads.
    multiply();
    fmt::print("{}\n", seconds_of(multiply));
    std::fflush(stdout);
  }
}

}  // namespace stretto::cli
