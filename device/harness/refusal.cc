// What a plan was made for, and whether that is here.
#include <algorithm>
#include <set>

#include "device/harness/harness.h"
#include "device/processor/provenance.h"
#include "policies/engine/batches.h"
#include "policies/kinds/prepared_run.h"
#include "profiles/base/input_error.h"
#include "profiles/costs/clock_text.h"

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

// The cores whose clocks were looked at when it was measured.
std::vector<std::int64_t> CoresOf(const Profile& profile) {
  std::set<std::int64_t> cores;
  for (const auto& [unit, own] : profile.origin.threads) cores.insert(own.begin(), own.end());
  if (cores.empty()) return UsableCores();
  return {cores.begin(), cores.end()};
}

// Of what is measured in several states, each variants of its own, the plan's counts.
bool HasPlannedVariants(const Profile& profile, const Scenario& scenario) {
  return std::any_of(profile.entries.begin(), profile.entries.end(), [&](const CostEntry& entry) {
    const UnitId unit = scenario.platform->FindUnit(entry.unit);
    if (!unit.valid()) return false;
    const auto& planned = scenario.units[unit.index()].variant;
    return !planned || *planned == entry.variant;
  });
}

void CompareState(const Profile& profile, const HarnessHost& host, std::vector<std::string>& reasons) {
  const auto& clocks = profile.origin.clocks;
  const auto text = [&](const char* key) {
    const auto found = clocks.find(key);
    return found == clocks.end() ? std::string() : found->second;
  };
  if (text(kClockState).empty()) return;
  const std::string state = "clock state " + Quoted(text(kClockState));
  const std::string read = text(kClockStateRead);
  if (!read.empty() && !host.allow_commands) {
    reasons.push_back("profile " + Quoted(profile.file) + " was measured in the " + state + ", which " +
                      Quoted(read) + " tells: --allow-commands starts what files name");
    return;
  }
  std::string now;
  try {
    now = ReadClockState(read, CoresOf(profile), state + ": ", host.clocks.root);
  } catch (const EnvironmentError& error) {
    now = error.what();
  }
  if (SameClockSettings(now, text(kClockStateReading))) return;
  reasons.push_back("profile " + Quoted(profile.file) + " was measured in the " + state + ", which read " +
                    Quoted(text(kClockStateReading)) + ", now it reads " + Quoted(now));
}

bool IsOfHere(const Profile& profile, const PlanFile& file, const HarnessHost& host) {
  return OfRealUnits(profile, *file.scenario.platform) && profile.origin.kind == OriginKind::kMeasured &&
         profile.origin.host == host.host;
}

}  // namespace

HarnessHost ThisHost(const std::vector<PlanFile>& plans) {
  HarnessHost host;
  const HostInfo computer = ReadHost(UsableCores());
  host.host = HostText(computer);
  host.memory_bytes = UsableMemory(computer);
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
      if (HasPlannedVariants(profile, file.scenario)) CompareState(profile, host, reasons);
    }
  }
  return reasons;
}

std::vector<std::string> WhatChanged(const PlanFile& file, const HarnessHost& host) {
  std::vector<std::string> changes;
  for (const Profile& profile : file.scenario.profiles) {
    if (!IsOfHere(profile, file, host)) continue;
    const auto now = ClockSettings(CoresOf(profile), file.scenario.platform->units, host.clocks);
    for (const std::string& changed : ChangedSettings(profile.origin.clocks, now)) {
      changes.push_back("profile " + Quoted(profile.file) + " was measured with " + changed);
    }
  }
  return changes;
}

namespace {

void SayHandedOn(const Scenario& scenario, bool follow, std::vector<std::string>& sentences) {
  if (scenario.transfer == TransferMode::kNone) return;
  for (const Stream& stream : scenario.streams) {
    if (!stream.ReadsFrom().valid()) continue;
    sentences.push_back("stream " + Quoted(stream.name) +
                        (follow ? " reads what the request has made that it follows from the first memory "
                                  "here, to which that is brought back"
                                : " reads inputs of its own here, from the first memory, and not what the "
                                  "request has made that it follows") +
                        "; without \"data\" the prediction has it so, too");
  }
}

// An emulated unit takes as long as the profile says in that state.
void SayClockStates(const Scenario& scenario, std::vector<std::string>& sentences) {
  for (const Unit& unit : scenario.platform->units) {
    if (!unit.InClockState() || unit.backend == nullptr || !unit.backend->Measurable()) continue;
    sentences.push_back("unit " + Quoted(unit.name) + " is planned in its clock state " + Quoted(unit.state) +
                        ", which has to be set before the run: tandem sets no clocks");
  }
}

}  // namespace

// Where one task runs at a time, or all are of one priority, there is nobody to preempt.
std::vector<std::string> WhatIsOtherwise(const PlanFile& file, bool follow) {
  std::vector<std::string> sentences;
  SayHandedOn(file.scenario, follow, sentences);
  SayClockStates(file.scenario, sentences);
  const std::vector<int> urgency = UrgencyOfStreams(file.scenario);
  if (std::ranges::all_of(urgency, [](int of_stream) { return of_stream == 0; })) return sentences;
  for (const Unit& unit : file.scenario.platform->units) {
    if (!unit.preempts || unit.slots < 2 || unit.backend == nullptr || unit.backend->heeds_urgency) continue;
    sentences.push_back(
        "unit " + Quoted(unit.name) + " does not preempt here: the backend " + Quoted(unit.backend->name) +
        " knows no urgent tasks, so that those on its slots go on side by side whatever their "
        "streams' \"priority\"; without \"preempts\" the prediction has it so, too");
  }
  return sentences;
}

}  // namespace tandem
