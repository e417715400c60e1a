#include "device/energy/nvml.h"

#include <memory>
#include <utility>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr Nanos kNvmlUpdate{100'000'000};  // counters and draws are renewed every 20 to 100 ms
constexpr Nanos kMostBetweenNvml{10'000'000'000};

class NvmlGpu final : public EnergySensor {
 public:
  NvmlGpu(std::shared_ptr<const NvmlLibrary> library, unsigned index, EnergyClock clock)
      : library_(std::move(library)),
        device_(library_->At(index)),
        index_(index),
        counts_(library_->CountsEnergy(device_)),
        clock_(std::move(clock)) {
    if (!counts_) (void)library_->Watts(device_);  // throws where it tells neither
  }

  std::string name() const override {
    return "nvml gpu " + std::to_string(index_) + (counts_ ? "" : ", by its draw");
  }
  double Joules() override {
    if (!counts_) return sum_.Joules(clock_(), library_->Watts(device_));
    const std::uint64_t now = library_->Millijoules(device_);
    if (!begun_) first_ = now;
    begun_ = true;
    return static_cast<double>(now - first_) / 1e3;
  }
  Nanos update() const override { return kNvmlUpdate; }
  Nanos call_within() const override { return counts_ ? kMostBetweenNvml : kNvmlUpdate; }
  bool Covers(const Unit& unit) const override {
    return unit.On(RunsOn::kNvidiaCard) && unit.device.value_or(0) == static_cast<std::int64_t>(index_);
  }

 private:
  std::shared_ptr<const NvmlLibrary> library_;
  NvmlLibrary::Device device_;
  unsigned index_;
  bool counts_;
  EnergyClock clock_;
  bool begun_ = false;
  std::uint64_t first_ = 0;
  SummedPower sum_;
};

}  // namespace

EnergySensors FindNvml(const std::string& name, EnergyClock clock) {
  EnergySensors found{"nvml", {}, ""};
  try {
    const auto library = std::make_shared<const NvmlLibrary>(name);
    const unsigned gpus = library->Count();
    found.why_not = gpus == 0 ? "no GPU" : WhyGpuNumbersDiffer(gpus);
    if (!found.why_not.empty()) return found;
    for (unsigned index = 0; index < gpus; ++index) {
      found.sensors.push_back(std::make_unique<NvmlGpu>(library, index, clock));
    }
  } catch (const EnvironmentError& error) {
    found.sensors.clear();
    found.why_not = error.what();
  }
  return found;
}

}  // namespace tandem
