// Runs a model on one core of the backend cpu, with what is said of its convolutions' kernels taken as it is:
// for whoever counts what that executes, where times mean nothing (scripts/bench/instructions).
//   bench_instructions MODEL RUNS INPUT_FILE OUTPUT_FILE [xnnpack|onednn|measured [KEPT_FILE]]
// What was measured to be faster is kept in that file; where it is there, nothing is measured anew.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "device/processor/backend.h"
#include "device/processor/buffer.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "tests/bench/marks.h"

namespace tandem {
namespace {

// A line for each: what it is of, a tab, and which it is.
std::string KeptText(const KernelChoices& choices) {
  std::string text;
  for (const auto& [of, choice] : choices) text += of + "\t" + choice + "\n";
  return text;
}

KernelChoices KeptFrom(const std::string& text) {
  KernelChoices choices;
  std::istringstream lines(text);
  for (std::string of, choice; std::getline(lines, of, '\t') && std::getline(lines, choice);)
    choices[of] = choice;
  return choices;
}

int Main(const std::vector<std::string>& words) {
  if (words.size() < 4)
    throw InputError(
        "usage: bench_instructions MODEL RUNS INPUT_FILE OUTPUT_FILE [xnnpack|onednn|measured [KEPT_FILE]]");
  const std::string kernels = words.size() > 4 ? words[4] : "xnnpack";
  const std::string kept = words.size() > 5 ? words[5] : "";
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  ImportOptions options;
  options.want_weights = true;
  ImportedModel loaded = LoadModel(words[0], {}, options);
  const auto model = std::make_shared<const Model>(std::move(loaded.model));
  const auto weights = std::make_shared<const Weights>(std::move(loaded.weights));
  Unit unit;
  unit.name = "core";
  unit.backend = &DeclaredBackend("cpu");
  unit.cores = {UsableCores().back()};
  unit.memory = MemoryId(0);
  Platform platform;
  platform.memories.push_back({"dram", std::nullopt, std::nullopt});
  platform.units = {unit};
  OpenRequest request;
  request.platform = &platform;
  request.unit = UnitId(0);
  const std::unique_ptr<Processor> processor = BackendOf(unit, "bench_instructions").Open(request);

  SegmentSpec spec = WholeSegment(model, weights, words[0]);
  for (const LayerId id : spec.layers) {
    const Layer& layer = model->layer(id);
    if (layer.op != Op::kConv && layer.op != Op::kDeconv) continue;
    if (kernels == "measured") continue;
    // oneDNN's is what it has for aarch64; a convolution for which it has another one is measured, as ever.
    spec.kernels[layer.name] = kernels == "xnnpack" ? "channels last, xnnpack" : "plain to plain, gemm:ref";
  }
  const bool known = !kept.empty() && std::filesystem::exists(kept);
  if (known) spec.kernels = KeptFrom(ReadTextFile(kept, kMostBytes));
  const auto executable = processor->Compile(spec);
  const ChosenKernels chosen = executable->Kernels();
  if (known && chosen.anew) throw InputError(kept + ": has not all kernels of this model");
  if (!kept.empty() && !known) WriteFile(kept, KeptText(chosen.choices));
  const auto room = [&](LayerId id) {
    return Buffer(static_cast<std::size_t>(Elements(model->layer(id).output)));
  };
  Buffer input = room(model->Inputs()[0]), output = room(spec.outputs[0]);
  const std::string bytes = ReadTextFile(words[2], kMostBytes);
  if (bytes.size() != input.size() * sizeof(float))
    throw InputError(words[2] + ": has another size than the model's input");
  std::memcpy(input.data(), bytes.data(), bytes.size());
  const float* const from[] = {input.data()};
  float* const to[] = {output.data()};
  const int runs = std::stoi(words[1]);
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    if (run == runs - 1) Mark();
    const double start = MicrosecondsNow();
    executable->Run(from, to);
    times.push_back(MicrosecondsNow() - start);
    if (run == runs - 1) Mark();
  }
  TellMedian(times.data(), times.size());
  WriteFile(words[3],
            std::string(reinterpret_cast<const char*>(output.data()), output.size() * sizeof(float)));
  for (const ExecutionStep& step : executable->Steps()) std::cout << step.how << "\n";
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    return tandem::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
