#include "device/energy/rapl.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "device/host/sysfs.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr Nanos kRaplUpdate{1'000'000};  // about a millisecond
constexpr Nanos kMostBetweenRapl{10'000'000'000};
constexpr double kMostWatts = 1000;  // of one package, for the time until its count wraps around
constexpr std::string_view kPackage = "package-";

class RaplPackage final : public EnergySensor {
 public:
  RaplPackage(const fs::path& zone, std::string name, std::uint64_t range, std::vector<std::int64_t> cores)
      : file_(zone / "energy_uj"),
        name_("rapl " + std::move(name)),
        range_(range),
        cores_(std::move(cores)),
        count_(range) {}

  std::string name() const override { return name_; }
  double Joules() override {
    const auto count = SysfsNumber(file_);
    if (!count || *count < 0) throw EnvironmentError(name_ + ": " + file_.string() + " cannot be read");
    return count_.Joules(static_cast<std::uint64_t>(*count));
  }
  Nanos update() const override { return kRaplUpdate; }
  // Half of the shortest time in which the count could come round.
  Nanos call_within() const override {
    const double seconds = static_cast<double>(range_) / 1e6 / kMostWatts / 2;
    return std::min(kMostBetweenRapl, Nanos{static_cast<std::int64_t>(seconds * 1e9)});
  }
  bool Covers(const Unit& unit) const override {
    if (!unit.On(RunsOn::kHostCores)) return false;
    return unit.cores.empty() || std::any_of(unit.cores.begin(), unit.cores.end(), [&](std::int64_t core) {
             return std::find(cores_.begin(), cores_.end(), core) != cores_.end();
           });
  }

 private:
  fs::path file_;
  std::string name_;
  std::uint64_t range_;
  std::vector<std::int64_t> cores_;  // of this package
  WrappingCount count_;
};

// "intel-rapl:0", not "intel-rapl:0:1", which is a part of it.
bool IsTopZone(const fs::path& path, const std::string& prefix) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::int64_t> CoresOfPackage(const fs::path& root, const std::string& package) {
  std::vector<std::int64_t> cores;
  for (const fs::path& folder : EntriesOf(root / "sys/devices/system/cpu")) {
    const std::string name = folder.filename().string();
    if (!IsTopZone(folder, "cpu")) continue;
    const auto of = SysfsNumber(folder / "topology/physical_package_id");
    if (of && std::to_string(*of) == package) cores.push_back(std::stoll(name.substr(3)));
  }
  return cores;
}

void AddZone(const fs::path& root, const fs::path& zone, EnergySensors& found) {
  const std::string name = SysfsLine(zone / "name");
  if (!name.starts_with(kPackage)) return;
  if (const std::string why = WhyUnreadable(zone / "energy_uj"); !why.empty()) {
    found.why_not = (zone / "energy_uj").string() + ": " + why + "; commonly root alone may read it";
    return;
  }
  const auto range = SysfsNumber(zone / "max_energy_range_uj");
  if (!range || *range <= 0) {
    found.why_not = (zone / "max_energy_range_uj").string() + " has no number";
    return;
  }
  // "package-0", or "package-0-die-1".
  const std::string package = name.substr(kPackage.size(), name.find('-', kPackage.size()) - kPackage.size());
  found.sensors.push_back(std::make_unique<RaplPackage>(zone, name, static_cast<std::uint64_t>(*range),
                                                        CoresOfPackage(root, package)));
}

}  // namespace

EnergySensors FindRapl(const fs::path& root) {
  EnergySensors found{"rapl", {}, ""};
  const fs::path folder = root / "sys/class/powercap";
  // The second is another way to the same counts.
  for (const std::string prefix : {"intel-rapl:", "intel-rapl-mmio:"}) {
    for (const fs::path& zone : EntriesOf(folder)) {
      if (IsTopZone(zone, prefix)) AddZone(root, zone, found);
    }
    if (!found.sensors.empty() || !found.why_not.empty()) break;
  }
  // One of several that cannot be read makes the sum of the others wrong.
  if (!found.why_not.empty()) found.sensors.clear();
  if (found.sensors.empty() && found.why_not.empty()) {
    found.why_not = "no package under " + folder.string();
  }
  return found;
}

}  // namespace tandem
