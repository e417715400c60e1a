#include "device/service/plan.h"

#include <algorithm>

#include "device/harness/harness.h"
#include "device/machine/device_info.h"
#include "device/processor/provenance.h"
#include "policies/kinds/scheduled_policy.h"
#include "profiles/base/input_error.h"
#include "scenarios/exchange/named_programs.h"
#include "scenarios/scenario/measured_room.h"

namespace tandem {

PlanFile ReadPlanForService(const std::string& name, bool allow_commands) {
  ScenarioOptions options;
  options.device = LookAtDevice().platform;
  PlanFile file = ReadPlan(JsonDocument::ReadFile(name).root(), options);
  if (!file.scenario.platform || !file.scenario.costs) {
    throw InputError(name + ": the plan has no platform or no profiles");
  }
  CheckAllowed(name, ProgramsOf(*file.scenario.platform), allow_commands, "ServiceOptions::allow_commands");
  return file;
}

HarnessHost HostOf(const PlanFile& file, bool force, bool allow_commands) {
  HarnessHost host = ThisHost({});
  host.allow_commands = allow_commands;
  host.libraries = LibrariesOf(*file.scenario.platform);
  if (force) return host;
  for (const MeasuredRoom& room : RoomsInDoubt(file.scenario)) {
    if (room.CannotFit())
      throw InputError(file.scenario.file + ": " + RoomSentence(room) +
                       "; ServiceOptions::force runs the plan all the same");
  }
  const std::vector<std::string> reasons = WhyNotHere(file, host);
  if (reasons.empty()) return host;
  throw InputError(file.scenario.file + ": the plan was not made for this machine: " + reasons[0] +
                   "; profile it anew, or ServiceOptions::force runs the plan all the same");
}

std::vector<std::string> NoticesOf(const PlanFile& file, const HarnessHost& host, HarnessUnits& units,
                                   bool follow) {
  std::vector<std::string> notices = WhatChanged(file, host);
  for (const MeasuredRoom& room : RoomsInDoubt(file.scenario)) notices.push_back(RoomSentence(room));
  for (std::string& otherwise : WhatIsOtherwise(file, follow)) notices.push_back(std::move(otherwise));
  for (std::string& notice : units.TakeKernelNotices()) notices.push_back(std::move(notice));
  return notices;
}

PreparedRun PrepareForService(const PlanFile& file) {
  PreparedRun run = Prepare(file.scenario, file.scenario.policies.front());
  const Decisions* decisions = run.policy->decisions();
  if (!decisions || !decisions->schedule) return run;
  const std::vector<std::int64_t> nothing(run.problem->scenario().streams.size());
  run.policy = std::make_unique<ScheduledPolicy>(*run.problem, Decisions(*decisions), nothing, true);
  return run;
}

namespace {

// Parts of the same size share an entry: the time of the slower.
void AddPart(PartEntry entry, std::vector<PartEntry>& parts) {
  for (PartEntry& known : parts) {
    if (known.model != entry.model || known.unit != entry.unit || known.batch != entry.batch ||
        known.variant != entry.variant || known.layers != entry.layers || known.axis != entry.axis ||
        known.size != entry.size) {
      continue;
    }
    known.time.median = std::max(known.time.median, entry.time.median);
    return;
  }
  parts.push_back(std::move(entry));
}

}  // namespace

std::string ProfileOfMedians(const Problem& problem, const HarnessHost& host,
                             const std::vector<RunningMedians::Place>& medians) {
  Profile profile;
  profile.platform = problem.platform().name;
  profile.note = "running medians of a service";
  profile.origin.host = host.host;
  profile.origin.date = DateNow();
  profile.origin.libraries = host.libraries;
  profile.origin.cache_mode = CacheMode::kInNetwork;
  for (const Unit& unit : problem.platform().units) {
    if (!unit.cores.empty()) profile.origin.threads[unit.name] = unit.cores;
  }
  for (const RunningMedians::Place& place : medians) {
    const Segment& segment = problem.segment(place.segment);
    const Cut& cut = problem.cut(segment.cut);
    const ScenarioModel& model = problem.scenario().model(cut.model);
    CostEntry entry;
    entry.model = model.key;
    entry.unit = problem.platform().unit(place.unit).name;
    for (const LayerId layer : segment.layers) entry.layers.push_back(model.model->layer(layer).name);
    entry.batch = cut.batch;
    entry.variant = problem.scenario().units[place.unit.index()].variant.value_or(Variant{});
    entry.time.median = std::max(place.measured - problem.Dispatch(place.unit), Nanos{0});
    if (segment.part) {
      AddPart({entry.model, entry.unit, entry.layers, segment.part->axis, segment.part->size(), entry.batch,
               entry.variant, entry.time, false},
              profile.parts);
      continue;
    }
    profile.entries.push_back(std::move(entry));
  }
  if (profile.entries.empty() && profile.parts.empty())
    throw InputError("nothing has run often enough for a profile");
  return ProfileJson(profile);
}

}  // namespace tandem
