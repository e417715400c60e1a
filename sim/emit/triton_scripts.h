// What stands beside Triton's model repository: how the server is started, engines built, and what Model
// Analyzer is told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policies/kinds/serving.h"
#include "sim/emit/parts.h"

namespace tandem::triton_server {

// One folder of the repository that runs something: where a chip needs an engine of its own there are
// several of a part.
struct Served {
  std::string name;
  const DeployedCut* cut = nullptr;
  const DeployedPart* part = nullptr;
  bool engine = false;  // of TensorRT, for a DLA
  bool stage = false;   // a file of Python that its owner fills in
  std::vector<Serving::Group> groups;
};

std::string_view KindOf(Chip chip);  // "KIND_GPU"
std::string_view KindOf(const Served& served, Chip chip);
bool HasCores(const Platform& platform, UnitId unit);  // cores that instances are to be kept to
std::string PolicyName(UnitId unit);                   // of the host policy that does so

std::string StartScript(const Platform& platform, const std::vector<std::string>& ensembles,
                        const std::vector<Served>& served, bool takes_turns,
                        const std::map<std::string, std::int64_t>& resources);
std::string EngineScript(const Scenario& scenario, const std::vector<Served>& served);
std::string StageScript(const Model& model, const DeployedPart& part);  // model.py
std::string AnalyzerConfig(const Platform& platform, const std::vector<Served>& served);

}  // namespace tandem::triton_server
