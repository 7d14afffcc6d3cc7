// The kernels of the CUDA library, which is looked into without a GPU.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/library/backend_library.h"
#include "kernels/kernel_table.h"

namespace stretto {
namespace {

TEST(CudaKernels, AreThoseOfTheCpu) {
  // On the run path of this program, as on that of the core.
  void* const library = dlopen("libstretto_cuda.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto contents = reinterpret_cast<BackendLibraryFunction>(dlsym(library, backend_library_symbol));
  ASSERT_NE(contents, nullptr) << dlerror();
  std::vector<std::string> on_cuda, on_cpu;
  for (const LibraryKernel& kernel : contents()->kernels()) on_cuda.emplace_back(kernel.name);
  for (const std::string_view name : operators_on(DeviceKind::cpu)) on_cpu.emplace_back(name);
  std::ranges::sort(on_cuda);
  EXPECT_GT(on_cpu.size(), 50u);
  EXPECT_EQ(on_cuda, on_cpu);
}

}  // namespace
}  // namespace stretto
