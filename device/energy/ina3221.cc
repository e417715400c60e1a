#include "device/energy/ina3221.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "device/host/sysfs.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr Nanos kUpdate{100'000'000};  // the chip averages over some tens of milliseconds
constexpr int kChannels = 3;
constexpr std::array<std::string_view, 3> kWholeBoard = {"VDD_IN", "POM_5V_IN", "5V_IN"};
constexpr std::string_view kNotConnected = "NC";

struct Rail {
  std::string label;
  fs::path millivolts, milliamperes;  // hwmon
  fs::path milliwatts;                // iio

  std::optional<double> Watts() const {
    if (!milliwatts.empty()) {
      const auto power = SysfsNumber(milliwatts);
      return power ? std::optional(static_cast<double>(*power) / 1e3) : std::nullopt;
    }
    const auto volts = SysfsNumber(millivolts), amperes = SysfsNumber(milliamperes);
    if (!volts || !amperes) return std::nullopt;
    return static_cast<double>(*volts) * static_cast<double>(*amperes) / 1e6;
  }
  const fs::path& file() const { return milliwatts.empty() ? milliamperes : milliwatts; }
};

class Rails final : public EnergySensor {
 public:
  Rails(std::vector<Rail> rails, EnergyClock clock) : rails_(std::move(rails)), clock_(std::move(clock)) {
    for (const Rail& rail : rails_) name_ += (name_.empty() ? "ina3221 " : " + ") + rail.label;
  }

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
  Nanos update() const override { return kUpdate; }
  Nanos call_within() const override { return kUpdate; }
  bool Covers(const Unit& unit) const override { return !unit.On(RunsOn::kNothing); }
  bool OfWholeBoard() const override { return true; }

 private:
  std::vector<Rail> rails_;
  EnergyClock clock_;
  std::string name_;
  SummedPower sum_;
};

bool IsThere(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

void AddHwmon(const fs::path& folder, std::vector<Rail>& rails) {
  for (int channel = 1; channel <= kChannels; ++channel) {
    const std::string number = std::to_string(channel);
    Rail rail{SysfsLine(folder / ("in" + number + "_label")), folder / ("in" + number + "_input"),
              folder / ("curr" + number + "_input"), ""};
    if (!rail.label.empty() && IsThere(rail.milliamperes)) rails.push_back(std::move(rail));
  }
}

void AddIio(const fs::path& folder, std::vector<Rail>& rails) {
  for (int channel = 0; channel < kChannels; ++channel) {
    const std::string number = std::to_string(channel);
    Rail rail{SysfsLine(folder / ("rail_name_" + number)), "", "", folder / ("in_power" + number + "_input")};
    if (!rail.label.empty() && IsThere(rail.milliwatts)) rails.push_back(std::move(rail));
  }
}

// Chips hang on their driver as "1-0040".
void AddChips(const fs::path& driver, std::vector<Rail>& rails) {
  for (const fs::path& chip : EntriesOf(driver)) {
    for (const fs::path& folder : EntriesOf(chip / "hwmon")) AddHwmon(folder, rails);
    for (const fs::path& folder : EntriesOf(chip)) {
      if (folder.filename().string().starts_with("iio:device")) AddIio(folder, rails);
    }
  }
}

bool IsWholeBoard(const Rail& rail) {
  return std::find(kWholeBoard.begin(), kWholeBoard.end(), rail.label) != kWholeBoard.end();
}

}  // namespace

EnergySensors FindIna3221(const fs::path& root, EnergyClock clock) {
  EnergySensors found{"ina3221", {}, ""};
  std::vector<Rail> rails;
  const fs::path drivers = root / "sys/bus/i2c/drivers";
  for (const char* driver : {"ina3221", "ina3221x"}) AddChips(drivers / driver, rails);
  std::erase_if(rails, [](const Rail& rail) { return rail.label == kNotConnected; });
  if (rails.empty()) {
    found.why_not = "no such chip under " + drivers.string();
    return found;
  }
  if (std::any_of(rails.begin(), rails.end(), IsWholeBoard)) {
    std::erase_if(rails, [](const Rail& rail) { return !IsWholeBoard(rail); });
  }
  for (const Rail& rail : rails) {
    if (rail.Watts()) continue;
    const std::string why = WhyUnreadable(rail.file());
    found.why_not = rail.file().string() + ": " + (why.empty() ? "no number" : why);
    return found;
  }
  found.sensors.push_back(std::make_unique<Rails>(std::move(rails), std::move(clock)));
  return found;
}

}  // namespace tandem
