#include "device/study/profile_arguments.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "device/host/core_list.h"
#include "device/loads/background_loads.h"
#include "device/machine/device_info.h"
#include "device/processor/backend.h"
#include "device/study/profile_folder.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/model_identity.h"
#include "profiles/costs/profile.h"
#include "profiles/program/outputs.h"
#include "scenarios/exchange/named_programs.h"

namespace tandem {

bool GoesToFile(const ProfileArguments& arguments) {
  return !arguments.output.empty() && !IsStandardStream(arguments.output);
}

std::string PartialOf(const ProfileArguments& arguments) {
  return GoesToFile(arguments) ? arguments.output + ".partial" : "";
}

bool GoesToFolder(const ProfileArguments& arguments) {
  return GoesToFile(arguments) && ProfileFolder::IsMeant(arguments.output);
}

void RefuseLosses(const ProfileArguments& arguments) {
  const bool elsewhere = arguments.status || GoesToFolder(arguments);  // than into one file
  const Outputs outputs({{"-o", elsewhere ? "" : arguments.output, {"profile/1"}},
                         {"--platform-out", arguments.platform_out, {"platform/1"}}},
                        arguments.force || arguments.add, arguments.json);
  if (elsewhere) return;
  const std::string partial = PartialOf(arguments);
  if (partial.empty() || arguments.resume || arguments.force || !std::filesystem::exists(partial)) return;
  throw InputError(partial + ": holds what an interrupted run measured; --resume goes on with it, --force " +
                   "begins anew");
}

namespace {

// A scenario may name the very profile that is to be made: what it names is read after that was looked at.
ProfileOrder RequestOfFile(const ProfileArguments& arguments, const ScenarioOptions& options) {
  const JsonDocument document = JsonDocument::ReadFile(arguments.request.empty() ? "-" : arguments.request);
  RefuseLosses(arguments);
  ProfileOrder request = ReadProfileOrderFrom(document.root(), options);
  const bool none_starts = arguments.status;
  CheckAllowed(document.name(), ProgramsOf(request), arguments.allow_commands || none_starts);
  return request;
}

// Without a file the device's own units; --cores makes one of these cores.
ProfileOrder RequestOfOptions(const ProfileArguments& arguments, const Platform& device) {
  RefuseLosses(arguments);
  ProfileOrder request;
  request.platform = device;
  if (!arguments.cores.empty()) {
    Unit unit;
    unit.name = "cpu";
    unit.memory = MemoryId(0);
    unit.backend = &DeclaredBackendThat([](const auto& backend) { return backend.OwnsCores(); });
    unit.cores = AskedCores(arguments.cores, "--cores");
    request.platform.units = {unit};
  }
  const std::vector<std::int64_t> one = {1};
  for (const std::string& model : arguments.models) {
    for (const std::int64_t batch : arguments.batches.empty() ? one : arguments.batches) {
      const ProfiledModel wish{ModelKey(model, {}), batch};
      const auto& known = request.models;
      if (std::find(known.begin(), known.end(), wish) == known.end()) request.models.push_back(wish);
    }
  }
  return request;
}

// Each unit in those that it has; every precision is some unit's.
void AskForPrecisions(const std::vector<std::string>& precisions, ProfileOrder& request) {
  for (const std::string& precision : precisions) {
    bool some = false;
    for (const Unit& unit : request.platform.units) {
      const auto& names = request.units;
      if (!names.empty() && std::find(names.begin(), names.end(), unit.name) == names.end()) continue;
      if (FindBackendOf(unit) == nullptr) continue;
      const auto& has = unit.backend->precisions;
      if (std::find(has.begin(), has.end(), precision) == has.end()) continue;
      some = true;
      std::vector<std::string>& asked = request.variants[unit.name];
      if (std::find(asked.begin(), asked.end(), precision) == asked.end()) asked.push_back(precision);
    }
    if (!some) throw InputError("--precision: no unit that is measured runs in " + precision);
  }
}

// --before, --read and --expect make a state; else --state picks one of the request's.
void ChooseState(const ProfileArguments& arguments, ProfileOrder& request) {
  const ClockState made{arguments.state.empty() ? "state" : arguments.state, arguments.before, arguments.read,
                        arguments.expect};
  if (!made.before.empty() || !made.read.empty() || !made.expect.empty()) {
    if (!request.clock_states.empty()) {
      throw InputError(
          "profile: the request has clock states, so --before, --read and --expect have no place");
    }
    if (!IsNameOfState(made.name)) throw InputError("--state: a name of letters, digits, '-', '_' and '.'");
    request.clock_states = {made};
    return;
  }
  if (arguments.state.empty()) return;
  std::vector<std::string> names;
  for (const ClockState& state : request.clock_states) names.push_back(state.name);
  if (std::find(names.begin(), names.end(), arguments.state) == names.end()) {
    throw InputError("--state: the request has no clock state " + Quoted(arguments.state) +
                     Suggestion(arguments.state, names));
  }
  std::erase_if(request.clock_states, [&](const ClockState& state) { return state.name != arguments.state; });
}

// Also those that options have asked for.
void MakeThreads(const ProfileArguments& arguments, ProfileOrder& request) {
  if (arguments.threads.empty()) return;
  std::size_t most = 0;
  for (const Unit& unit : request.platform.units) most = std::max(most, unit.cores.size());
  for (const std::int64_t count : arguments.threads) {
    if (count <= static_cast<std::int64_t>(most)) continue;
    throw InputError("--threads: no unit here has " + Counted(count, "core"));
  }
  request.threads = arguments.threads;
  request = Expanded(std::move(request));
}

// 0 would be none.
Nanos BudgetOf(double seconds) { return std::max(Nanos{1}, Nanos{std::llround(seconds * 1e9)}); }

}  // namespace

ProfileOrder RequestOf(const ProfileArguments& arguments) {
  ScenarioOptions options;
  options.device = LookAtDevice().platform;
  if (!arguments.request.empty() && !arguments.models.empty()) {
    throw InputError("profile: a request says which models, so --model has no place beside it");
  }
  ProfileOrder request = arguments.models.empty() ? RequestOfFile(arguments, options)
                                                  : RequestOfOptions(arguments, *options.device);
  if (!arguments.units.empty()) request.units = arguments.units;
  MakeThreads(arguments, request);
  ChooseState(arguments, request);
  if (arguments.layers) request.layers = true;
  if (arguments.cold) request.cold = true;
  if (arguments.mapped) request.mapped = true;
  if (arguments.memory) request.memory = true;
  AskForPrecisions(arguments.precisions, request);
  if (arguments.energy) request.energy = true;
  for (const std::int64_t load : arguments.loads) {
    for (const Unit& unit : request.platform.units) {
      const LoadWish wish{unit.name, load};
      const auto& known = request.background;
      const bool there = std::find(known.begin(), known.end(), wish) != known.end();
      if (CanBeLoaded(unit) && !there) request.background.push_back(wish);
    }
  }
  if (arguments.noise > 0) request.noise = arguments.noise;
  if (arguments.budget_s > 0) request.budget = BudgetOf(arguments.budget_s);
  if (!arguments.co_running.empty()) {
    for (const auto& wish : kCoRunningWishNames) {
      if (wish.name == arguments.co_running) request.co_running = wish.value;
    }
  }
  return request;
}

}  // namespace tandem
