// tandem-device profile [REQUEST]
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "device/commands/trial_options.h"
#include "device/profiler/adding.h"
#include "device/profiler/profiler.h"
#include "device/profiler/samples/result.h"
#include "device/profiler/status.h"
#include "device/study/profile_arguments.h"
#include "device/study/profile_folder.h"
#include "device/study/store.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/combine.h"
#include "profiles/costs/model_identity.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/outputs.h"
#include "scenarios/exchange/named_programs.h"

namespace tandem::profile {
namespace {

constexpr double kMostSeconds = 1e6;

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
  if (!arguments.json) WriteNote(ProfilerSummaryText(outcome.samples, request.noise, OutputWidth()));
}

void CheckOptions(const ProfileArguments& arguments) {
  if (arguments.add && !GoesToFile(arguments)) {
    throw InputError("profile: --add needs -o FILE: what is missing there is added");
  }
  if (arguments.add && GoesToFolder(arguments)) {
    throw InputError("profile: --add needs a file, and " + arguments.output + " is a folder");
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

// This program again.
std::unique_ptr<ChildProgram> StartSharerOf(const ProfileArguments& arguments, const std::string& order) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "profile",
                                 "--sharer"};
  if (!arguments.sent.empty()) words.insert(words.end(), {"--sent", arguments.sent});
  if (arguments.allow_commands) words.emplace_back("--allow-commands");
  return std::make_unique<ChildProgram>("one of those that share a unit", words, order);
}

int BeSharer(const ProfileArguments& arguments) {
  const JsonDocument document = JsonDocument::ReadFile("-");
  SharerOrder order = ReadSharerOrder(document.root());
  CheckAllowed(document.name(), ProgramsOf(order.request), arguments.allow_commands);
  RunAsSharer(std::move(order));
  return kExitDone;
}

ProfilerOutcome Measure(const ProfileArguments& arguments, const ProfileOrder& request,
                        const std::map<std::string, std::string>& readings,
                        const std::filesystem::path& kept) {
  LongRun run(GoesToFile(arguments) ? LongRun::Reader::kNobody : LongRun::Reader::kOfOutput);
  ProfilerOptions options;
  options.kept = kept;
  options.resume = arguments.resume;
  options.readings = readings;
  options.trials = arguments.trials.Most();
  options.kernel_store = arguments.trials.store;
  const ProfilerSamples* known = nullptr;
  run.Show([&] { return known ? KnownSoFar(*known) : std::vector<std::string>(); });
  options.onlooker.known = [&](const ProfilerSamples& samples) { known = &samples; };
  options.onlooker.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    return run.Progress(what, done, total);
  };
  options.onlooker.say = [&](const std::string& sentence) {
    run.Clear();
    WriteNote("tandem-device profile: " + sentence + "\n");
  };
  options.onlooker.takes = [&](Nanos all) {
    run.Expect(std::chrono::duration_cast<std::chrono::seconds>(all));
  };
  options.expects = [&](std::int64_t bytes) {
    if (!GoesToFile(arguments) || arguments.json) return;
    WriteNote("tandem-device profile: takes up to about " + Megabytes(bytes) + " of memory\n");
  };
  options.start_sharer = [&](const std::string& order) { return StartSharerOf(arguments, order); };
  ProfilerOutcome outcome = MeasureProfile(request, options);
  run.Clear();
  return outcome;
}

int TellInterrupted(const ProfileArguments& arguments, const std::optional<Profile>& known,
                    const ProfilerOutcome& outcome, const std::filesystem::path& kept) {
  if (!GoesToFile(arguments)) {
    WriteOutput(ProfileJson(WithKnown(arguments, known, outcome.profile)));
    WriteError(
        "tandem-device profile: interrupted; this is what was measured until then; --resume goes on\n");
  } else {
    WriteError("tandem-device profile: interrupted; --resume goes on with " + kept.string() + "\n");
  }
  return kExitInterrupted;
}

// Into one file, or to standard output.
int MeasureOne(const ProfileArguments& arguments, ProfileOrder request) {
  if (request.clock_states.size() > 1) {
    throw InputError("profile: the request has " + std::to_string(request.clock_states.size()) +
                     " clock states: -o FOLDER/ takes a profile of each, --state NAME measures in one");
  }
  const std::optional<Profile> known = KnownProfile(arguments);
  if (known) {
    ProfileOrder missing = WhatIsMissing(request, *known);
    if (!arguments.force) request = std::move(missing);
    if (request.models.empty()) return NothingIsMissing(arguments, request);
  }
  const std::filesystem::path kept = KeptBeside(arguments, request);
  const ProfilerOutcome outcome = Measure(arguments, request, {}, kept);
  if (outcome.stopped) return TellInterrupted(arguments, known, outcome, kept);
  WriteResult(arguments, request, known, outcome);
  return kExitDone;
}

// One clock state after the other, each with its part of the time that is left.
class MeasuredStates {
 public:
  MeasuredStates(const ProfileArguments& arguments, const ProfileOrder& request)
      : arguments_(arguments), request_(request), folder_(arguments.output), rest_(request.budget) {
    if (request.clock_states.empty()) {
      throw InputError("-o: " + arguments.output + " is a folder, which is for the profiles of clock states");
    }
    for (std::size_t i = 0; i < request.clock_states.size(); ++i) Look(i);
  }

  int Measure() {
    folder_.Make(request_.platform);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const int status = MeasureState(left_[i], static_cast<std::int64_t>(left_.size() - i));
      if (status != kExitDone) return status;
    }
    return kExitDone;
  }

 private:
  ProfileArguments ArgumentsOf(const std::string& state) const {
    ProfileArguments own = arguments_;
    own.output = folder_.ProfileOf(state).string();
    return own;
  }

  // What is there already is passed over, and what would be lost refused, before anything is measured.
  void Look(std::size_t state) {
    const ProfileOrder of_state = OfState(request_, state);
    const std::string& name = request_.clock_states[state].name;
    if (arguments_.resume && !arguments_.force) {
      if (const auto measured = folder_.Measured(of_state)) {
        readings_[name] = measured->reading;
        WriteNote("tandem-device profile: clock state " + Quoted(name) + " is measured already\n");
        return;
      }
    }
    RefuseLosses(ArgumentsOf(name));
    left_.push_back(state);
  }

  int MeasureState(std::size_t state, std::int64_t left) {
    const std::string& name = request_.clock_states[state].name;
    const ProfileArguments own = ArgumentsOf(name);
    ProfileOrder of_state = OfState(request_, state);
    if (request_.budget > Nanos{0}) of_state.budget = std::max(rest_ / left, Nanos{1});
    const auto begin = std::chrono::steady_clock::now();
    const ProfilerOutcome outcome = profile::Measure(own, of_state, readings_, folder_.PartialOf(name));
    rest_ -= std::chrono::steady_clock::now() - begin;
    if (outcome.stopped) return TellInterrupted(own, std::nullopt, outcome, folder_.PartialOf(name));
    readings_[name] = outcome.samples.reading;
    folder_.Keep(name, outcome.samples);
    if (!own.json) WriteOutput("clock state " + name + ", " + outcome.samples.reading + ":\n");
    WriteResult(own, of_state, std::nullopt, outcome);
    return kExitDone;
  }

  const ProfileArguments& arguments_;
  const ProfileOrder& request_;
  ProfileFolder folder_;
  Nanos rest_;
  std::vector<std::size_t> left_;
  std::map<std::string, std::string> readings_;
};

// What is kept of one request, where one file or standard output takes it.
ProfileStatus StatusOfOne(const ProfileArguments& arguments, const ProfileOrder& request) {
  std::error_code error;
  const std::filesystem::path kept = KeptBeside(arguments, request);
  if (std::filesystem::exists(kept, error)) return StatusOf(request, KeptSamples(request, kept, ""), false);
  if (!GoesToFile(arguments) || !std::filesystem::exists(arguments.output, error)) {
    return StatusOf(request, std::nullopt, false);
  }
  const Profile known = ReadProfileFile(arguments.output);
  return StatusOf(request, std::nullopt, WhatIsMissing(request, known).models.empty());
}

int TellStatus(const ProfileArguments& arguments, const ProfileOrder& request) {
  std::vector<ProfileStatus> states;
  const ProfileFolder folder(arguments.output);
  const bool several = !request.clock_states.empty();
  for (std::size_t i = 0; i < std::max<std::size_t>(request.clock_states.size(), 1); ++i) {
    const ProfileOrder of_state = several ? OfState(request, i) : request;
    if (!several || !GoesToFolder(arguments)) {
      states.push_back(StatusOfOne(arguments, of_state));
    } else if (const auto measured = folder.Measured(of_state)) {
      states.push_back(StatusOf(of_state, measured, true));
    } else {
      states.push_back(StatusOf(of_state, folder.Begun(of_state), false));
    }
  }
  WriteOutput(arguments.json ? ProfileStatusJson(states) : ProfileStatusText(states, OutputWidth()));
  return kExitDone;
}

int MeasureAndWrite(const ProfileArguments& arguments) {
  CheckOptions(arguments);
  if (!arguments.sent.empty()) FileStore(StoreFolder()).Use(arguments.sent);
  if (arguments.sharer) return BeSharer(arguments);
  const ProfileOrder request = RequestOf(arguments);
  if (!arguments.platform_out.empty()) WriteFile(arguments.platform_out, PlatformJson(request.platform));
  if (arguments.status) return TellStatus(arguments, request);
  if (GoesToFolder(arguments)) return MeasuredStates(arguments, request).Measure();
  return MeasureOne(arguments, request);
}

void AddStateOptions(Command& command, ProfileArguments& arguments) {
  command.Add("--before", &arguments.before, "run that first, to set the clocks: 'nvpmodel -m 2'")
      .Shown("COMMAND");
  command.Add("--read", &arguments.read, "tells what they are set to, before and after; else the system does")
      .Shown("COMMAND");
  command.Add("--expect", &arguments.expect, "measure only where that is in what is read");
  command.Add("--state", &arguments.state, "in this clock state of the request, or what --before is called")
      .Shown("NAME");
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
  command.Add("--batch", &arguments.batches, "of those models: 1,4").Separated(',').Range(1, 1 << 20);
  command.Add("--cores", &arguments.cores, "on one unit of these cores: 0,1 or 0-3")
      .Shown("LIST")
      .Separated(',');
  command.Add("--unit", &arguments.units, "on these units alone: cpu0,cpu1").Separated(',');
  command.Add("--threads", &arguments.threads, "each unit of cores becomes one for each of these: 1,2,4")
      .Separated(',')
      .Range(1, 1024);
  command
      .Add("--platform-out", &arguments.platform_out, "write the platform there, with the units of --threads")
      .Shown("FILE");
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
  command.Flag("--memory", &arguments.memory, "what each whole model takes of memory too");
  command.Add("--budget", &arguments.budget_s, "seconds for everything").Positive(kMostSeconds);
  AddTrialOptions(command, arguments.trials);
  command.Add("--noise", &arguments.noise, "stop where medians are known this well, 0.01: one percent")
      .RealRange(1e-6, 1.0);
  AddStateOptions(command, arguments);
  command.Flag("--status", &arguments.status, "only say what is measured already and what is left");
  command.AllowCommands(&arguments.allow_commands);
  command.Add("--sent", &arguments.sent, "models are those that `store` took under this name").Shown("NAME");
  command.Flag("--json", &arguments.json, "the summary as JSON; without -o nothing but the profile");
  command.Flag("--sharer", &arguments.sharer,
               "be one of those that share a unit while it is measured what that costs: `profile` starts "
               "them so");
}

void Declare(Command& command, ProfileArguments& arguments) {
  AddOptions(command, arguments);
  command.Footer(
      "Examples:\n  tandem-device profile scenario.json -o mine.profile.json\n"
      "  tandem-device profile --model squeezenet_1_1,resnet18 --budget 20 > mine.profile.json\n"
      "  tandem-device profile --model resnet18 --load 40,60 --energy -o mine.profile.json\n"
      "  tandem-device profile --model resnet50 --unit gpu0 --precision fp32,fp16 -o mine.profile.json\n"
      "  tandem-device profile --model resnet50 --batch 1,4 --threads 1,2 --before 'nvpmodel -m 2' "
      "--read 'nvpmodel -q' -o 10w.profile.json\n"
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
