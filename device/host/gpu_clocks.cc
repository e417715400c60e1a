#include "device/host/gpu_clocks.h"

#include <cmath>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {

struct Reason {
  unsigned long long bit;
  const char* text;
};
// Those that say that the card would have gone faster. That it idles, or that someone chose its clock, is
// none.
constexpr Reason kHeldBack[] = {
    {0x04, "its power limit"},          {0x08, "its hardware"}, {0x10, "a card beside it"},
    {0x20, "the driver, for its heat"}, {0x40, "its heat"},     {0x80, "its power supply"},
};

GpuClock ReadClock(const NvmlLibrary& library, NvmlLibrary::Device device) {
  GpuClock clock;
  clock.sm_mhz = library.SmMegahertz(device);
  clock.memory_mhz = library.MemoryMegahertz(device);
  clock.state = library.PerformanceState(device);
  clock.celsius = library.Celsius(device);
  clock.watts = library.WattsIfTold(device);
  clock.reasons = library.ThrottleReasons(device);
  clock.persistence = library.Persistence(device);
  clock.sm_mhz_set = library.SmMegahertzSet(device);
  clock.memory_mhz_set = library.MemoryMegahertzSet(device);
  clock.watts_set = library.WattsSet(device);
  return clock;
}

// "before to after", or one of them where they agree or only one is known.
class Range {
 public:
  explicit Range(std::string& text) : text_(text) {}
  template <class Value>
  void Add(const std::string& name, const std::optional<Value>& before, const std::optional<Value>& after,
           const std::string& unit) {
    if (!before && !after) return;
    const auto number = [&](const Value& value) { return std::to_string(std::llround(value)); };
    const std::string first = number(before ? *before : *after), last = number(after ? *after : *before);
    text_ += (text_.empty() ? "" : ", ") + name + first;
    if (first != last) text_ += " to " + (unit.empty() ? name : "") + last;
    text_ += unit;
  }

 private:
  std::string& text_;
};

std::string PersistenceText(bool on) { return std::string("persistence ") + (on ? "on" : "off"); }

std::string ClockText(const GpuClock& before, const GpuClock& after) {
  std::string text;
  Range range(text);
  range.Add("", before.sm_mhz, after.sm_mhz, " MHz");
  range.Add("memory ", before.memory_mhz, after.memory_mhz, " MHz");
  range.Add("P", before.state, after.state, "");
  range.Add("", before.celsius, after.celsius, " C");
  range.Add("", before.watts, after.watts, " W");
  if (after.persistence) text += (text.empty() ? "" : ", ") + PersistenceText(*after.persistence);
  return text.empty() ? "unknown" : text;
}

std::string HeldBackBy(unsigned long long reasons) {
  std::string text;
  for (const Reason& reason : kHeldBack) {
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : " and ") + std::string(reason.text);
  }
  return text;
}

const GpuClock& In(const GpuClocks& clocks, const std::string& unit, const GpuClock& absent) {
  const auto found = clocks.units.find(unit);
  return found == clocks.units.end() ? absent : found->second;
}

}  // namespace

GpuWatch::GpuWatch(const std::vector<Unit>& units, const std::string& library) {
  for (const Unit& unit : units) {
    if (unit.On(RunsOn::kNvidiaCard)) devices_[unit.name] = static_cast<unsigned>(unit.device.value_or(0));
  }
  if (devices_.empty()) return;
  try {
    nvml_ = std::make_unique<NvmlLibrary>(library);
    why_not_ = WhyGpuNumbersDiffer(nvml_->Count());
  } catch (const EnvironmentError& error) {
    why_not_ = error.what();
  }
  if (!why_not_.empty()) nvml_.reset();
}

GpuClocks GpuWatch::Read() const {
  GpuClocks clocks;
  clocks.why_not = why_not_;
  if (!nvml_) return clocks;
  try {
    for (const auto& [unit, device] : devices_) clocks.units[unit] = ReadClock(*nvml_, nvml_->At(device));
  } catch (const EnvironmentError& error) {
    clocks.why_not = error.what();
  }
  return clocks;
}

GpuClocks ReadGpuClocks(const std::vector<Unit>& units, const std::string& library) {
  return GpuWatch(units, library).Read();
}

std::map<std::string, std::string> GpuClocksText(const GpuClocks& before, const GpuClocks& after) {
  std::map<std::string, std::string> texts;
  for (const auto& [unit, clock] : before.units) texts[unit] = ClockText(clock, In(after, unit, clock));
  return texts;
}

std::string GpuSettingsText(const GpuClock& clock) {
  std::string text = clock.persistence ? PersistenceText(*clock.persistence) : "";
  Range range(text);
  range.Add("", clock.sm_mhz_set, clock.sm_mhz_set, " MHz");
  range.Add("memory ", clock.memory_mhz_set, clock.memory_mhz_set, " MHz");
  range.Add("up to ", clock.watts_set, clock.watts_set, " W");
  return text;
}

std::string GpuThrottlingText(const GpuClocks& before, const GpuClocks& after) {
  std::string text;
  for (const auto& [unit, clock] : before.units) {
    const GpuClock& later = In(after, unit, clock);
    const std::string why = HeldBackBy(clock.reasons.value_or(0) | later.reasons.value_or(0));
    if (!why.empty()) text += (text.empty() ? "" : ", ") + unit + " was held back by " + why;
  }
  return text;
}

}  // namespace tandem
