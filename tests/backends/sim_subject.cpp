#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "backends/in_order_subject.h"
#include "backends/sim/sim_backend.h"

namespace stretto {
namespace {

using std::chrono::microseconds;

/// Simulated devices: bodies work on the host.
class SimSubject : public InOrderSubject {
 public:
  explicit SimSubject(std::optional<std::uint64_t> schedule_seed)
      : backend_({.devices = 2, .streams = 2, .memory_bytes = std::size_t{16} << 20, .schedule_seed = schedule_seed}) {}

  Backend& backend() override { return backend_; }
  Body store(std::byte* cell, std::uint64_t value, microseconds time) override {
    return [=](KernelContext&) {
      if (time.count() > 0) std::this_thread::sleep_for(time);
      std::memcpy(cell, &value, sizeof(value));
    };
  }
  Body fold(std::byte* destination, const std::byte* source) override {
    return [=, this](KernelContext&) {
      const std::uint64_t value = 31 * load(destination) + load(source) + 1;
      std::memcpy(destination, &value, sizeof(value));
    };
  }
  std::uint64_t load(const std::byte* cell) override {
    std::uint64_t value = 0;
    std::memcpy(&value, cell, sizeof(value));
    return value;
  }

 private:
  SimBackend backend_;
};

}  // namespace

std::vector<InOrderSubjectMaker> in_order_subjects() {
  return {{"sim", []() -> std::unique_ptr<InOrderSubject> { return std::make_unique<SimSubject>(std::nullopt); }},
          {"sim_random", []() -> std::unique_ptr<InOrderSubject> { return std::make_unique<SimSubject>(20240607); }}};
}

}  // namespace stretto
