// Stands for NVIDIA's management library in the tests. The environment says what it has: FAKE_NVML_GPUS, and
// for all of them FAKE_NVML_MILLIJOULES (none: they count no energy), FAKE_NVML_MILLIWATTS (none: they tell
// no draw) and so on: what is not set is not supported.
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kDone = 0, kNotSupported = 3;

// False where the environment does not have it.
bool Number(const char* name, unsigned long long& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  value = std::strtoull(text, nullptr, 10);
  return true;
}

int Small(const char* name, unsigned* result) {
  unsigned long long value = 0;
  if (!Number(name, value)) return kNotSupported;
  *result = static_cast<unsigned>(value);
  return kDone;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return std::getenv("FAKE_NVML_GPUS") != nullptr ? kDone : kNotSupported; }
int nvmlShutdown() { return kDone; }
const char* nvmlErrorString(int) { return "Not Supported"; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  unsigned long long gpus = 0;
  Number("FAKE_NVML_GPUS", gpus);
  *count = static_cast<unsigned>(gpus);
  return kDone;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  static int it = 0;
  *device = &it;
  return kDone;
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  return Number("FAKE_NVML_MILLIJOULES", *millijoules) ? kDone : kNotSupported;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return Small("FAKE_NVML_MILLIWATTS", milliwatts); }

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  const char* version = std::getenv("FAKE_NVML_DRIVER");
  if (version == nullptr) return kNotSupported;
  std::strncpy(text, version, size - 1);
  return kDone;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
  return nvmlDeviceGetHandleByIndex_v2(0, device);
}
int nvmlDeviceGetClockInfo(void*, int which, unsigned* mhz) {
  return Small(which == 1 ? "FAKE_NVML_SM_MHZ" : "FAKE_NVML_MEMORY_MHZ", mhz);
}
int nvmlDeviceGetApplicationsClock(void*, int which, unsigned* mhz) {
  return Small(which == 1 ? "FAKE_NVML_SM_MHZ_SET" : "FAKE_NVML_MEMORY_MHZ_SET", mhz);
}
int nvmlDeviceGetPowerManagementLimit(void*, unsigned* milliwatts) {
  return Small("FAKE_NVML_MILLIWATTS_SET", milliwatts);
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return Small("FAKE_NVML_CELSIUS", celsius); }
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return Number("FAKE_NVML_REASONS", *reasons) ? kDone : kNotSupported;
}
int nvmlDeviceGetUtilizationRates(void*, unsigned* gpu_and_memory) {
  gpu_and_memory[1] = 7;  // the memory's, which nobody asks for
  return Small("FAKE_NVML_BUSY", gpu_and_memory);
}
int nvmlDeviceGetPerformanceState(void*, unsigned* state) { return Small("FAKE_NVML_STATE", state); }
int nvmlDeviceGetPersistenceMode(void*, unsigned* on) { return Small("FAKE_NVML_PERSISTENCE", on); }
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  return Small("FAKE_NVML_PCIE_GENERATION", generation);
}
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) { return Small("FAKE_NVML_PCIE_WIDTH", lanes); }

}  // extern "C"
