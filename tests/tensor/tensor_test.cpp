#include <type_traits>

#include "tensor/tensor_implementation.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

static_assert(sizeof(Tensor) == sizeof(void*));
static_assert(std::is_nothrow_move_constructible_v<Tensor> && std::is_nothrow_move_assignable_v<Tensor>);
static_assert(!std::is_assignable_v<Tensor&, int>, "a name cannot be assigned a number");

class TensorOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(TensorOn);

TEST_P(TensorOn, SaysWhatItIs) {
  const Tensor x = empty({2, 3, 4}, device(), DType::int64);
  EXPECT_TRUE(x.defined());
  EXPECT_EQ(x.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(x.strides(), Strides({12, 4, 1}));
  EXPECT_EQ(x.dtype(), DType::int64);
  EXPECT_EQ(x.device(), device());
  EXPECT_EQ(x.numel(), 24);
  EXPECT_EQ(x.rank(), 3);
  EXPECT_EQ(x.size(-1), 4);
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_FALSE(x.transpose(0, 1).is_contiguous());
}

TEST_P(TensorOn, AssigningToANameRebindsIt) {
  Tensor x = filled<float>({2}, 1, device());
  const Tensor also_x = x;
  const Tensor y = filled<float>({2}, 2, device());
  x = y;
  EXPECT_EQ(also_x.to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_TRUE(x.shares_storage(y));
  EXPECT_FALSE(x.shares_storage(also_x));
}

TEST_P(TensorOn, AssigningToAViewWritesIntoIt) {
  const Tensor x = filled<float>({3, 2}, 0, device());
  const Tensor row = counting({2}, device());
  x[1] = row;
  x[2][0] = 7;
  x.slice(1, 1, 2) = 2.5;
  x[0] = x[1];
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 2.5, 0, 2.5, 7, 2.5}));
}

TEST_P(TensorOn, AViewKeepsTheStorage) {
  Tensor column;
  {
    const Tensor x = counting({3, 3}, device());
    column = x.select(1, 2);
  }
  EXPECT_EQ(column.to_vector<float>(), (std::vector<float>{2, 5, 8}));
}

TEST(Tensor, IsNotDefinedAtFirst) {
  const Tensor x;
  EXPECT_FALSE(x.defined());
  const std::string why = "the tensor is not defined: it was made by Tensor() and nothing was assigned to it";
  EXPECT_FAILURE(x.shape(), UsageError, "[shape] " + why + here());
  EXPECT_FAILURE(x.device(), UsageError, "[device] " + why + here());
  EXPECT_FAILURE(x.item<float>(), UsageError, "[item] " + why + here());
  EXPECT_FAILURE(x.to_vector<float>(), UsageError, "[to_vector] " + why + here());
  EXPECT_FAILURE(x.host<float>(), UsageError, "[host] " + why + here());
  EXPECT_FAILURE(x.wait(), UsageError, "[wait] " + why + here());
  EXPECT_FAILURE(x.reshape({1}), UsageError, "[reshape] " + why + here());
  EXPECT_FAILURE(x[0], UsageError, "[index] " + why + here());
  EXPECT_FAILURE(x.to(cpu()), UsageError, "[to] " + why + here());
  EXPECT_FAILURE(x.to(DType::int64), UsageError, "[to] " + why + here());
  EXPECT_FAILURE(x.clone(), UsageError, "[clone] " + why + here());
  EXPECT_FAILURE(x.fill_(1), UsageError, "[fill_] " + why + here());
  EXPECT_FAILURE(x.copy_(1), UsageError, "[copy_] " + why + here());
  EXPECT_FAILURE(x += 1, UsageError, "[add_] " + why + here());
  EXPECT_FAILURE(filled<float>({1}, 1).copy_(x), UsageError, "[copy_] " + why + here());
  EXPECT_FAILURE(filled<float>({1}, 1) += x, UsageError, "[add_] " + why + here());
}

TEST(Tensor, NamesTheLineOfAWrongAxis) {
  const Tensor x = empty({2, 3});
  EXPECT_FAILURE(x.size(2), IndexError, "[size] axis 2 is out of range for a tensor of 2 dimensions" + here());
}

TEST(Tensor, HandlesMayBeCopiedByManyThreads) {
  const Tensor x = filled<float>({4}, 3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([x] {
      for (int k = 0; k < 2000; ++k) Tensor(x).slice(0, 1, 3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(implementation_of(x).count.load(), 1u);
  EXPECT_EQ(x.to_vector<float>(), repeated<float>(4, 3));
}

}  // namespace
}  // namespace stretto
