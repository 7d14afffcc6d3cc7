#include <chrono>
#include <vector>

#include <cuda_runtime.h>

#include "cli/bench/cuda_programs.h"
#include "cli/bench/task_programs.h"

namespace stretto::cli {
namespace {

using task_programs::Value;

__global__ void update_kernel(Value* target) { task_programs::update(*target, 0, 0); }

__global__ void update_from_two_kernel(Value* target, const Value* first, const Value* second) {
  task_programs::update(*target, *first, *second);
}

const char* text_of(cudaError_t error) { return error == cudaSuccess ? nullptr : cudaGetErrorString(error); }

const char* update(void* stream, std::int64_t* target) {
  update_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(target);
  return text_of(cudaPeekAtLastError());
}

const char* update_from_two(void* stream, std::int64_t* target, const std::int64_t* first, const std::int64_t* second) {
  update_from_two_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(target, first, second);
  return text_of(cudaPeekAtLastError());
}

/// Streams that live as long as this.
class Streams {
 public:
  explicit Streams(int count) : streams_(static_cast<std::size_t>(count)) {
    for (cudaStream_t& stream : streams_) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  ~Streams() {
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  cudaStream_t operator[](std::int64_t i) const {
    return streams_[static_cast<std::size_t>(i % static_cast<std::int64_t>(streams_.size()))];
  }
  void wait() const {
    for (const cudaStream_t stream : streams_) cudaStreamSynchronize(stream);
  }

 private:
  std::vector<cudaStream_t> streams_;
};

/// The second run's: the first has loaded the kernels and touched the memory.
template <typename Work>
double seconds_of_second(Work work) {
  work();
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const char* launch(std::int64_t count, int stream_count, double* seconds) {
  const Streams streams(stream_count);
  void* cells = nullptr;
  if (cudaMalloc(&cells, static_cast<std::size_t>(stream_count) * sizeof(Value)) != cudaSuccess)
    return text_of(cudaGetLastError());
  *seconds = seconds_of_second([&] {
    for (std::int64_t i = 0; i < count; ++i)
      update_kernel<<<1, 1, 0, streams[i]>>>(static_cast<Value*>(cells) + i % stream_count);
    streams.wait();
  });
  cudaFree(cells);
  return text_of(cudaGetLastError());
}

const char* launch_graph(std::int64_t nodes, std::int64_t launches, double* seconds) {
  const Streams streams(1);
  void* cell = nullptr;
  if (cudaMalloc(&cell, sizeof(Value)) != cudaSuccess) return text_of(cudaGetLastError());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal);
  for (std::int64_t i = 0; i < nodes; ++i) update_kernel<<<1, 1, 0, streams[0]>>>(static_cast<Value*>(cell));
  cudaStreamEndCapture(streams[0], &graph);
  if (cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess) {
    *seconds = seconds_of_second([&] {
      for (std::int64_t i = 0; i < launches; ++i) cudaGraphLaunch(executable, streams[0]);
      streams.wait();
    });
    cudaGraphExecDestroy(executable);
  }
  cudaGraphDestroy(graph);
  cudaFree(cell);
  return text_of(cudaGetLastError());
}

const char* copy(std::size_t bytes, int count, bool within, bool to_host, bool from_host, double* seconds) {
  const Streams streams(2);
  void *here = nullptr, *there = nullptr, *out = nullptr, *in = nullptr;
  if (cudaMalloc(&here, bytes) != cudaSuccess || cudaMalloc(&there, bytes) != cudaSuccess ||
      (to_host && cudaHostAlloc(&out, bytes, cudaHostAllocDefault) != cudaSuccess) ||
      (from_host && cudaHostAlloc(&in, bytes, cudaHostAllocDefault) != cudaSuccess)) {
    return text_of(cudaGetLastError());
  }
  *seconds = seconds_of_second([&] {
    for (int i = 0; i < count; ++i) {
      if (within) cudaMemcpyAsync(there, here, bytes, cudaMemcpyDeviceToDevice, streams[0]);
      if (to_host) cudaMemcpyAsync(out, here, bytes, cudaMemcpyDeviceToHost, streams[0]);
      if (from_host) cudaMemcpyAsync(there, in, bytes, cudaMemcpyHostToDevice, streams[1]);
    }
    streams.wait();
  });
  cudaFree(here);
  cudaFree(there);
  cudaFreeHost(out);
  cudaFreeHost(in);
  return text_of(cudaGetLastError());
}

const char* current_gpu(int* gpu) { return text_of(cudaGetDevice(gpu)); }

/// One end of copies between GPUs: memory to copy from and to, and a stream.
struct PeerEnd {
  PeerEnd(int which, int peer, std::size_t bytes) : gpu(which) {
    cudaSetDevice(gpu);
    // Somebody may have allowed it before.
    cudaDeviceEnablePeerAccess(peer, 0);
    cudaGetLastError();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&own, bytes);
    cudaMalloc(&others, bytes);
  }
  ~PeerEnd() {
    cudaSetDevice(gpu);
    cudaFree(own);
    cudaFree(others);
    cudaStreamDestroy(stream);
  }
  PeerEnd(const PeerEnd&) = delete;
  PeerEnd& operator=(const PeerEnd&) = delete;

  int gpu;
  cudaStream_t stream = nullptr;
  void* own = nullptr;
  void* others = nullptr;
};

const char* copy_peers(std::size_t bytes, int count, int from, int to, bool both_ways, double* seconds) {
  int before = 0;
  cudaGetDevice(&before);
  {
    const PeerEnd first(from, to, bytes), second(to, from, bytes);
    if (first.own == nullptr || first.others == nullptr || second.own == nullptr || second.others == nullptr)
      return text_of(cudaErrorMemoryAllocation);
    *seconds = seconds_of_second([&] {
      for (int i = 0; i < count; ++i) {
        cudaMemcpyPeerAsync(second.others, to, first.own, from, bytes, first.stream);
        if (both_ways) cudaMemcpyPeerAsync(first.others, from, second.own, to, bytes, second.stream);
      }
      cudaStreamSynchronize(first.stream);
      cudaStreamSynchronize(second.stream);
    });
  }
  cudaSetDevice(before);
  return text_of(cudaGetLastError());
}

}  // namespace
}  // namespace stretto::cli

extern "C" __attribute__((visibility("default"))) const stretto::cli::CudaPrograms* stretto_bench_cuda_programs() {
  static constexpr stretto::cli::CudaPrograms programs{
      &stretto::cli::update, &stretto::cli::update_from_two, &stretto::cli::launch,    &stretto::cli::launch_graph,
      &stretto::cli::copy,   &stretto::cli::current_gpu,     &stretto::cli::copy_peers};
  return &programs;
}
