#include "sim/emit/parts.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "profiles/base/suggest.h"
#include "profiles/model/model_export.h"
#include "profiles/model/op_declaration.h"
#include "sim/emit/segment_model.h"
#include "sim/emit/stage.h"

namespace tandem {
namespace {

ElementType TypeOf(const Layer& layer) {
  std::optional<ElementType> type;
  if (layer.op == Op::kInput) type = layer.attributes.As<InputAttributes>().type;
  if (Declaration(layer.op).kind == OpKind::kOpaque) type = layer.attributes.As<OpaqueAttributes>().type;
  return type.value_or(ElementType::kFp32);
}

// Of a part that is a model of its own: `of` has the layers of the whole.
std::vector<PartTensor> TensorsOf(const Model& model, const std::vector<LayerId>& layers,
                                  const std::vector<std::string>& of) {
  std::vector<PartTensor> tensors = TensorsOf(model, layers);
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].of = of[i];
  return tensors;
}

std::vector<LayerId> IdsOf(const auto& range) { return {range.begin(), range.end()}; }

std::vector<DeployedPart> PartsOf(const Deployment& deployment, const DeployedCut& of, const Model& batched) {
  std::vector<DeployedPart> parts;
  const Cut& cut = *of.cut;
  const auto layers = LayersOfSegments(deployment.problem(), cut);
  for (std::size_t s = 0; s < layers.size(); ++s) {
    DeployedPart part;
    part.segment = SegmentId(cut.first.index() + s);
    part.layers = layers[s];
    part.units = UnitsThatRan(deployment, part.segment);
    part.name = layers.size() == 1 ? of.name : of.name + "." + std::to_string(s);
    if (layers.size() == 1) {
      part.inputs = of.inputs;
      part.outputs = of.outputs;
    } else if (IsStage(batched, layers[s])) {
      part.inputs = TensorsOf(batched, LayersRead(batched, layers[s]));
      part.outputs = TensorsOf(batched, LayersMade(batched, layers[s]));
    } else if (!layers[s].empty()) {
      const SegmentModel model = SegmentModelOf(batched, layers[s], part.name);
      part.inputs = TensorsOf(model.model, IdsOf(model.model.Inputs()), model.inputs);
      part.outputs = TensorsOf(model.model, IdsOf(model.model.Outputs()), model.outputs);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool HasGpu(const Platform& platform) {
  return std::any_of(platform.units.begin(), platform.units.end(),
                     [](const Unit& unit) { return unit.kind == UnitKind::kGpu; });
}

std::optional<std::int64_t> NumberAtEnd(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size() || name.size() - digits > 3) return std::nullopt;
  return std::stoll(name.substr(digits));
}

}  // namespace

std::vector<PartTensor> TensorsOf(const Model& model, const std::vector<LayerId>& layers) {
  std::vector<PartTensor> tensors;
  for (const LayerId id : layers) {
    const Layer& layer = model.layer(id);
    tensors.push_back({layer.name, layer.name, layer.output, TypeOf(layer)});
  }
  return tensors;
}

std::vector<UnitId> UnitsThatRan(const Deployment& deployment, SegmentId segment) {
  std::set<UnitId> units;
  for (const DeployedShare& share : deployment.shares()) {
    if (share.segment == segment) units.insert(share.unit);
  }
  return {units.begin(), units.end()};
}

std::vector<DeployedCut> CutsOf(const Deployment& deployment) {
  std::vector<DeployedCut> cuts;
  PlainNames names;
  const auto loaded = std::make_shared<LoadedCut>();
  for (const Cut& cut : deployment.problem().cuts()) {
    const Model& model = *deployment.scenario().model(cut.model).model;
    const Model batched = model.WithBatch(cut.batch);
    DeployedCut of;
    of.cut = &cut;
    of.loaded = loaded;
    of.name = names.Of(model.name() + (cut.batch > 1 ? "_b" + std::to_string(cut.batch) : ""));
    of.inputs = TensorsOf(batched, IdsOf(batched.Inputs()));
    of.outputs = TensorsOf(batched, IdsOf(batched.Outputs()));
    of.parts = PartsOf(deployment, of, batched);
    cuts.push_back(std::move(of));
  }
  return cuts;
}

EmittedFile FileOf(const Deployment& deployment, const DeployedCut& cut, const DeployedPart& part,
                   std::string path) {
  if (cut.whole()) return OnnxFile(deployment.scenario(), cut.cut->model, cut.cut->batch, std::move(path));
  EmittedFile file;
  file.path = std::move(path);
  file.write = [&deployment, of = cut.cut, loaded = cut.loaded, layers = part.layers,
                name = part.name](const std::filesystem::path& to) {
    if (loaded->cut != of) {
      loaded->model.reset();
      loaded->model = LoadDeployed(deployment.scenario(), of->model, of->batch);
      loaded->cut = of;
    }
    const SegmentModel model = SegmentModelOf(loaded->model->model, layers, name);
    ExportModel(to, model.model, WeightsOf(model.model, loaded->model->weights));
  };
  return file;
}

Chip ChipOf(const Platform& platform, UnitId id) {
  const Unit& unit = platform.unit(id);
  if (unit.kind == UnitKind::kCpu) return Chip::kCpu;
  if (unit.kind == UnitKind::kGpu) return Chip::kGpu;
  const bool dla = Lower(unit.name).find("dla") != std::string::npos;
  return unit.kind == UnitKind::kNpu && dla && HasGpu(platform) ? Chip::kDla : Chip::kOther;
}

std::int64_t NumberOf(const Platform& platform, UnitId id) {
  const Unit& unit = platform.unit(id);
  if (unit.device) return *unit.device;
  const Chip chip = ChipOf(platform, id);
  if (chip == Chip::kDla) {
    if (const auto number = NumberAtEnd(unit.name)) return *number;
  }
  std::int64_t before = 0;
  for (std::size_t u = 0; u < id.index(); ++u) before += ChipOf(platform, UnitId(u)) == chip ? 1 : 0;
  return before;
}

std::string PrecisionOf(const Scenario& scenario, UnitId unit) {
  const auto& variant = scenario.units[unit.index()].variant;
  return variant ? variant->precision : "fp32";
}

std::string UnitText(const Platform& platform, UnitId unit) {
  return "unit " + Quoted(platform.unit(unit).name);
}

std::string ShellText(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

}  // namespace tandem
