#include "profiles/dumps/import.h"

#include <algorithm>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/model_identity.h"
#include "profiles/model/model_source.h"
#include "profiles/program/shipped.h"

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

DumpQuestion QuestionOf(const ProfileImport& import, const Model& model, const LayerMap& map) {
  DumpQuestion asked;
  asked.model = model.name();
  for (const Layer& layer : model.layers()) asked.names.insert(layer.name);
  for (const auto& [name, layers] : map.rows) {
    asked.names.insert(name);
    if (layers.empty()) asked.left_out.insert(name);
  }
  asked.range = import.range;
  asked.device = import.device;
  return asked;
}

// A file as the profile has to name it.
std::string NameInProfile(const std::string& name, const ProfileImport& import) {
  return import.output.empty() ? name : NameFrom(name, {}, import.output);
}

Origin OriginOf(const ProfileImport& import, const ProfileDump& dump) {
  Origin origin;
  origin.kind = OriginKind::kPublished;
  origin.source = dump.tool + " in " + NameOfInput(import.file.filename()) + ", " + dump.statistic;
  if (!import.source.empty()) origin.source += "; " + import.source;
  return origin;
}

CostEntry EntryOf(const ProfileImport& import, const Timing& time) {
  CostEntry entry;
  entry.model = NameInProfile(import.model, import);
  entry.unit = import.unit;
  entry.batch = import.batch;
  entry.variant = import.variant;
  entry.time = time;
  return entry;
}

// From where the command line names it: the profile's own folder may not be there yet.
Platform ReadPlatformOf(const ProfileImport& import) {
  const std::vector<std::string> shipped = ShippedNames("boards", ".platform.json");
  const bool known = std::find(shipped.begin(), shipped.end(), import.platform) != shipped.end();
  if (IsShippedName(import.platform) && !known) {
    throw InputError("--platform: tandem ships no board " + Quoted(import.platform) + "; it ships " +
                     Joined(shipped) + "; a file of yours is ./" + import.platform);
  }
  try {
    return ReadPlatformFile(FindFile(import.platform, {}, "boards", ".platform.json"));
  } catch (const InputError& error) {
    throw InputError("--platform: " + std::string(error.what()));
  }
}

void CheckUnitOf(const ProfileImport& import) {
  const Platform platform = ReadPlatformOf(import);
  if (platform.FindUnit(import.unit).valid()) return;
  throw InputError("--unit: platform " + Quoted(import.platform) + " has no unit " + Quoted(import.unit) +
                   Suggestion(import.unit, platform.UnitNames()));
}

std::string Listed(const std::vector<WholeModelRow>& rows, std::string WholeModelRow::*what) {
  std::vector<std::string> names;
  for (const WholeModelRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.*what) == names.end()) names.push_back(row.*what);
  }
  return Joined(names);
}

// The row of the model in that batch, with the fewest requests in flight. Who measured several models has one
// of them by its own name.
const WholeModelRow& WholeRowOf(const ProfileDump& dump, const Model& model, const ProfileImport& import) {
  const std::string file = NameOfInput(import.file);
  std::vector<const WholeModelRow*> rows;
  const auto one_name = [&] {
    return std::all_of(dump.whole.begin(), dump.whole.end(),
                       [&](const WholeModelRow& row) { return row.model == dump.whole.front().model; });
  };
  const bool any_name = one_name();
  for (const WholeModelRow& row : dump.whole) {
    if (any_name || row.model == model.name() || row.model == import.model) rows.push_back(&row);
  }
  if (rows.empty()) {
    throw InputError(file + ": has no row of model " + Quoted(model.name()) + "; it has " +
                     Listed(dump.whole, &WholeModelRow::model));
  }
  std::erase_if(rows,
                [&](const WholeModelRow* row) { return row->batch != 0 && row->batch != import.batch; });
  if (rows.empty()) {
    throw InputError(file + ": has no row of batch " + std::to_string(import.batch) +
                     "; --batch says which one is wanted");
  }
  const WholeModelRow& row = **std::min_element(
      rows.begin(), rows.end(),
      [](const WholeModelRow* a, const WholeModelRow* b) { return a->in_flight < b->in_flight; });
  if (row.with_waiting && row.in_flight > 1) {
    throw InputError(row.place + ": a latency with " + std::to_string(row.in_flight) +
                     " requests in flight has their waiting in it; measure with one in flight");
  }
  return row;
}

}  // namespace

ImportedProfile ImportProfile(const ProfileImport& import) {
  ImportedProfile result;
  const Model model = LoadForBatch(import);
  const LayerMap map = import.map.empty() ? LayerMap{} : ReadMapFile(import.map);
  result.dump = ReadProfileDump(import.file, import.format, QuestionOf(import, model, map));
  if (result.dump.whole.empty()) {
    result.mapping = MapDump(result.dump, model, NameOfInput(import.file), map);
  } else {
    if (!import.map.empty())
      throw InputError("--map: " + result.dump.tool + " has times of whole models alone");
    const WholeModelRow& row = WholeRowOf(result.dump, model, import);
    result.dump.statistic = row.statistic;
    result.dump.end_to_end = row.time;
    result.mapping.dump_total = result.mapping.mapped_total = row.time.median;
  }
  Profile& profile = result.profile;
  profile.file = import.output.string();
  profile.platform = NameInProfile(import.platform, import);
  profile.origin = OriginOf(import, result.dump);
  for (const MappedGroup& group : result.mapping.groups) {
    CostEntry entry = EntryOf(import, group.time);
    for (const LayerId id : group.layers) entry.layers.push_back(model.layer(id).name);
    profile.entries.push_back(std::move(entry));
  }
  // What rows that the map leaves out took is in there, too.
  result.whole_model = result.dump.end_to_end && result.mapping.left_out.empty();
  if (result.whole_model) profile.entries.push_back(EntryOf(import, *result.dump.end_to_end));
  AddStructures(profile);
  CheckUnitOf(import);
  return result;
}

}  // namespace tandem
