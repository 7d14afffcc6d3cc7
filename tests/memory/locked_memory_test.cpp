#include "memory/locked_memory.h"

#include <cstddef>
#include <map>
#include <memory>

#include <gtest/gtest.h>

namespace stretto {
namespace {

class HeapMemory final : public MemorySource {
 public:
  std::byte* allocate(std::size_t bytes) override {
    ++held;
    return static_cast<std::byte*>(::operator new(bytes));
  }
  void release(std::byte* data, std::size_t /*bytes*/) override {
    --held;
    ::operator delete(data);
  }
  std::size_t capacity() const override { return 1000; }

  int held = 0;
};

/// Locks no more than so many bytes.
class LockingBackend final : public Backend {
 public:
  DeviceKind kind() const override { return DeviceKind::sim; }
  int device_count() const override { return 0; }
  DeviceDescription describe(int /*device*/) const override { return {}; }
  MemorySource& memory(int /*device*/) override { return source_; }
  bool lock_pages(std::byte* data, std::size_t bytes) override {
    ++asked;
    if (locked + bytes > 100) return false;
    locked += bytes;
    ranges_[data] = bytes;
    return true;
  }
  void unlock_pages(std::byte* data, std::size_t bytes) override {
    EXPECT_EQ(ranges_.at(data), bytes);
    ranges_.erase(data);
    locked -= bytes;
  }

  int asked = 0;
  std::size_t locked = 0;

 private:
  HeapMemory source_;
  std::map<std::byte*, std::size_t> ranges_;
};

TEST(LockedMemory, LocksWhatItHandsOutAndUnlocksItBefore) {
  HeapMemory pages;
  LockingBackend backend;
  LockedMemory memory(pages, backend);
  std::byte* const data = memory.allocate(60);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(backend.locked, 60u);
  memory.release(data, 60);
  EXPECT_EQ(backend.locked, 0u);
  EXPECT_EQ(pages.held, 0);
  EXPECT_EQ(memory.capacity(), 1000u);
}

TEST(LockedMemory, AsksAgainOnlyWhenSomethingCameBack) {
  HeapMemory pages;
  LockingBackend backend;
  LockedMemory memory(pages, backend);
  std::byte* const data = memory.allocate(60);
  EXPECT_EQ(memory.allocate(60), nullptr);
  EXPECT_EQ(memory.allocate(10), nullptr);
  EXPECT_EQ(backend.asked, 2);
  EXPECT_EQ(pages.held, 1) << "what could not be locked was given back";
  memory.release(data, 60);
  std::byte* const again = memory.allocate(60);
  EXPECT_NE(again, nullptr);
  memory.release(again, 60);
}

}  // namespace
}  // namespace stretto
