#include "device/energy_nvml.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "profiles/input_error.h"

namespace tandem {
namespace {

constexpr Nanos kUpdate{100'000'000};  // counters and draws are renewed every 20 to 100 ms
constexpr Nanos kMostBetween{10'000'000'000};
constexpr int kSuccess = 0;

// The part of the library's interface that is used; its header need not be there.
class NvmlLibrary {
 public:
  using Device = void*;

  // Throws EnvironmentError where it is not there or does not work.
  explicit NvmlLibrary(const std::string& name) : handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw EnvironmentError(::dlerror());
    try {
      Get(init_, "nvmlInit_v2");
      Get(shutdown_, "nvmlShutdown");
      Get(count_, "nvmlDeviceGetCount_v2");
      Get(device_, "nvmlDeviceGetHandleByIndex_v2");
      Get(energy_, "nvmlDeviceGetTotalEnergyConsumption");
      Get(power_, "nvmlDeviceGetPowerUsage");
      Get(error_, "nvmlErrorString");
      Check(init_(), "nvmlInit");
    } catch (...) {
      ::dlclose(handle_);
      throw;
    }
  }
  ~NvmlLibrary() {
    shutdown_();
    ::dlclose(handle_);
  }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  unsigned Count() const {
    unsigned count = 0;
    Check(count_(&count), "nvmlDeviceGetCount");
    return count;
  }
  Device At(unsigned index) const {
    Device device = nullptr;
    Check(device_(index, &device), "nvmlDeviceGetHandleByIndex");
    return device;
  }
  bool CountsEnergy(Device device) const {
    unsigned long long millijoules = 0;
    return energy_(device, &millijoules) == kSuccess;
  }
  std::uint64_t Millijoules(Device device) const {
    unsigned long long millijoules = 0;
    Check(energy_(device, &millijoules), "nvmlDeviceGetTotalEnergyConsumption");
    return millijoules;
  }
  double Watts(Device device) const {
    unsigned milliwatts = 0;
    Check(power_(device, &milliwatts), "nvmlDeviceGetPowerUsage");
    return static_cast<double>(milliwatts) / 1e3;
  }

 private:
  template <class Function>
  void Get(Function& function, const char* name) {
    void* symbol = ::dlsym(handle_, name);
    if (symbol == nullptr) throw EnvironmentError(std::string("it has no ") + name);
    std::memcpy(&function, &symbol, sizeof function);
  }
  void Check(int status, const char* call) const {
    if (status != kSuccess) throw EnvironmentError(std::string(call) + ": " + error_(status));
  }

  void* handle_;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*device_)(unsigned, Device*) = nullptr;
  int (*energy_)(Device, unsigned long long*) = nullptr;
  int (*power_)(Device, unsigned*) = nullptr;
  const char* (*error_)(int) = nullptr;
};

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
  Nanos update() const override { return kUpdate; }
  Nanos call_within() const override { return counts_ ? kMostBetween : kUpdate; }
  bool Covers(const Unit& unit) const override {
    return unit.backend == Backend::kCuda && unit.device.value_or(0) == static_cast<std::int64_t>(index_);
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

// NVML counts the GPUs along the bus, CUDA those that it may see, the fastest first.
std::string WhyNumbersDiffer(unsigned gpus) {
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) {
    return "CUDA_VISIBLE_DEVICES is set: which GPU is whose cannot be told";
  }
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  if (gpus == 1 || (order != nullptr && std::string(order) == "PCI_BUS_ID")) return {};
  return "there are " + std::to_string(gpus) + " GPUs: CUDA_DEVICE_ORDER=PCI_BUS_ID tells which is whose";
}

}  // namespace

EnergySensors FindNvml(const std::string& name, EnergyClock clock) {
  EnergySensors found{"nvml", {}, ""};
  try {
    const auto library = std::make_shared<const NvmlLibrary>(name);
    const unsigned gpus = library->Count();
    found.why_not = gpus == 0 ? "no GPU" : WhyNumbersDiffer(gpus);
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
