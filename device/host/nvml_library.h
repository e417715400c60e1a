// NVML, NVIDIA's management library, as far as it is read here; it is loaded where it is there, its header
// need not be. Nothing here changes a setting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tandem {

inline constexpr const char* kNvmlName = "libnvidia-ml.so.1";

class NvmlLibrary {
 public:
  using Device = void*;

  // Throws EnvironmentError where it is not there or does not work.
  explicit NvmlLibrary(const std::string& name = kNvmlName);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  unsigned Count() const;
  Device At(unsigned index) const;  // counted along the bus
  // "0000:3b:00.0", as the CUDA runtime tells it.
  Device AtBus(const std::string& address) const;

  bool CountsEnergy(Device device) const;
  std::uint64_t Millijoules(Device device) const;
  double Watts(Device device) const;

  // What a driver or a card does not tell is nothing.
  std::string DriverVersion() const;
  std::optional<unsigned> SmMegahertz(Device device) const;
  std::optional<unsigned> MemoryMegahertz(Device device) const;
  std::optional<unsigned> PerformanceState(Device device) const;  // 0: the fastest
  std::optional<unsigned> Celsius(Device device) const;
  std::optional<double> WattsIfTold(Device device) const;
  std::optional<unsigned long long> ThrottleReasons(Device device) const;
  std::optional<bool> Persistence(Device device) const;
  // Of the last moments (a sixth of a second to a second, as the card has it), in which something ran there.
  std::optional<double> BusyShare(Device device) const;
  // What someone has set: the clocks that programs are to get, and the most that it may draw.
  std::optional<unsigned> SmMegahertzSet(Device device) const;
  std::optional<unsigned> MemoryMegahertzSet(Device device) const;
  std::optional<double> WattsSet(Device device) const;
  // The best that card and board can do together; asleep a link is slower.
  std::optional<unsigned> PcieGeneration(Device device) const;
  std::optional<unsigned> PcieWidth(Device device) const;

 private:
  using Number = int (*)(Device, unsigned*);

  template <class Function>
  void Get(Function& function, const char* name, bool needed = true);
  void GetAll();
  void Check(int status, const char* call) const;
  static std::optional<unsigned> Ask(Number call, Device device);
  using NumberOf = int (*)(Device, int, unsigned*);
  static std::optional<unsigned> OfKind(NumberOf call, Device device, int which);

  void* handle_;
  int (*init_)() = nullptr;
  int (*shutdown_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*device_)(unsigned, Device*) = nullptr;
  int (*at_bus_)(const char*, Device*) = nullptr;
  int (*energy_)(Device, unsigned long long*) = nullptr;
  const char* (*error_)(int) = nullptr;
  int (*driver_)(char*, unsigned) = nullptr;
  NumberOf clock_ = nullptr, clock_set_ = nullptr, temperature_ = nullptr;
  int (*reasons_)(Device, unsigned long long*) = nullptr;
  struct Utilization {
    unsigned gpu, memory;  // percent
  };
  int (*utilization_)(Device, Utilization*) = nullptr;
  Number power_ = nullptr, power_set_ = nullptr, state_ = nullptr, persistence_ = nullptr,
         generation_ = nullptr, width_ = nullptr;
};

// Why a unit's `device`, which CUDA counts the fastest first among those that it may see, need not be NVML's
// of that number; empty where it is.
std::string WhyGpuNumbersDiffer(unsigned gpus);

}  // namespace tandem
