#include "profiles/dumps/import.h"

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/model/model_source.h"
#include "profiles/model/zoo.h"

namespace tandem {
namespace {

Model LoadForBatch(const ProfileImport& import) {
  ImportOptions options;
  options.want_weights = false;
  Model model = LoadModel(import.model, {}, options).model;
  return model.batch() == import.batch ? model : model.WithBatch(import.batch);
}

LayerMap ReadMapFile(const std::filesystem::path& file) {
  const JsonDocument document = JsonDocument::ReadFile(file);
  return ReadLayerMap(document.root());
}

// A model's file as the profile has to name it.
std::string ModelName(const ProfileImport& import) {
  if (FindInZoo(import.model) != nullptr || import.output.empty()) return import.model;
  const auto folder = std::filesystem::absolute(import.output).parent_path();
  const std::string relative = std::filesystem::absolute(import.model).lexically_relative(folder).string();
  return relative.find('/') == std::string::npos ? "./" + relative : relative;
}

Origin OriginOf(const ProfileImport& import, const ProfileDump& dump) {
  Origin origin;
  origin.kind = OriginKind::kPublished;
  origin.source = dump.tool + " in " + NameOfInput(import.file.filename()) + ", " + dump.statistic;
  if (!import.source.empty()) origin.source += "; " + import.source;
  return origin;
}

}  // namespace

ImportedProfile ImportProfile(const ProfileImport& import) {
  ImportedProfile result;
  result.dump = ReadProfileDump(import.file, import.format);
  const Model model = LoadForBatch(import);
  const LayerMap map = import.map.empty() ? LayerMap{} : ReadMapFile(import.map);
  result.mapping = MapDump(result.dump, model, NameOfInput(import.file), map);
  Profile& profile = result.profile;
  profile.file = import.output.string();
  profile.platform = import.platform;
  profile.origin = OriginOf(import, result.dump);
  for (const MappedGroup& group : result.mapping.groups) {
    CostEntry entry;
    entry.model = ModelName(import);
    entry.unit = import.unit;
    for (const LayerId id : group.layers) entry.layers.push_back(model.layer(id).name);
    entry.batch = import.batch;
    entry.variant = import.variant;
    entry.time = group.time;
    profile.entries.push_back(std::move(entry));
  }
  if (const auto platform = FindProfilePlatform(profile)) {
    if (!platform->FindUnit(import.unit).valid()) {
      throw InputError("--unit: platform " + Quoted(import.platform) + " has no unit " + Quoted(import.unit) +
                       Suggestion(import.unit, platform->UnitNames()));
    }
  }
  return result;
}

}  // namespace tandem
