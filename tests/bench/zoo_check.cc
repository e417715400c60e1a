// Runs models of the zoo, or of files, on a unit of the backend cpu (or another) and says how far their
// outputs are from those of the reference kernels (or of the cpu backend, which is much faster and held to
// them), how long they take and where the time goes. Exit status 1 where an error is not below the tolerance.
//   zoo_check [--backend NAME] [--precision P] [--against reference|cpu] [--tolerance T] [--json FILE]
//             [--steps N] [--no-check] [--add-kernels PROFILE] [--trials SECONDS] [MODEL...]
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "device/backends/reference/reference.h"
#include "device/processor/backend.h"
#include "device/processor/buffer.h"
#include "device/processor/kernel_entries.h"
#include "device/processor/kernel_store.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "profiles/model/zoo.h"
#include "tests/support/device/reference_run.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  bool check = true;
  std::string backend = "cpu", precision = "fp32";
  std::string against;  // empty: cpu for another backend, reference for that one
  double tolerance = 1e-4;
  std::optional<double> trials;
  std::string json, kernels;  // files; of the latter kernels are taken, and those added that are chosen anew
  std::size_t steps = 0;
  std::vector<std::string> models;
};

// Of this thread: what others do on the machine does not count.
double CpuMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}
double Milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// A processor of a backend, with the platform that it keeps to.
struct Opened {
  Platform platform;
  std::unique_ptr<Processor> processor;
};

// The first unit that the backend finds; of the cores, where not all are wanted, the last one.
std::unique_ptr<Opened> Open(const std::string& name, const std::string& precision, bool all_cores,
                             std::optional<double> trials = {}) {
  auto opened = std::make_unique<Opened>();
  opened->platform.memories.push_back({"dram", std::nullopt, std::nullopt});
  const std::vector<std::int64_t> usable = UsableCores();
  const HostInfo host = ReadHost(all_cores ? usable : std::vector{usable.back()});
  for (const DeviceBackend* backend : Backends()) {
    if (backend->name() != name) continue;
    const BackendState state = backend->Look(host, opened->platform);
    if (opened->platform.units.empty()) throw EnvironmentError(name + ": " + state.trouble);
    OpenRequest request;
    request.platform = &opened->platform;
    request.unit = UnitId(0);
    request.variant.precision = precision;
    if (trials) request.trials = Nanos(std::llround(*trials * 1e9));
    opened->processor = backend->Open(request);
    return opened;
  }
  throw EnvironmentError("there is no backend " + name + " in this build");
}

double RelativeError(const std::vector<float>& found, const std::vector<float>& expected) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
    error += difference * difference;
    norm += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
  }
  return std::sqrt(error / norm);
}

void PrintSteps(const Model& model, Executable& executable, const float* input, float* output,
                std::size_t count) {
  const std::vector<ExecutionStep> steps = executable.Steps();
  std::vector<Nanos> ends(steps.size());
  std::vector<double> best(steps.size(), 1e18);
  for (int run = 0; run < 15; ++run) {
    const auto start = std::chrono::duration_cast<Nanos>(Clock::now().time_since_epoch());
    executable.RunTimed({&input, 1}, {&output, 1}, ends);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      best[i] =
          std::min(best[i], static_cast<double>((ends[i] - (i == 0 ? start : ends[i - 1])).count()) / 1e3);
    }
  }
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
  std::printf("  all steps %.1f us\n", std::accumulate(best.begin(), best.end(), 0.0));
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) {
    const ExecutionStep& step = steps[order[i]];
    std::int64_t macs = 0;
    for (const LayerId id : step.layers) macs += model.layer(id).counts.macs;
    const Layer* layer = step.layers.empty() ? nullptr : &model.layer(step.layers[0]);
    const std::string in = layer == nullptr ? "" : ShapeText(model.layer(layer->inputs[0]).output);
    std::printf("  %9.1f us %7.1f GFLOP/s  %-28s %s -> %s  %s\n", best[order[i]],
                2 * static_cast<double>(macs) / best[order[i]] / 1e3,
                layer == nullptr ? "" : layer->name.c_str(), in.c_str(),
                layer == nullptr ? "" : ShapeText(model.layer(step.layers.back()).output).c_str(),
                step.how.c_str());
  }
}

struct Checked {
  std::string model;
  double milliseconds = 0, compile = 0, error = 0;
  std::int64_t bytes = 0;
};

std::vector<float> Expected(Processor* judge, const std::shared_ptr<const Model>& model,
                            const std::shared_ptr<const Weights>& weights, const Tensor& input,
                            const std::string& name) {
  std::vector<float> values;
  if (judge == nullptr) {
    VisitReference(*model, *weights, {input}, [&](LayerId, const Tensor& tensor) { values = tensor.values; });
    return values;
  }
  const Buffer from(std::span<const float>(input.values));
  Buffer to(static_cast<std::size_t>(Elements(model->layer(model->Outputs()[0]).output)));
  const float* const reads = from.data();
  float* const writes = to.data();
  judge->Compile(WholeSegment(model, weights, name))->Run({&reads, 1}, {&writes, 1});
  return {to.data(), to.data() + to.size()};
}

// With the kernels that are known, and those kept that were chosen anew.
std::unique_ptr<Executable> CompileWith(KernelStore& known, Opened& opened, const Options& options,
                                        const SegmentSpec& spec) {
  const std::string& unit = opened.platform.units.front().name;
  KernelEntry of = KernelsOf(spec, unit, {"", options.precision}, *opened.processor);
  of.model = ModelKey(of.model, {});
  auto made = opened.processor->Compile(WithKept(spec, of, {}, known.entries()));
  KeepKernels(of, {}, made->Kernels(), known.entries());
  known.Write(opened.platform.name.empty() ? unit : opened.platform.name);
  return made;
}

Checked Check(Opened& opened, Processor* judge, KernelStore& known, const std::string& name,
              const Options& options) {
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  const auto model = std::make_shared<const Model>(LoadModel(name, {}, graph_alone).model);
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const Tensor input = Scattered(model->layer(model->Inputs()[0]).output);
  const auto start = Clock::now();
  const auto executable = CompileWith(known, opened, options, WholeSegment(model, weights, name));
  const double compile = Milliseconds(Clock::now() - start);
  const Buffer given(std::span<const float>(input.values));
  Buffer output(static_cast<std::size_t>(Elements(model->layer(model->Outputs()[0]).output)));
  std::fill(output.values().begin(), output.values().end(), NAN);
  const float* const from = given.data();
  float* const result = output.data();
  double least = 1e18;
  const auto until = Clock::now() + std::chrono::milliseconds(1000);
  for (int run = 0; run < 5 || (run < 200 && Clock::now() < until); ++run) {
    const double begin = CpuMilliseconds();
    executable->Run({&from, 1}, {&result, 1});
    least = std::min(least, CpuMilliseconds() - begin);
  }
  double error = 0;
  if (options.check) {
    error = RelativeError({result, result + output.size()}, Expected(judge, model, weights, input, name));
  }
  std::printf("%-22s %9.3f ms  compiled in %6.0f ms  %6.1f MB  error %.2g\n", name.c_str(), least, compile,
              static_cast<double>(executable->Bytes()) / 1e6, error);
  if (options.steps > 0) PrintSteps(*model, *executable, from, result, options.steps);
  std::fflush(stdout);
  return {name, least, compile, error, executable->Bytes()};
}

std::string Json(const Options& options, const std::vector<Checked>& checked, double worst) {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const Checked& one : checked) {
    models.push_back({{"model", one.model},
                      {"ms", one.milliseconds},
                      {"compile_ms", one.compile},
                      {"bytes", one.bytes},
                      {"error", one.error}});
  }
  return nlohmann::ordered_json{{"backend", options.backend},     {"precision", options.precision},
                                {"against", options.against},     {"worst", worst},
                                {"tolerance", options.tolerance}, {"models", std::move(models)}}
             .dump(1) +
         "\n";
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::array<std::pair<const char*, std::string*>, 5> texts = {{{"--backend", &options.backend},
                                                                        {"--precision", &options.precision},
                                                                        {"--against", &options.against},
                                                                        {"--json", &options.json},
                                                                        {"--add-kernels", &options.kernels}}};
    const auto text = std::find_if(texts.begin(), texts.end(),
                                   [&](const auto& named) { return std::strcmp(argv[i], named.first) == 0; });
    if (std::strcmp(argv[i], "--no-check") == 0) {
      options.check = false;
    } else if (text != texts.end() && i + 1 < argc) {
      *text->second = argv[++i];
    } else if (std::strcmp(argv[i], "--tolerance") == 0 && i + 1 < argc) {
      options.tolerance = std::stod(argv[++i]);
    } else if (std::strcmp(argv[i], "--trials") == 0 && i + 1 < argc) {
      options.trials = std::stod(argv[++i]);
    } else if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      options.steps = std::stoul(argv[++i]);
    } else {
      options.models.push_back(argv[i]);
    }
  }
  if (options.against.empty()) options.against = options.backend == "cpu" ? "reference" : "cpu";
  if (options.models.empty()) {
    for (const ZooEntry& entry : Zoo()) options.models.push_back(entry.name);
  }
  return options;
}

int Main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  const std::unique_ptr<Opened> opened = Open(options.backend, options.precision, false, options.trials);
  std::unique_ptr<Opened> judge;
  if (options.against != "reference") judge = Open(options.against, "fp32", true);
  KernelStore known(options.kernels);
  double worst = 0;
  std::vector<Checked> checked;
  for (const std::string& name : options.models) {
    checked.push_back(Check(*opened, judge ? judge->processor.get() : nullptr, known, name, options));
    const double error = checked.back().error;
    worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
    // What is there when time runs out counts.
    if (!options.json.empty()) WriteFile(options.json, Json(options, checked, worst));
  }
  std::printf("worst error %.3g\n", worst);
  return worst < options.tolerance ? 0 : 1;
}

int MainOrMessage(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "zoo_check: %s\n", error.what());
    return 3;
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) { return tandem::MainOrMessage(argc, argv); }
