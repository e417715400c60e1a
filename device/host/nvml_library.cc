#include "device/host/nvml_library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

// Numbers of the library's interface.
constexpr int kSuccess = 0, kSmClock = 1, kMemoryClock = 2, kOfGpu = 0;

}  // namespace

NvmlLibrary::NvmlLibrary(const std::string& name) : handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw EnvironmentError(::dlerror());
  try {
    GetAll();
    Check(init_(), "nvmlInit");
  } catch (...) {
    ::dlclose(handle_);
    throw;
  }
}

NvmlLibrary::~NvmlLibrary() {
  shutdown_();
  ::dlclose(handle_);
}

template <class Function>
void NvmlLibrary::Get(Function& function, const char* name, bool needed) {
  void* symbol = ::dlsym(handle_, name);
  if (symbol == nullptr && needed) throw EnvironmentError(std::string("it has no ") + name);
  std::memcpy(&function, &symbol, sizeof function);
}

void NvmlLibrary::GetAll() {
  Get(init_, "nvmlInit_v2");
  Get(shutdown_, "nvmlShutdown");
  Get(count_, "nvmlDeviceGetCount_v2");
  Get(device_, "nvmlDeviceGetHandleByIndex_v2");
  Get(energy_, "nvmlDeviceGetTotalEnergyConsumption");
  Get(power_, "nvmlDeviceGetPowerUsage");
  Get(error_, "nvmlErrorString");
  Get(at_bus_, "nvmlDeviceGetHandleByPciBusId_v2", false);
  Get(driver_, "nvmlSystemGetDriverVersion", false);
  Get(clock_, "nvmlDeviceGetClockInfo", false);
  Get(clock_set_, "nvmlDeviceGetApplicationsClock", false);
  Get(power_set_, "nvmlDeviceGetPowerManagementLimit", false);
  Get(temperature_, "nvmlDeviceGetTemperature", false);
  Get(reasons_, "nvmlDeviceGetCurrentClocksEventReasons", false);
  if (reasons_ == nullptr) Get(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons", false);  // before 2023
  Get(utilization_, "nvmlDeviceGetUtilizationRates", false);
  Get(state_, "nvmlDeviceGetPerformanceState", false);
  Get(persistence_, "nvmlDeviceGetPersistenceMode", false);
  Get(generation_, "nvmlDeviceGetMaxPcieLinkGeneration", false);
  Get(width_, "nvmlDeviceGetMaxPcieLinkWidth", false);
}

void NvmlLibrary::Check(int status, const char* call) const {
  if (status != kSuccess) throw EnvironmentError(std::string(call) + ": " + error_(status));
}

unsigned NvmlLibrary::Count() const {
  unsigned count = 0;
  Check(count_(&count), "nvmlDeviceGetCount");
  return count;
}

NvmlLibrary::Device NvmlLibrary::At(unsigned index) const {
  Device device = nullptr;
  Check(device_(index, &device), "nvmlDeviceGetHandleByIndex");
  return device;
}

NvmlLibrary::Device NvmlLibrary::AtBus(const std::string& address) const {
  if (at_bus_ == nullptr) throw EnvironmentError("it has no nvmlDeviceGetHandleByPciBusId_v2");
  Device device = nullptr;
  Check(at_bus_(address.c_str(), &device), "nvmlDeviceGetHandleByPciBusId");
  return device;
}

bool NvmlLibrary::CountsEnergy(Device device) const {
  unsigned long long millijoules = 0;
  return energy_(device, &millijoules) == kSuccess;
}

std::uint64_t NvmlLibrary::Millijoules(Device device) const {
  unsigned long long millijoules = 0;
  Check(energy_(device, &millijoules), "nvmlDeviceGetTotalEnergyConsumption");
  return millijoules;
}

double NvmlLibrary::Watts(Device device) const {
  unsigned milliwatts = 0;
  Check(power_(device, &milliwatts), "nvmlDeviceGetPowerUsage");
  return static_cast<double>(milliwatts) / 1e3;
}

std::string NvmlLibrary::DriverVersion() const {
  std::array<char, 96> text{};
  if (driver_ == nullptr || driver_(text.data(), static_cast<unsigned>(text.size())) != kSuccess) return {};
  return text.data();
}

std::optional<unsigned> NvmlLibrary::Ask(Number call, Device device) {
  unsigned value = 0;
  if (call == nullptr || call(device, &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<unsigned> NvmlLibrary::OfKind(NumberOf call, Device device, int which) {
  unsigned value = 0;
  if (call == nullptr || call(device, which, &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<unsigned> NvmlLibrary::SmMegahertz(Device device) const {
  return OfKind(clock_, device, kSmClock);
}
std::optional<unsigned> NvmlLibrary::MemoryMegahertz(Device device) const {
  return OfKind(clock_, device, kMemoryClock);
}
std::optional<unsigned> NvmlLibrary::SmMegahertzSet(Device device) const {
  return OfKind(clock_set_, device, kSmClock);
}
std::optional<unsigned> NvmlLibrary::MemoryMegahertzSet(Device device) const {
  return OfKind(clock_set_, device, kMemoryClock);
}
std::optional<unsigned> NvmlLibrary::PerformanceState(Device device) const { return Ask(state_, device); }
std::optional<unsigned> NvmlLibrary::PcieGeneration(Device device) const { return Ask(generation_, device); }
std::optional<unsigned> NvmlLibrary::PcieWidth(Device device) const { return Ask(width_, device); }

std::optional<unsigned> NvmlLibrary::Celsius(Device device) const {
  return OfKind(temperature_, device, kOfGpu);
}

namespace {

std::optional<double> InWatts(std::optional<unsigned> milliwatts) {
  if (!milliwatts) return std::nullopt;
  return static_cast<double>(*milliwatts) / 1e3;
}

}  // namespace

std::optional<double> NvmlLibrary::WattsIfTold(Device device) const { return InWatts(Ask(power_, device)); }

std::optional<double> NvmlLibrary::WattsSet(Device device) const { return InWatts(Ask(power_set_, device)); }

std::optional<unsigned long long> NvmlLibrary::ThrottleReasons(Device device) const {
  unsigned long long reasons = 0;
  if (reasons_ == nullptr || reasons_(device, &reasons) != kSuccess) return std::nullopt;
  return reasons;
}

std::optional<double> NvmlLibrary::BusyShare(Device device) const {
  Utilization told{};
  if (utilization_ == nullptr || utilization_(device, &told) != kSuccess) return std::nullopt;
  return static_cast<double>(told.gpu) / 100;
}

std::optional<bool> NvmlLibrary::Persistence(Device device) const {
  const auto on = Ask(persistence_, device);
  if (!on) return std::nullopt;
  return *on != 0;
}

std::string WhyGpuNumbersDiffer(unsigned gpus) {
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) {
    return "CUDA_VISIBLE_DEVICES is set: which GPU is whose cannot be told";
  }
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  if (gpus == 1 || (order != nullptr && std::string(order) == "PCI_BUS_ID")) return {};
  return "there are " + std::to_string(gpus) + " GPUs: CUDA_DEVICE_ORDER=PCI_BUS_ID tells which is whose";
}

}  // namespace tandem
