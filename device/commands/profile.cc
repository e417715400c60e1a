// tandem-device profile [REQUEST]
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

#include "device/loads/background_loads.h"
#include "device/machine/device_info.h"
#include "device/processor/backend.h"
#include "device/profiler/adding.h"
#include "device/profiler/profiler.h"
#include "device/profiler/result.h"
#include "device/study/store.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/costs/combine.h"
#include "profiles/costs/model_identity.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/outputs.h"

namespace tandem::profile {
namespace {

constexpr double kMostSeconds = 1e6;

struct ProfileArguments {
  std::string request, output, co_running, sent;
  std::vector<std::string> models, units;
  std::vector<std::int64_t> cores;
  std::int64_t batch = 1;
  std::vector<std::int64_t> loads;
  double budget_s = 0, noise = 0;
  std::vector<std::string> precisions;
  bool layers = false, energy = false, cold = false, mapped = false, resume = false, add = false,
       force = false, json = false;
};

// 0 would be none.
Nanos BudgetOf(double seconds) { return std::max(Nanos{1}, Nanos{std::llround(seconds * 1e9)}); }

bool GoesToFile(const ProfileArguments& arguments) {
  return !arguments.output.empty() && !IsStandardStream(arguments.output);
}

// Beside the profile; nothing where there is no file.
std::string PartialOf(const ProfileArguments& arguments) {
  return GoesToFile(arguments) ? arguments.output + ".partial" : "";
}

// Before minutes are spent on measuring what could not be written then.
void RefuseLosses(const ProfileArguments& arguments) {
  const Outputs outputs({{"-o", arguments.output, {"profile/1"}}}, arguments.force || arguments.add,
                        arguments.json);
  const std::string partial = PartialOf(arguments);
  if (partial.empty() || arguments.resume || arguments.force || !std::filesystem::exists(partial)) return;
  throw InputError(partial + ": holds what an interrupted run measured; --resume goes on with it, --force " +
                   "begins anew");
}

// A scenario may name the very profile that is to be made: what it names is read after that was looked at.
ProfileOrder RequestOfFile(const ProfileArguments& arguments, const ScenarioOptions& options) {
  const JsonDocument document = JsonDocument::ReadFile(arguments.request.empty() ? "-" : arguments.request);
  RefuseLosses(arguments);
  return ReadProfileOrderFrom(document.root(), options);
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
    unit.cores = arguments.cores;
    request.platform.units = {unit};
  }
  for (const std::string& model : arguments.models) {
    request.models.push_back({ModelKey(model, {}), arguments.batch});
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

ProfileOrder RequestOf(const ProfileArguments& arguments) {
  ScenarioOptions options;
  options.device = LookAtDevice().platform;
  if (!arguments.request.empty() && !arguments.models.empty()) {
    throw InputError("profile: a request says which models, so --model has no place beside it");
  }
  ProfileOrder request = arguments.models.empty() ? RequestOfFile(arguments, options)
                                                  : RequestOfOptions(arguments, *options.device);
  if (!arguments.units.empty()) request.units = arguments.units;
  if (arguments.layers) request.layers = true;
  if (arguments.cold) request.cold = true;
  if (arguments.mapped) request.mapped = true;
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

// With --add what the file has is there, too, and with --force replaced where it was measured again.
Profile WithKnown(const ProfileArguments& arguments, const std::optional<Profile>& known, Profile measured) {
  AddStructures(measured);
  if (GoesToFile(arguments)) MoveProfile(measured, arguments.output);
  if (!known) return measured;
  return MergeProfiles({*known, std::move(measured)}, arguments.output,
                       arguments.force ? Prefer::kLast : Prefer::kFirst)
      .profile;
}

void WriteResult(const ProfileArguments& arguments, const ProfileOrder& request,
                 const std::optional<Profile>& known, const ProfilerOutcome& outcome) {
  const std::string profile = ProfileJson(WithKnown(arguments, known, outcome.profile));
  if (GoesToFile(arguments)) {
    WriteFile(arguments.output, profile);
    WriteOutput(arguments.json ? ProfilerSummaryJson(outcome.samples, request.noise)
                               : ProfilerSummaryText(outcome.samples, request.noise, OutputWidth()));
    return;
  }
  WriteOutput(profile);
  if (!arguments.json) WriteError(ProfilerSummaryText(outcome.samples, request.noise, OutputWidth()));
}

void CheckOptions(const ProfileArguments& arguments) {
  if (arguments.add && !GoesToFile(arguments)) {
    throw InputError("profile: --add needs -o FILE: what is missing there is added");
  }
}

// What --add adds to; nothing: there is no such file yet.
std::optional<Profile> KnownProfile(const ProfileArguments& arguments) {
  std::error_code error;
  if (!arguments.add || !std::filesystem::exists(arguments.output, error)) return std::nullopt;
  return ReadProfileFile(arguments.output);
}

int NothingIsMissing(const ProfileArguments& arguments, const ProfileOrder& request) {
  WriteOutput(arguments.json ? ProfilerSummaryJson({}, request.noise)
                             : arguments.output + " has all that is asked; --force measures it again\n");
  return kExitDone;
}

// Of a profile that goes to standard output the samples stand with what else is kept for others: whoever
// reads there may be lost. Empty where this machine has no place for them.
std::filesystem::path KeptBeside(const ProfileArguments& arguments, const ProfileOrder& request) {
  if (GoesToFile(arguments)) return PartialOf(arguments);
  try {
    const std::filesystem::path folder = StoreFolder() / "unfinished";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error) return folder / (std::to_string(HashOfMeasured(request)) + ".partial");
  } catch (const EnvironmentError&) {
  }
  return {};
}

int MeasureAndWrite(const ProfileArguments& arguments) {
  CheckOptions(arguments);
  if (!arguments.sent.empty()) FileStore(StoreFolder()).Use(arguments.sent);
  ProfileOrder request = RequestOf(arguments);
  const std::optional<Profile> known = KnownProfile(arguments);
  if (known) {
    ProfileOrder missing = WhatIsMissing(request, *known);
    if (!arguments.force) request = std::move(missing);
    if (request.models.empty()) return NothingIsMissing(arguments, request);
  }
  LongRun run(GoesToFile(arguments) ? LongRun::Reader::kNobody : LongRun::Reader::kOfOutput);
  ProfilerOptions options;
  options.kept = KeptBeside(arguments, request);
  options.resume = arguments.resume;
  options.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    return run.Progress(what, done, total);
  };
  options.say = [&](const std::string& sentence) {
    run.Clear();
    WriteError("tandem-device profile: " + sentence + "\n");
  };
  const ProfilerOutcome outcome = MeasureProfile(request, options);
  run.Clear();
  if (!outcome.stopped) {
    WriteResult(arguments, request, known, outcome);
    return kExitDone;
  }
  if (!GoesToFile(arguments)) {
    WriteOutput(ProfileJson(WithKnown(arguments, known, outcome.profile)));
    WriteError(
        "tandem-device profile: interrupted; this is what was measured until then; --resume goes on\n");
  } else {
    WriteError("tandem-device profile: interrupted; --resume goes on with " + options.kept.string() + "\n");
  }
  return kExitInterrupted;
}

void AddOptions(Command& command, ProfileArguments& arguments) {
  command.Add("REQUEST", &arguments.request,
              "a profile request, scenario or plan; - or nothing: standard input");
  command.Add("-o,--output", &arguments.output, "write the profile there, a summary to standard output");
  command.Force(&arguments.force);
  command.Flag("--resume", &arguments.resume, "go on after an interruption, with another budget too");
  command.Flag("--add", &arguments.add, "to the file of -o: only models of which it lacks something");
  command.Add("--model", &arguments.models, "without a request: these models on the units of this device")
      .Separated(',');
  command.Add("--batch", &arguments.batch, "of those models").Range(1, 1 << 20);
  command.Add("--cores", &arguments.cores, "on one unit of these cores: 0,1").Separated(',');
  command.Add("--unit", &arguments.units, "on these units alone: cpu0,cpu1").Separated(',');
  command.Flag("--layers", &arguments.layers, "each layer alone too");
  command.Flag("--cold", &arguments.cold, "again with caches emptied before each run");
  command.Flag("--mapped", &arguments.mapped, "again through a zero-copy mapping, on units that have one");
  command.Add("--precision", &arguments.precisions, "each unit in those of these that it has: fp32,fp16")
      .Separated(',')
      .OneOf({"fp32", "tf32", "fp16", "bf16", "int16", "int8", "int4"});
  command.Add("--co-running", &arguments.co_running, "none, curves or pairs")
      .OneOf({"none", "curves", "pairs"});
  command.Add("--load", &arguments.loads, "again on each CPU unit under such a load: 40,60 percent")
      .Separated(',')
      .Range(1, 99);
  command.Flag("--energy", &arguments.energy, "joules of each model too, where a sensor tells");
  command.Add("--budget", &arguments.budget_s, "seconds for everything").Positive(kMostSeconds);
  command.Add("--noise", &arguments.noise, "stop where medians are known this well, 0.01: one percent")
      .RealRange(1e-6, 1.0);
  command.Add("--sent", &arguments.sent, "models are those that `store` took under this name").Shown("NAME");
  command.Flag("--json", &arguments.json, "the summary as JSON; without -o nothing but the profile");
}

void Declare(Command& command, ProfileArguments& arguments) {
  AddOptions(command, arguments);
  command.Footer(
      "Examples:\n  tandem-device profile scenario.json -o mine.profile.json\n"
      "  tandem-device profile --model squeezenet_1_1,resnet18 --budget 20 > mine.profile.json\n"
      "  tandem-device profile --model resnet18 --load 40,60 --energy -o mine.profile.json\n"
      "  tandem-device profile --model resnet50 --unit gpu0 --precision fp32,fp16 -o mine.profile.json\n"
      "  tandem-device profile scenario.json -o mine.profile.json --resume\n"
      "  tandem-device profile --model vgg16 -o mine.profile.json --add");
}

const CommandRegistration kProfile{
    {.name = "profile",
     .summary = "measure models, groups and layers on the units of this device",
     .order = 30},
    Declare,
    MeasureAndWrite};

}  // namespace
}  // namespace tandem::profile
