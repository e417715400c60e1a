#include "sim/emit/emitter.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "profiles/base/files.h"
#include "profiles/model/model_export.h"
#include "profiles/model/model_source.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

constexpr std::uint64_t kSeedOfWeights = 1;  // as `tandem-device infer` and `tandem models export` have it

std::vector<EmitterDeclaration>& Registry() {
  static std::vector<EmitterDeclaration> registry;
  return registry;
}

}  // namespace

EmitterRegistration::EmitterRegistration(EmitterDeclaration declaration) {
  auto& registry = Registry();
  const auto place = std::upper_bound(
      registry.begin(), registry.end(), declaration,
      [](const EmitterDeclaration& a, const EmitterDeclaration& b) { return a.name < b.name; });
  registry.insert(place, std::move(declaration));
}

const std::vector<EmitterDeclaration>& Emitters() { return Registry(); }

const EmitterDeclaration* FindEmitter(std::string_view name) {
  for (const EmitterDeclaration& emitter : Emitters()) {
    if (emitter.name == name) return &emitter;
  }
  return nullptr;
}

void Emitted::Lacks(std::string sentence) {
  if (std::find(not_expressed.begin(), not_expressed.end(), sentence) == not_expressed.end()) {
    not_expressed.push_back(std::move(sentence));
  }
}

std::string PlainNames::Of(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool stays = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    plain += stays ? c : '_';
  }
  if (plain.empty() || plain.front() == '.') plain = "_" + plain;
  std::string unique = plain;
  for (int number = 2; !taken_.insert(unique).second; ++number) unique = plain + "_" + std::to_string(number);
  return unique;
}

std::string EmitAsset(std::string_view name) { return ReadTextFile(ShippedDirectory() / "emit" / name); }

DeployedModel LoadDeployed(const Scenario& scenario, ModelId id, std::int64_t batch) {
  ImportedModel imported = LoadModel(scenario.model(id).name, scenario.file);
  const bool random = imported.weights.empty();
  if (random) imported.weights = RandomWeights(imported.model, kSeedOfWeights);
  return {imported.model.WithBatch(batch), std::move(imported.weights), random};
}

EmittedFile OnnxFile(const Scenario& scenario, ModelId model, std::int64_t batch, std::string path) {
  EmittedFile file;
  file.path = std::move(path);
  file.write = [&scenario, model, batch](const std::filesystem::path& to) {
    const DeployedModel deployed = LoadDeployed(scenario, model, batch);
    ExportModel(to, deployed.model, deployed.weights);
  };
  return file;
}

EmittedFile OnnxFileOfAnyBatch(const Scenario& scenario, ModelId model, std::string path) {
  EmittedFile file;
  file.path = std::move(path);
  file.write = [&scenario, model](const std::filesystem::path& to) {
    const DeployedModel deployed = LoadDeployed(scenario, model, 1);
    ExportModelOfAnyBatch(to, deployed.model, deployed.weights);
  };
  return file;
}

}  // namespace tandem
