// tandem-device infer

#include <optional>

#include "device/commands/trial_options.h"
#include "device/host/core_list.h"
#include "device/study/infer.h"
#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/outputs.h"

namespace tandem::infer {
namespace {

constexpr std::int64_t kMostRuns = 1'000'000;

struct InferArguments {
  UnitChoice choice;
  InferRequest request;
  std::string weights, input, output, kernels;
  std::vector<std::string> cores;
  TrialArguments trials;
  bool force = false, json = false;
};

// What is no number may be gone at the output: the input is looked at as well.
void TellOfNotFinite(const InferResult& result) {
  const std::string of = " are infinite or not a number", program = "tandem-device: ";
  if (result.input_not_finite > 0) {
    const std::string why =
        result.precision == "int8"
            ? ": no whole number stands for them, and what a quantize makes of them is numbers\n"
            : ": max pools and fused activations may turn what comes of them into numbers\n";
    WriteNote(program + std::to_string(result.input_not_finite) + " numbers of the input" + of + why);
  }
  if (result.not_finite == 0) return;
  WriteNote(program + std::to_string(result.not_finite) + " numbers of the output" + of + "\n");
}

void TellOfHeat(const InferResult& result) {
  if (result.warmth.held_back.empty()) return;
  WriteNote("tandem-device infer: " + result.warmth.held_back + "; the times are of that state\n");
}

// A program that drives the unit may have been ended by the same Ctrl-C.
InferResult InferUntilStopped(const ChosenUnit& unit, const InferRequest& request, const LongRun& run) {
  try {
    return Infer(unit, request);
  } catch (const EnvironmentError&) {
    if (!run.interrupted()) throw;
    InferResult result;
    result.stopped = true;
    return result;
  }
}

int RunInfer(InferArguments arguments) {
  const LongRun run(LongRun::Reader::kOfOutput);
  arguments.request.weights = arguments.weights;
  arguments.request.input = arguments.input;
  arguments.request.output = arguments.output;
  arguments.request.kernels = arguments.kernels;
  arguments.request.kernel_store = arguments.trials.store;
  arguments.request.trials = arguments.trials.Most();
  arguments.choice.cores = AskedCores(arguments.cores, "--cores");
  std::optional<Outputs> outputs;
  arguments.request.inputs_read = [&](std::int64_t output_bytes) {
    const OutputKind raw{"raw numbers", nullptr, output_bytes};
    outputs.emplace(std::vector<Output>{{"--output", arguments.output, raw}}, arguments.force,
                    arguments.json);
  };
  arguments.request.go_on = [&] { return !run.interrupted(); };
  const InferResult result = InferUntilStopped(ChooseUnit(arguments.choice), arguments.request, run);
  if (result.stopped) {
    WriteError("tandem-device infer: interrupted: nothing is timed\n");
    return kExitInterrupted;
  }
  TellOfNotFinite(result);
  TellOfHeat(result);
  outputs->Say(arguments.json ? InferJson(result) : InferText(result, OutputWidth()));
  if (!result.output_hash_changed) return kExitDone;
  WriteError("tandem-device infer: unit \"" + result.unit +
             "\": its program tells several hashes of the outputs for one input: they change from run to "
             "run\n");
  return kExitNo;
}

void AddUnitOptions(Command& command, UnitChoice& choice, std::vector<std::string>& cores) {
  const Command::Option unit =
      command
          .Add("--unit", &choice.unit,
               "a unit of `tandem-device info` or of --platform, or \"reference\"; else the first")
          .Shown("U");
  const Command::Option platform =
      command.Add("--platform", &choice.platform, "the board that the unit belongs to: a file or a name")
          .Shown("FILE");
  command.AllowCommands(&choice.allow_commands);
  command.Add("--cores", &cores, "a unit of these cores, one thread pinned to each: 0,1 or 0-3")
      .Shown("LIST")
      .Separated(',')
      .OneWord()
      .Excludes({unit, platform});
}

void AddRunOptions(Command& command, InferArguments& arguments) {
  InferRequest& request = arguments.request;
  command.Add("--weights", &arguments.weights, "a file of weights (.safetensors, .caffemodel)").Shown("FILE");
  command.Add("--input", &arguments.input, "raw little-endian float32, all inputs in order; else random")
      .Shown("RAW");
  command.Add("--output", &arguments.output, "where to write the outputs in the same way").Shown("RAW");
  command.Force(&arguments.force);
  command.Add("--repeat", &request.repeat, "runs that are timed, after a warm-up; 10")
      .Shown("N")
      .Range(1, kMostRuns);
  command.Add("--batch", &request.batch, "the batch of every input, instead of the model's own")
      .Shown("B")
      .Range(1, 1 << 20);
  command
      .Add("--precision", &request.precision,
           "fp32; of a unit of the backend cuda also tf32, fp16, of cores int8")
      .Shown("P");
  const Command::Option kernels =
      command
          .Add("--kernels", &arguments.kernels,
               "take what this profile says was fastest, instead of trying all kernels")
          .Shown("PROFILE");
  AddTrialOptions(command, arguments.trials).Excludes({kernels});
  command.Add("--seed", &request.seed, "of random inputs and weights; 1").Shown("N");
  command.Flag("--steps", &request.steps, "show what the unit runs, step by step, with times");
  command.Flag("--json", &arguments.json, "print JSON");
}

void Declare(Command& command, InferArguments& arguments) {
  command.Add("MODEL", &arguments.request.model, "a name of the zoo, or a model's file").Required();
  AddUnitOptions(command, arguments.choice, arguments.cores);
  AddRunOptions(command, arguments);
  command.Footer(
      "Exit status 1 where the program of a unit tells outputs that change from run to run; 130 after "
      "Ctrl-C,\n"
      "SIGTERM or SIGHUP, with nothing printed.\n"
      "Examples:\n  tandem-device infer resnet50\n  tandem-device infer resnet50 --cores 0,1 --repeat 50 "
      "--steps\n"
      "  tandem-device infer net.onnx --input in.raw --output out.raw --json\n"
      "  tandem-device infer deploy.prototxt --weights net.caffemodel --unit reference --repeat 1");
}

const CommandRegistration kInfer{
    {.name = "infer", .summary = "run one model on one unit, and time it", .order = 20}, Declare, RunInfer};

}  // namespace
}  // namespace tandem::infer
