// Stands for NVIDIA's management library in the tests of the energy sensor. The environment says what it has:
// FAKE_NVML_GPUS, and for all of them FAKE_NVML_MILLIJOULES (none: they count no energy) and
// FAKE_NVML_MILLIWATTS (none: they tell no draw).
#include <cstdlib>

namespace {

constexpr int kDone = 0, kNotSupported = 3;

// False where the environment does not have it.
bool Number(const char* name, unsigned long long& value) {
  const char* text = std::getenv(name);
  if (text == nullptr) return false;
  value = std::strtoull(text, nullptr, 10);
  return true;
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

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  unsigned long long value = 0;
  if (!Number("FAKE_NVML_MILLIWATTS", value)) return kNotSupported;
  *milliwatts = static_cast<unsigned>(value);
  return kDone;
}

}  // extern "C"
