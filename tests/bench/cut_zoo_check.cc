// Do networks of the zoo give what one unit alone gives when two units share them: groups handed over as in a
// pipeline, and most of what can be split computed in parts?
//   cut_zoo_check [MODEL...]
#include <cstdio>
#include <cstdlib>

#include "device/harness/harness.h"
#include "profiles/base/input_error.h"
#include "profiles/model/zoo.h"
#include "tests/support/device/cut_plans.h"

namespace tandem {
namespace {

std::string TwoCpus() {
  const std::vector<std::int64_t> cores = UsableCores();
  std::string units;
  for (const std::int64_t core : {cores.front(), cores.back()}) {
    units += (units.empty() ? R"([{"name": "first)" : R"(, {"name": "last)");
    units +=
        R"(", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [)" + std::to_string(core) + "]}";
  }
  return units + "]";
}

std::vector<std::vector<LayerId>> GroupsOf(const Model& model) {
  Platform platform;
  platform.memories = {{"dram", {}, {}}};
  Unit unit;
  unit.name = "cpu";
  unit.backend = &DeclaredBackend("cpu");
  unit.memory = MemoryId(0);
  unit.cores = {UsableCores().front()};
  platform.units = {unit};
  OpenRequest request;
  request.platform = &platform;
  request.unit = UnitId(0);
  return BackendOf(unit, "here").Open(request)->Groups(model);
}

// A quarter of the pieces each, in turn: borders between units as a pipeline has them, and more.
std::vector<std::size_t> InTurn(std::size_t pieces) {
  std::vector<std::size_t> unit_of(pieces);
  for (std::size_t i = 0; i < pieces; ++i) unit_of[i] = i * 4 / pieces % 2;
  return unit_of;
}

bool Check(const std::string& name, std::int64_t batch, std::int64_t split_percent) {
  Chance chance(static_cast<std::uint64_t>(batch + split_percent));
  const Model model = FindInZoo(name)->build();
  PlanToCut cut;
  cut.model = name;
  cut.units = TwoCpus();
  cut.batch = batch;
  cut.pieces = SplitSome(model, GroupsOf(model), split_percent, chance);
  if (split_percent == 0) cut.unit_of = InTurn(cut.pieces.size());
  RunOrder request;
  request.plans.push_back(PlanOf(cut, chance));
  request.force = true;
  const RunAnswer result = RunPlans(request, {});
  const DeviceRun& run = result.runs.at(0);
  const bool right = run.complete && run.outputs.wrong == 0 && run.outputs.checked == cut.requests;
  std::printf("%-20s batch %d, %3d %% split, %4zu tasks: worst %.2g, %.3f ms  %s%s\n", name.c_str(),
              static_cast<int>(batch), static_cast<int>(split_percent), cut.pieces.size(), run.outputs.worst,
              static_cast<double>(run.makespan.count()) / 1e6, right ? "right" : "WRONG ",
              run.failure.c_str());
  return right;
}

}  // namespace
}  // namespace tandem

int main(int count, char** words) {
  std::vector<std::string> models(words + 1, words + count);
  if (models.empty()) models = {"squeezenet_1_1", "mobilenet_v2", "resnet18", "googlenet"};
  bool right = true;
  try {
    for (const std::string& model : models) {
      for (const std::int64_t percent : {0, 80}) {
        right = tandem::Check(model, 1, percent) && right;
      }
      right = tandem::Check(model, 2, 50) && right;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
