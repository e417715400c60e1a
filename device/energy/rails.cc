#include "device/energy/rails.h"

#include <algorithm>
#include <array>
#include <utility>

#include "device/host/sysfs.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr Nanos kRailsUpdate{100'000'000};  // such chips average over some tens of milliseconds
constexpr std::array<std::string_view, 3> kWholeBoard = {"VDD_IN", "POM_5V_IN", "5V_IN"};
// Of a Jetson AGX Orin: what the first of these measures hangs on the second one (NVIDIA's developer guide).
constexpr std::string_view kWithin = "VDDQ_VDD2_1V8AO", kAround = "VIN_SYS_5V0";
constexpr std::size_t kMostNamed = 6;

// "ina3221 GPU + CPU", or where there are many "ina2xx, 18 rails".
std::string NameOfRails(const std::string& kind, const std::vector<Rail>& rails) {
  if (rails.size() > kMostNamed) return kind + ", " + std::to_string(rails.size()) + " rails";
  return kind + " " + Joined(rails, " + ", &Rail::label);
}

class SummedRails final : public EnergySensor {
 public:
  SummedRails(const std::string& kind, std::vector<Rail> rails, EnergyClock clock)
      : rails_(std::move(rails)), clock_(std::move(clock)), name_(NameOfRails(kind, rails_)) {}

  std::string name() const override { return name_; }
  double Joules() override {
    double watts = 0;
    for (const Rail& rail : rails_) {
      const auto of_rail = rail.Watts();
      if (!of_rail) throw EnvironmentError(name_ + ": " + rail.file().string() + " cannot be read");
      watts += *of_rail;
    }
    return sum_.Joules(clock_(), watts);
  }
  Nanos update() const override { return kRailsUpdate; }
  Nanos call_within() const override { return kRailsUpdate; }
  bool Covers(const Unit& unit) const override { return !unit.On(RunsOn::kNothing); }
  bool OfWholeBoard() const override { return true; }

 private:
  std::vector<Rail> rails_;
  EnergyClock clock_;
  std::string name_;
  SummedPower sum_;
};

bool IsWholeBoard(const Rail& rail) {
  return std::find(kWholeBoard.begin(), kWholeBoard.end(), rail.label) != kWholeBoard.end();
}

bool IsCalled(const std::vector<Rail>& rails, std::string_view label) {
  return std::any_of(rails.begin(), rails.end(), [&](const Rail& rail) { return rail.label == label; });
}

// No watt counts twice.
void KeepWhatAddsUp(std::vector<Rail>& rails) {
  if (std::any_of(rails.begin(), rails.end(), IsWholeBoard)) {
    std::erase_if(rails, [](const Rail& rail) { return !IsWholeBoard(rail); });
  } else if (IsCalled(rails, kAround)) {
    std::erase_if(rails, [](const Rail& rail) { return rail.label == kWithin; });
  }
}

}  // namespace

std::optional<double> Rail::Watts() const {
  if (!power.empty()) {
    const auto told = SysfsNumber(power);
    return told ? std::optional(static_cast<double>(*told) * watts) : std::nullopt;
  }
  const auto volts = SysfsNumber(millivolts), amperes = SysfsNumber(milliamperes);
  if (!volts || !amperes) return std::nullopt;
  return static_cast<double>(*volts) * static_cast<double>(*amperes) / 1e6;
}

EnergySensors SensorOfRails(const std::string& kind, std::vector<Rail> rails, EnergyClock clock) {
  EnergySensors found{kind, {}, ""};
  KeepWhatAddsUp(rails);
  for (const Rail& rail : rails) {
    if (rail.Watts()) continue;
    const std::string why = WhyUnreadable(rail.file());
    found.why_not = rail.file().string() + ": " + (why.empty() ? "no number" : why);
    return found;
  }
  found.sensors.push_back(std::make_unique<SummedRails>(kind, std::move(rails), std::move(clock)));
  return found;
}

}  // namespace tandem
