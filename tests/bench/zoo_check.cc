// Runs models of the zoo on a unit of the backend cpu (or another) and says how far their outputs are from
// the reference's, how long they take and where the time goes.
//   zoo_check [--time] [--steps N] [--no-check] [MODEL...]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "device/backend.h"
#include "device/backends/reference/reference.h"
#include "profiles/zoo.h"
#include "tests/device/reference_run.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  bool check = true;
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

std::unique_ptr<Processor> OpenCpu() {
  static Platform platform;
  Unit unit;
  unit.name = "cpu";
  unit.backend = Backend::kCpu;
  unit.cores = {UsableCores().back()};
  platform.units = {unit};
  OpenRequest request;
  request.platform = &platform;
  request.unit = UnitId(0);
  return BackendOf(unit, "here").Open(request);
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

double Check(Processor& processor, const std::string& name, const Options& options) {
  const auto model = std::make_shared<const Model>(FindInZoo(name)->build());
  const auto weights = std::make_shared<const Weights>(RandomWeights(*model, 1));
  const Tensor input = Scattered(model->layer(model->Inputs()[0]).output);
  const auto start = Clock::now();
  const auto executable = processor.Compile(WholeSegment(model, weights, name));
  const double compile = Milliseconds(Clock::now() - start);
  // Aligned for any kernel.
  std::vector<float> storage(input.values.size() + 16);
  float* aligned = storage.data() + (64 - reinterpret_cast<std::uintptr_t>(storage.data()) % 64) % 64 / 4;
  std::copy(input.values.begin(), input.values.end(), aligned);
  const Shape& shape = model->layer(model->Outputs()[0]).output;
  std::vector<float> output(static_cast<std::size_t>(Elements(shape)) + 16, NAN);
  float* result = output.data() + (64 - reinterpret_cast<std::uintptr_t>(output.data()) % 64) % 64 / 4;
  const float* from = aligned;
  double least = 1e18;
  const auto until = Clock::now() + std::chrono::milliseconds(1000);
  for (int run = 0; run < 5 || (run < 200 && Clock::now() < until); ++run) {
    const double begin = CpuMilliseconds();
    executable->Run({&from, 1}, {&result, 1});
    least = std::min(least, CpuMilliseconds() - begin);
  }
  double error = 0;
  if (options.check) {
    Tensor expected;
    VisitReference(*model, *weights, {input}, [&](LayerId, const Tensor& tensor) { expected = tensor; });
    error = RelativeError({result, result + expected.values.size()}, expected.values);
  }
  std::printf("%-22s %9.3f ms  compiled in %6.0f ms  %6.1f MB  error %.2g\n", name.c_str(), least, compile,
              static_cast<double>(executable->Bytes()) / 1e6, error);
  if (options.steps > 0) PrintSteps(*model, *executable, from, result, options.steps);
  std::fflush(stdout);
  return error;
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--no-check") == 0) {
      options.check = false;
    } else if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      options.steps = std::stoul(argv[++i]);
    } else {
      options.models.push_back(argv[i]);
    }
  }
  if (options.models.empty()) {
    for (const ZooEntry& entry : Zoo()) options.models.push_back(entry.name);
  }
  return options;
}

int Main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  const std::unique_ptr<Processor> processor = OpenCpu();
  double worst = 0;
  for (const std::string& name : options.models) worst = std::max(worst, Check(*processor, name, options));
  std::printf("worst error %.3g\n", worst);
  return worst < 1e-4 ? 0 : 1;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) { return tandem::Main(argc, argv); }
