// tandem-device infer
#include <CLI/CLI.hpp>
#include <memory>

#include "device/commands/command.h"
#include "device/study/infer.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostRuns = 1'000'000;

struct InferArguments {
  UnitChoice choice;
  InferRequest request;
  std::string weights, input, output;
  bool json = false;
};

int RunInfer(InferArguments arguments) {
  arguments.request.weights = arguments.weights;
  arguments.request.input = arguments.input;
  arguments.request.output = arguments.output;
  const InferResult result = Infer(ChooseUnit(arguments.choice), arguments.request);
  if (result.not_finite > 0) {
    WriteError("tandem-device: " + std::to_string(result.not_finite) +
               " numbers of the output are infinite or not a number\n");
  }
  WriteOutput(arguments.json ? InferJson(result) : InferText(result, OutputWidth()));
  return kExitDone;
}

void AddUnitOptions(CLI::App& infer, UnitChoice& choice) {
  CLI::Option* unit =
      infer
          .add_option("--unit", choice.unit,
                      "a unit of `tandem-device info` or of --platform, or \"reference\"; else the first")
          ->type_name("U");
  CLI::Option* platform =
      infer.add_option("--platform", choice.platform, "the board that the unit belongs to: a file or a name")
          ->type_name("FILE");
  infer.add_option("--cores", choice.cores, "a unit of these cores, one thread pinned to each")
      ->type_name("0,1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(unit)
      ->excludes(platform);
}

void AddRunOptions(CLI::App& infer, InferArguments& arguments) {
  InferRequest& request = arguments.request;
  infer.add_option("--weights", arguments.weights, "a file of weights (.safetensors, .caffemodel)")
      ->type_name("FILE");
  infer.add_option("--input", arguments.input, "raw little-endian float32, all inputs in order; else random")
      ->type_name("RAW");
  infer.add_option("--output", arguments.output, "where to write the outputs in the same way")
      ->type_name("RAW");
  infer.add_option("--repeat", request.repeat, "runs that are timed, after a warm-up; 10")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMostRuns));
  infer.add_option("--batch", request.batch, "the batch of every input, instead of the model's own")
      ->type_name("B")
      ->check(CLI::Range(1, 1 << 20));
  infer.add_option("--precision", request.precision, "fp32; of a unit of the backend cuda also tf32, fp16")
      ->type_name("P");
  infer.add_option("--seed", request.seed, "of random inputs and weights; 1")->type_name("N");
  infer.add_flag("--steps", request.steps, "show what the unit runs, step by step, with times");
  infer.add_flag("--json", arguments.json, "print JSON");
}

}  // namespace

void AddInferCommand(CLI::App& app, Action& action) {
  CLI::App* infer = app.add_subcommand("infer", "run one model on one unit, and time it");
  const auto arguments = std::make_shared<InferArguments>();
  infer->add_option("MODEL", arguments->request.model, "a name of the zoo, or a model's file")->required();
  AddUnitOptions(*infer, arguments->choice);
  AddRunOptions(*infer, *arguments);
  infer->footer(
      "Examples:\n  tandem-device infer resnet50\n  tandem-device infer resnet50 --cores 0,1 --repeat 50 "
      "--steps\n"
      "  tandem-device infer net.onnx --input in.raw --output out.raw --json\n"
      "  tandem-device infer deploy.prototxt --weights net.caffemodel --unit reference --repeat 1");
  infer->callback([arguments, &action] { action = [arguments] { return RunInfer(*arguments); }; });
}

}  // namespace tandem
