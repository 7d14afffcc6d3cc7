#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::cli {

/// What benches do on a GPU beside the runtime, as a library of its own gives it: kernels for user tasks, and the same
/// work by bare CUDA. Every function returns null, or what went wrong. Streams are `cudaStream_t`s of the thread's
/// current GPU.
struct CudaPrograms {
  /// Appends `task_programs::update(*target)`, or with what two others hold.
  const char* (*update)(void* stream, std::int64_t* target);
  const char* (*update_from_two)(void* stream, std::int64_t* target, const std::int64_t* first,
                                 const std::int64_t* second);
  /// Seconds of so many launches of `update`, on so many streams in turn, until the last is done.
  const char* (*launch)(std::int64_t count, int streams, double* seconds);
  /// Seconds of so many launches of a graph that launches `update` so often, one after the other, until the last is
  /// done.
  const char* (*launch_graph)(std::int64_t nodes, std::int64_t launches, double* seconds);
  /// Seconds of so many copies of `bytes`: within the device, to page-locked memory and from it; the last two at the
  /// same time where both are wanted.
  const char* (*copy)(std::size_t bytes, int count, bool within, bool to_host, bool from_host, double* seconds);
  /// The thread's current GPU, as CUDA counts them.
  const char* (*current_gpu)(int* gpu);
  /// Seconds of so many copies of `bytes` from one GPU to another, and at the same time back where both ways are
  /// wanted; directly, where the machine has a way.
  const char* (*copy_peers)(std::size_t bytes, int count, int from, int to, bool both_ways, double* seconds);
};

/// The name under which the library exports a function that returns them.
inline constexpr const char* cuda_programs_symbol = "stretto_bench_cuda_programs";
using CudaProgramsFunction = const CudaPrograms* (*)();

/// Those of the library, loaded at the first call. Throws Error where it is missing.
const CudaPrograms& cuda_programs();
/// Throws Error where a program says that something went wrong.
void check_cuda_program(const char* problem);

}  // namespace stretto::cli
