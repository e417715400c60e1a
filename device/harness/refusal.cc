// What a plan was made for, and whether that is here.
#include <algorithm>
#include <set>

#include "device/harness/harness.h"
#include "device/processor/provenance.h"
#include "policies/kinds/prepared_run.h"

namespace tandem {
namespace {

// Do the entries of the profile speak of a unit that runs its kernels here?
bool OfRealUnits(const Profile& profile, const Platform& platform) {
  return std::any_of(profile.entries.begin(), profile.entries.end(), [&](const CostEntry& entry) {
    const UnitId unit = platform.FindUnit(entry.unit);
    if (!unit.valid()) return false;
    const BackendDeclaration* backend = platform.unit(unit).backend;
    return backend != nullptr && backend->Measurable();
  });
}

void CompareLibraries(const Profile& profile, const HarnessHost& host, std::vector<std::string>& reasons) {
  for (const auto& [name, version] : profile.origin.libraries) {
    const auto here = host.libraries.find(name);
    if (here != host.libraries.end() && here->second == version) continue;
    reasons.push_back("profile " + Quoted(profile.file) + " was measured with " + name + " " + version +
                      ", " +
                      (here == host.libraries.end() ? "which is not here" : "here is " + here->second));
  }
}

}  // namespace

HarnessHost ThisHost(const std::vector<PlanFile>& plans) {
  HarnessHost host;
  const HostInfo computer = ReadHost(UsableCores());
  host.host = HostText(computer);
  host.memory_bytes = computer.memory_bytes;
  for (const PlanFile& plan : plans) {
    if (plan.scenario.platform) host.libraries.merge(LibrariesOf(*plan.scenario.platform));
  }
  return host;
}

std::vector<std::string> WhyNotHere(const PlanFile& file, const HarnessHost& host) {
  std::vector<std::string> reasons;
  for (const Profile& profile : file.scenario.profiles) {
    if (!OfRealUnits(profile, *file.scenario.platform)) continue;
    const std::string name = "profile " + Quoted(profile.file);
    if (profile.origin.kind != OriginKind::kMeasured) {
      reasons.push_back(name + " is " + std::string(NameOf(kOriginKindNames, profile.origin.kind)) +
                        ", not measured here");
    } else if (profile.origin.host != host.host) {
      reasons.push_back(name + " was measured on " + Quoted(profile.origin.host) + ", this is " +
                        Quoted(host.host));
    } else {
      CompareLibraries(profile, host, reasons);
    }
  }
  return reasons;
}

}  // namespace tandem
