// Other people's streams and libraries on the same GPU: tensors lent and borrowed by DLPack, and tasks that call
// cuBLAS.

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <vector>

#include "cuda/cell_kernels.h"
#include "cuda/cuda_programs.h"
#include "tensor/dlpack_layout.h"

namespace stretto {
namespace {

void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

/// A stream of somebody else's on GPU 0.
class CudaStreams : public CudaPrograms {
 protected:
  void SetUp() override {
    CudaPrograms::SetUp();
    if (IsSkipped()) return;
    check(cudaSetDevice(0));
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (stream_ != nullptr) check(cudaStreamDestroy(stream_));
  }

  /// The last of the values, as a copy in the stream finds it.
  std::uint64_t last_of(const DLManagedTensorVersioned& tensor) const {
    std::uint64_t value = 0;
    const auto* const data = static_cast<const std::uint64_t*>(tensor.dl_tensor.data);
    check(cudaMemcpyAsync(&value, data + tensor.dl_tensor.shape[0] - 1, sizeof(value), cudaMemcpyDefault, stream_));
    check(cudaStreamSynchronize(stream_));
    return value;
  }
  /// Keeps the stream busy for so long.
  void occupy(std::int64_t milliseconds) {
    if (cell_ == nullptr) check(cudaMalloc(&cell_, sizeof(std::uint64_t)));
    append_store(stream_, static_cast<std::byte*>(cell_), 1, milliseconds * 1'000'000);
  }

  cudaStream_t stream_ = nullptr;
  void* cell_ = nullptr;
};

constexpr std::int64_t count = 1 << 20;

/// A tensor whose values come late.
Tensor slow(std::int64_t value, std::int64_t milliseconds) {
  const Tensor x = zeros({count}, gpu(0), DType::int64);
  task("slow", gpu(0)).read_write(x).run([milliseconds](TaskContext& context) {
    auto* const cell = reinterpret_cast<std::byte*>(context.data<std::int64_t>(0));
    append_store(context.cuda_stream(), cell, 0, milliseconds * 1'000'000);
  });
  x += value;
  return x;
}

TEST_F(CudaStreams, AStreamWaitsForWhatItIsLent) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = slow(round, 2);
    const DlpackLease lease = to_dlpack(x, stream_);
    EXPECT_EQ(lease->dl_tensor.device.device_type, dlpack::cuda_device);
    EXPECT_EQ(lease->dl_tensor.device.device_id, 0);
    EXPECT_EQ(last_of(*lease), static_cast<std::uint64_t>(round));
  }
}

TEST_F(CudaStreams, WritersWaitForTheStreamThatWasLentATensor) {
  const Tensor x = full({count}, 1, gpu(0), DType::int64);
  DlpackLease lease = to_dlpack(x, stream_);
  x.fill_(2);
  EXPECT_EQ((ones({4}, gpu(0)) + 1)[0].item<float>(), 2) << "others go on";
  EXPECT_EQ(last_of(*lease), 1u) << "the lease holds the writer back";
  void* copy = nullptr;
  check(cudaMalloc(&copy, count * sizeof(std::int64_t)));
  lease.reset();
  for (int round = 0; round < 10; ++round) {
    lease = to_dlpack(x, stream_);
    const std::int64_t value = x[0].item<std::int64_t>();
    // The reading is still to come when the lease ends.
    occupy(3);
    check(cudaMemcpyAsync(copy, lease->dl_tensor.data, count * sizeof(std::int64_t), cudaMemcpyDefault, stream_));
    lease.reset();
    x += 1;
    x.wait();
    std::int64_t last = 0;
    check(cudaMemcpy(&last, static_cast<std::int64_t*>(copy) + count - 1, sizeof(last), cudaMemcpyDefault));
    EXPECT_EQ(last, value);
    EXPECT_EQ(x[count - 1].item<std::int64_t>(), value + 1);
  }
  check(cudaFree(copy));
}

/// Memory of bare CUDA that is lent to us.
struct Foreign {
  explicit Foreign(cudaStream_t stream) {
    check(cudaMallocAsync(&data, count * sizeof(std::int64_t), stream));
    managed = {.version = {1, 0},
               .manager_ctx = this,
               .deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Foreign*>(self->manager_ctx)->deleted; },
               .flags = 0,
               .dl_tensor = {.data = data,
                             .device = {dlpack::cuda_device, 0},
                             .ndim = 1,
                             .dtype = {dlpack::int_code, 64, 1},
                             .shape = &extent,
                             .strides = nullptr,
                             .byte_offset = 0}};
  }

  void* data = nullptr;
  std::int64_t extent = count;
  std::atomic<int> deleted{0};
  DLManagedTensorVersioned managed{};
};

TEST_F(CudaStreams, OurFirstUseWaitsForTheStreamThatLends) {
  for (int round = 1; round <= 20; ++round) {
    Foreign foreign(stream_);
    occupy(2);
    check(cudaMemsetAsync(foreign.data, round, count * sizeof(std::int64_t), stream_));
    const std::int64_t filled = round * 0x0101010101010101;
    {
      const Tensor x = from_dlpack(&foreign.managed, stream_);
      EXPECT_EQ(max(x).item<std::int64_t>(), filled);
      EXPECT_EQ(min(x).item<std::int64_t>(), filled);
      x += 1;
      EXPECT_EQ(x[count - 1].item<std::int64_t>(), filled + 1);
      EXPECT_EQ(foreign.deleted, 0);
    }
    wait_all();
    EXPECT_EQ(foreign.deleted, 1);
    check(cudaFreeAsync(foreign.data, stream_));
  }
}

TEST_F(CudaStreams, AStreamThatIsNoneIsAnError) {
  if (device_count(DeviceKind::cuda) < 2) GTEST_SKIP() << "needs two devices";
  Foreign foreign(stream_);
  foreign.managed.dl_tensor.device.device_id = 77;
  EXPECT_THROW(static_cast<void>(from_dlpack(&foreign.managed, stream_)), DeviceError);
  EXPECT_EQ(foreign.deleted, 0);
  check(cudaFreeAsync(foreign.data, stream_));
}

TEST_F(CudaStreams, TasksHaveAHandleOfCublas) {
  const Tensor x = uniform({256, 256}, gpu(0)), y = uniform({256, 256}, gpu(0));
  std::vector<Tensor> results;
  for (int i = 0; i < 16; ++i) {
    const Tensor z = empty({256, 256}, gpu(0));
    task("sgemm", gpu(0)).read(x).read(y).write(z).run([](TaskContext& context) {
      const float one = 1, zero = 0;
      const auto handle = static_cast<cublasHandle_t>(context.cublas_handle());
      // Row-major, so the operands change places.
      const cublasStatus_t status =
          cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 256, 256, 256, &one, context.data<const float>(1), 256,
                      context.data<const float>(0), 256, &zero, context.data<float>(2), 256);
      if (status != CUBLAS_STATUS_SUCCESS) throw Error(cublasGetStatusString(status));
    });
    results.push_back(z);
  }
  const Tensor expected = matmul(x, y);
  for (const Tensor& result : results) {
    EXPECT_LT(max(abs(result - expected)).item<float>(), 1e-3f);
    EXPECT_EQ(result.to_vector<float>(), results.front().to_vector<float>());
  }
  task("on the CPU", cpu()).run([](TaskContext& context) { EXPECT_EQ(context.cublas_handle(), nullptr); });
  wait_all();
}

}  // namespace
}  // namespace stretto
