// Tensors to and from other libraries, by hand-made ones: what a consumer and a producer of DLPack do. Those of a GPU
// are in tests/cuda.

#include <stretto/tensor/dlpack.h>

#include <array>
#include <memory>

#include "base/environment.h"
#include "tensor/dlpack_layout.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

using Extents = std::vector<std::int64_t>;

/// Zeros of any type.
Tensor blank(const Shape& shape, Device device = cpu(), DType dtype = DType::float32) {
  const Tensor x = empty(shape, device, dtype);
  x.fill_(0);
  return x;
}

Extents list(const std::int64_t* values, std::int32_t count) { return {values, values + count}; }

template <typename T>
T element(const DLManagedTensorVersioned& tensor, std::int64_t offset) {
  return static_cast<const T*>(tensor.dl_tensor.data)[offset];
}

TEST(ToDlpack, DescribesTheTensorAndCopiesNothing) {
  const Tensor x = counting<std::int32_t>({3, 4});
  const DlpackLease lease = to_dlpack(x.t()[1]);
  const DLTensor& given = lease->dl_tensor;
  EXPECT_EQ(lease->version.major, 1u);
  EXPECT_EQ(lease->flags, dlpack::read_only_flag);
  EXPECT_EQ(given.device.device_type, dlpack::cpu_device);
  EXPECT_EQ(given.device.device_id, 0);
  EXPECT_EQ(given.dtype.code, dlpack::int_code);
  EXPECT_EQ(given.dtype.bits, 32);
  EXPECT_EQ(given.dtype.lanes, 1);
  EXPECT_EQ(list(given.shape, given.ndim), (Extents{3}));
  EXPECT_EQ(list(given.strides, given.ndim), (Extents{4}));
  EXPECT_EQ(given.byte_offset, 0u);
  EXPECT_EQ(element<std::int32_t>(*lease, 0), 1);
  EXPECT_EQ(element<std::int32_t>(*lease, 8), 9);
  const DlpackLease whole = to_dlpack(x);
  EXPECT_EQ(static_cast<const std::int32_t*>(whole->dl_tensor.data) + 1, given.data);
}

TEST(ToDlpack, KnowsEveryType) {
  const auto type = [](DType dtype) {
    const DlpackLease lease = to_dlpack(blank({2}, cpu(), dtype));
    return std::array{int{lease->dl_tensor.dtype.code}, int{lease->dl_tensor.dtype.bits}};
  };
  EXPECT_EQ(type(DType::float32), (std::array{2, 32}));
  EXPECT_EQ(type(DType::float64), (std::array{2, 64}));
  EXPECT_EQ(type(DType::float16), (std::array{2, 16}));
  EXPECT_EQ(type(DType::bfloat16), (std::array{4, 16}));
  EXPECT_EQ(type(DType::int64), (std::array{0, 64}));
  EXPECT_EQ(type(DType::uint8), (std::array{1, 8}));
  EXPECT_EQ(type(DType::bool_), (std::array{6, 8}));
}

TEST(ToDlpack, WaitsForTheValues) {
  const Tensor x = slowly_filled({8}, 3, cpu(), 20);
  const DlpackLease lease = to_dlpack(x);
  EXPECT_EQ(element<float>(*lease, 7), 3);
  EXPECT_FALSE(to_dlpack(empty({5}))->dl_tensor.data == nullptr) << "what nobody wrote has memory all the same";
  EXPECT_EQ(to_dlpack(blank({0, 3}))->dl_tensor.ndim, 2);
}

TEST(ToDlpack, HoldsLaterWritersBack) {
  const Tensor x = filled<float>({1000}, 1);
  DlpackLease lease = to_dlpack(x);
  wait_all();  // nothing is pending: nobody wrote
  const Tensor before = x.clone();
  x.fill_(5);
  const Tensor after = x.clone();
  EXPECT_EQ(before.to_vector<float>(), repeated<float>(1000, 1)) << "readers go on";
  sleep_for_milliseconds(20);
  EXPECT_EQ(element<float>(*lease, 999), 1) << "the writer waits";
  lease.reset();
  EXPECT_EQ(after.to_vector<float>(), repeated<float>(1000, 5));
  EXPECT_EQ(x.to_vector<float>(), repeated<float>(1000, 5));
}

TEST(ToDlpack, HoldsBackWhoWritesTheSamePart) {
  const Tensor x = filled<float>({4, 8}, 1);
  DlpackLease lease = to_dlpack(x[1]);
  x[2] = 7;
  EXPECT_EQ(x[2][0].item<float>(), 7) << "another row may be written";
  x[1] = 9;
  sleep_for_milliseconds(10);
  EXPECT_EQ(element<float>(*lease, 7), 1);
  lease.reset();
  EXPECT_EQ(x[1][7].item<float>(), 9);
}

TEST(ToDlpack, SeveralLeasesAreHeldToTheLast) {
  const Tensor x = filled<float>({16}, 1);
  std::vector<DlpackLease> leases;
  for (int i = 0; i < 40; ++i) leases.push_back(to_dlpack(x));
  x += 1;
  while (leases.size() > 1) leases.pop_back();
  sleep_for_milliseconds(5);
  EXPECT_EQ(element<float>(*leases.front(), 15), 1);
  leases.clear();
  wait_all();
  EXPECT_EQ(x[15].item<float>(), 2);
}

TEST(ToDlpack, KeepsTheMemoryWhereNoHandleDoes) {
  DlpackLease lease;
  {
    const Tensor x = counting<std::int64_t>({1 << 16});
    lease = to_dlpack(x);
  }
  for (int i = 0; i < 20; ++i) filled<std::int64_t>({1 << 16}, -1).wait();
  EXPECT_EQ(element<std::int64_t>(*lease, (1 << 16) - 1), (1 << 16) - 1);
}

TEST(ToDlpack, IsEndedByAnyThread) {
  const Tensor x = filled<float>({4}, 1);
  for (int round = 0; round < 50; ++round) {
    DlpackLease lease = to_dlpack(x);
    x += 1;
    std::thread([lease = std::move(lease)]() mutable { lease.reset(); }).join();
    EXPECT_EQ(x[0].item<float>(), static_cast<float>(2 + round));
  }
  wait_all();
}

TEST(ToDlpack, RefusesWhatCannotBeLent) {
  EXPECT_FAILURE(to_dlpack(Tensor(), nullptr, CallSite("program.cpp", "main", 1)), UsageError,
                 "[to_dlpack] the tensor is not defined: it was made by Tensor() and nothing was assigned to it (at "
                 "program.cpp:1)");
  EXPECT_FAILURE(to_dlpack(blank({2}, sim(0)), nullptr, CallSite("program.cpp", "main", 2)), UsageError,
                 "[to_dlpack] other libraries do not know the device sim:0 (at program.cpp:2)");
  const Tensor failed = empty({2});
  task("explode", cpu(), CallSite("program.cpp", "main", 3)).write(failed).run([](TaskContext&) {
    throw Error("it went wrong");
  });
  EXPECT_FAILURE(to_dlpack(failed), Error, "[explode] it went wrong (at program.cpp:3)");
  failed.fill_(1);
  EXPECT_EQ(failed[1].item<float>(), 1) << "a lease that never came about holds nobody";
  const Tensor x = blank({2}), y = blank({2});
  task("inside", cpu(), CallSite("program.cpp", "main", 4)).read(x).write(y).run([x](TaskContext&) {
    static_cast<void>(to_dlpack(x, nullptr, CallSite("program.cpp", "main", 5)));
  });
  EXPECT_FAILURE(y.wait(), UsageError, "[to_dlpack] called inside a task (at program.cpp:5)");
}

/// A library that lends six numbers, 0 to 5, as a matrix of two rows.
class Producer {
 public:
  Producer() {
    values_ = {0, 1, 2, 3, 4, 5};
    tensor_ = {.version = {1, 2},
               .manager_ctx = this,
               .deleter = [](DLManagedTensorVersioned* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; },
               .flags = 0,
               .dl_tensor = {.data = values_.data(),
                             .device = {dlpack::cpu_device, 0},
                             .ndim = 2,
                             .dtype = {dlpack::float_code, 32, 1},
                             .shape = shape_.data(),
                             .strides = nullptr,
                             .byte_offset = 0}};
  }
  DLManagedTensorVersioned* operator->() { return &tensor_; }
  DLManagedTensorVersioned* get() { return &tensor_; }
  void set_strides(std::array<std::int64_t, 2> strides) {
    strides_ = strides;
    tensor_.dl_tensor.strides = strides_.data();
  }

  std::atomic<int> deleted{0};
  std::array<float, 6> values_{};
  std::array<std::int64_t, 2> shape_{2, 3};

 private:
  std::array<std::int64_t, 2> strides_{};
  DLManagedTensorVersioned tensor_{};
};

TEST(FromDlpack, UsesTheMemoryAsItIs) {
  Producer producer;
  {
    const Tensor x = from_dlpack(producer.get());
    EXPECT_EQ(x.shape(), Shape({2, 3}));
    EXPECT_EQ(x.device(), cpu());
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    x[1] = 9;
    x.wait();
    EXPECT_EQ(producer.values_[5], 9) << "what is written here, its owner sees";
    EXPECT_EQ(producer.deleted, 0);
  }
  wait_all();
  EXPECT_EQ(producer.deleted, 1);
}

TEST(FromDlpack, GivesTheMemoryBackBehindTheLastTask) {
  Producer producer;
  Gate gate;
  {
    const Tensor x = from_dlpack(producer.get());
    task("slow", cpu()).read(x).run([gate](TaskContext&) { EXPECT_TRUE(serial_engine() || gate.pass()); });
  }
  if (!serial_engine()) {
    EXPECT_EQ(producer.deleted, 0);
  }
  gate.open();
  wait_all();
  EXPECT_EQ(producer.deleted, 1);
}

TEST(FromDlpack, TakesStridesAndOffsets) {
  Producer producer;
  producer.shape_ = {2, 2};
  producer.set_strides({1, 3});
  producer->dl_tensor.byte_offset = sizeof(float);
  EXPECT_EQ(from_dlpack(producer.get()).to_vector<float>(), (std::vector<float>{1, 4, 2, 5}));
  wait_all();
  // From the last element backwards, as a flipped array is lent.
  producer.shape_ = {2, 3};
  producer.set_strides({-3, -1});
  producer->dl_tensor.byte_offset = 5 * sizeof(float);
  EXPECT_EQ(from_dlpack(producer.get()).to_vector<float>(), (std::vector<float>{5, 4, 3, 2, 1, 0}));
  producer.shape_ = {0, 3};
  producer->dl_tensor.data = nullptr;
  producer->dl_tensor.byte_offset = 0;
  EXPECT_EQ(from_dlpack(producer.get()).numel(), 0);
  wait_all();
  EXPECT_EQ(producer.deleted, 3);
}

TEST(FromDlpack, LeavesWhatIsReadOnlyAsItIs) {
  Producer producer;
  producer->flags = dlpack::read_only_flag;
  const Tensor x = from_dlpack(producer.get());
  EXPECT_FAILURE(x.fill_(1, CallSite("program.cpp", "main", 1)), UsageError,
                 "[fill_] writes into memory of another library, which lets it be read alone: clone the tensor (at "
                 "program.cpp:1)");
  EXPECT_THROW(task("own").read_write(x).run([](TaskContext&) {}), UsageError);
  const Tensor copy = x.clone();
  copy.fill_(1);
  EXPECT_EQ(copy[1][2].item<float>(), 1);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(FromDlpack, RefusesWhatItDoesNotUnderstandAndLeavesItToTheCaller) {
  Producer producer;
  const auto refused = [&](const char* text) {
    try {
      static_cast<void>(from_dlpack(producer.get(), nullptr, CallSite("program.cpp", "main", 1)));
      ADD_FAILURE() << "taken: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), std::string("[from_dlpack] ") + text + " (at program.cpp:1)");
    }
  };
  producer->version.major = 2;
  refused("the tensor is of DLPack 2.2, of which version 1 is understood");
  producer->version.major = 1;
  producer->dl_tensor.dtype = {5, 64, 1};
  refused("elements of DLPack's type 5 with 64 bits and 1 lanes are none of this library's");
  producer->dl_tensor.dtype = {dlpack::float_code, 32, 4};
  refused("elements of DLPack's type 2 with 32 bits and 4 lanes are none of this library's");
  producer->dl_tensor.dtype.lanes = 1;
  producer->dl_tensor.device = {10, 3};
  refused("this process does not use DLPack's device of type 10 with number 3");
  producer->dl_tensor.device = {dlpack::cpu_device, 0};
  producer->dl_tensor.byte_offset = 2;
  refused("elements of 4 bytes do not lie at multiples of that");
  EXPECT_EQ(producer.deleted, 0);
}

/// Out and in again: the values are one memory's, and the lease ends with the tensor that was made of it.
TEST(Dlpack, GoesRoundInOneProcess) {
  if (environment().check_access) GTEST_SKIP() << "to the check these are two tensors, which share their pages";
  const Tensor x = counting({5, 7});
  {
    const Tensor y = from_dlpack(to_dlpack(x.slice(1, 1, 6, 2)).release());
    EXPECT_EQ(y.shape(), Shape({5, 3}));
    EXPECT_EQ(y[4].to_vector<float>(), (std::vector<float>{29, 31, 33}));
    EXPECT_THROW(y.fill_(0), UsageError);
    x += 100;
    EXPECT_EQ(y[0][0].item<float>(), 1);
  }
  EXPECT_EQ(x[0][1].item<float>(), 101);
}

}  // namespace
}  // namespace stretto
