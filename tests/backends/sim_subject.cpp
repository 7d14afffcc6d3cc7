#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "backends/in_order_subject.h"
#include "backends/sim/sim_backend.h"
#include "backends/sim/sim_protection.h"

namespace stretto {
namespace {

using std::chrono::microseconds;

/// Simulated devices: bodies work on the host.
class SimSubject : public InOrderSubject {
 public:
  explicit SimSubject(std::string_view model, std::optional<std::uint64_t> schedule_seed = std::nullopt)
      : backend_({.devices = 2,
                  .streams = 2,
                  .memory_bytes = std::size_t{64} << 20,
                  .schedule_seed = schedule_seed,
                  .each = parse_sim_model(model, 2)}) {}

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
    const SimAccess access;
    std::uint64_t value = 0;
    std::memcpy(&value, cell, sizeof(value));
    return value;
  }
  bool lose(int device) override {
    backend_.lose(device, "a test lost it");
    return true;
  }

 private:
  SimBackend backend_;
};

}  // namespace

std::vector<InOrderSubjectMaker> in_order_subjects() {
  using Made = std::unique_ptr<InOrderSubject>;
  return {{"sim", []() -> Made { return std::make_unique<SimSubject>(""); }},
          {"sim_random", []() -> Made { return std::make_unique<SimSubject>("", 20240607); }},
          {"sim_slow",
           []() -> Made {
             return std::make_unique<SimSubject>("launch=30us,event=50us,to_host=2G,from_host=3G,peer=2G", 77);
           }},
          {"sim_h200", []() -> Made { return std::make_unique<SimSubject>("h200,sim:0.speed=0.5"); }},
          {"sim_protected", []() -> Made { return std::make_unique<SimSubject>("protect,staged_peers"); }}};
}

}  // namespace stretto
