#include "scenarios/exchange/profile_order.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiles/base/decimal.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/model/model_source.h"
#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/parts.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

constexpr std::string_view kKind = "profile-request/1";
constexpr std::string_view kDevice = "device";
constexpr std::int64_t kLargestBatch = 1 << 20;
constexpr std::int64_t kMostLoad = 99;
constexpr std::int64_t kMostSamples = 1'000'000;
constexpr double kMostSeconds = 1e6;
constexpr double kNanosPerSecond = 1e9;
constexpr std::size_t kFewPairs = 50;

ProfiledModel ReadModelWish(const JsonReader& value) {
  ProfiledModel wish;
  JsonReader name = value;
  if (value.IsObject()) {
    value.OnlyKeys({"model", "batch"});
    name = value.Get("model");
    if (const auto batch = value.Find("batch")) wish.batch = batch->Integer(1, kLargestBatch);
  }
  const std::string text = name.Name();
  wish.model = Within(name, [&] {
    ImportOptions graph_alone;
    graph_alone.want_weights = false;
    const Model model = LoadModel(text, value.file(), graph_alone).model;
    if (wish.batch != model.batch()) (void)model.WithBatch(wish.batch);
    return ModelKey(text, value.file());
  });
  return wish;
}

std::vector<ProfiledModel> ReadModels(const JsonReader& list) {
  std::vector<ProfiledModel> models;
  for (const JsonReader value : list.Elements()) {
    ProfiledModel wish = ReadModelWish(value);
    if (std::find(models.begin(), models.end(), wish) != models.end()) {
      value.Fail("the model " + Quoted(wish.model) + " with batch " + std::to_string(wish.batch) +
                 " is given twice");
    }
    models.push_back(std::move(wish));
  }
  if (models.empty()) list.Fail("a request has at least one model");
  return models;
}

void CheckUnitName(const JsonReader& value, const Platform& platform) {
  const std::string name = value.Name();
  if (platform.units.empty() || platform.FindUnit(name).valid()) return;
  value.Fail("unknown unit " + Quoted(name) + Suggestion(name, platform.UnitNames()));
}

std::vector<std::string> ReadUnitNames(const JsonReader& list, const Platform& platform) {
  std::vector<std::string> units;
  for (const JsonReader value : list.Elements()) {
    units.push_back(value.Name());
    if (std::count(units.begin(), units.end(), units.back()) > 1) {
      value.Fail("the unit " + Quoted(units.back()) + " is given twice");
    }
    CheckUnitName(value, platform);
  }
  if (units.empty()) list.Fail("needs at least one unit; without this key all are measured");
  return units;
}

std::map<std::string, std::vector<std::string>> ReadVariantWishes(const JsonReader& value,
                                                                  const Platform& platform) {
  std::map<std::string, std::vector<std::string>> wishes;
  for (const JsonReader member : value.Members()) {
    const std::string unit(member.key());
    if (!platform.units.empty() && !platform.FindUnit(unit).valid()) {
      member.Fail("unknown unit " + Quoted(unit) + Suggestion(unit, platform.UnitNames()));
    }
    std::vector<std::string>& precisions = wishes[unit];
    for (const JsonReader precision : member.Elements()) {
      precision.OneOf(kPrecisions, "precision");
      precisions.emplace_back(precision.String());
      if (std::count(precisions.begin(), precisions.end(), precisions.back()) > 1) {
        precision.Fail("this precision is given twice");
      }
    }
    if (precisions.empty()) member.Fail("needs at least one precision; units not named here have fp32");
  }
  return wishes;
}

std::vector<LoadWish> ReadLoadWishes(const JsonReader& list, const Platform& platform) {
  std::vector<LoadWish> wishes;
  for (const JsonReader value : list.Elements()) {
    value.OnlyKeys({"unit", "load_pct"});
    LoadWish wish{value.Get("unit").Name(), value.Get("load_pct").Integer(1, kMostLoad)};
    CheckUnitName(value.Get("unit"), platform);
    if (std::find(wishes.begin(), wishes.end(), wish) != wishes.end()) {
      value.Fail("this load of unit " + Quoted(wish.unit) + " is given twice");
    }
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

Platform ReadRequestPlatform(const JsonReader& root, const ScenarioOptions& options) {
  Scenario scratch;
  scratch.file = root.file();
  ReadPlatformOf(root, options, scratch);
  if (scratch.platform) return *std::move(scratch.platform);
  Platform unknown;  // until a device answers
  unknown.name = kDevice;
  return unknown;
}

void ReadHowPrecisely(const JsonReader& root, ProfileOrder& request) {
  if (const auto noise = root.Find("noise")) {
    request.noise = noise->Positive();
    if (request.noise > 1) noise->Fail("a fraction: 0.01 is one percent");
  }
  if (const auto budget = root.Find("budget_s")) {
    request.budget = Nanos{std::llround(budget->Number(0, kMostSeconds) * kNanosPerSecond)};
  }
  if (const auto samples = root.Find("min_samples")) request.min_samples = samples->Integer(1, kMostSamples);
  if (const auto warm_up = root.Find("warm_up_ms")) request.warm_up = warm_up->Millis();
  if (const auto seed = root.Find("seed")) request.seed = seed->Unsigned();
}

// Layers of one of the models, in any order.
PartsWish::Piece ReadPieceOfParts(const JsonReader& value, const std::vector<ProfiledModel>& models) {
  value.OnlyKeys({"model", "layers"});
  const JsonReader name = value.Get("model");
  PartsWish::Piece piece{ModelKey(name.Name(), value.file()), {}};
  const auto same = [&](const ProfiledModel& wish) { return wish.model == piece.model; };
  if (std::none_of(models.begin(), models.end(), same)) {
    name.Fail("the model " + Quoted(name.Name()) + " is none of those to be measured");
  }
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  const Model model = LoadModel(name.Name(), value.file(), graph_alone).model;
  std::vector<LayerId> layers;
  for (const JsonReader layer : value.Get("layers").Elements()) {
    piece.layers.push_back(layer.Name());
    layers.push_back(model.Find(piece.layers.back()));
    if (layers.back().valid()) continue;
    std::vector<std::string> known;
    for (const Layer& other : model.layers()) known.push_back(other.name);
    layer.Fail("the model has no layer " + Quoted(piece.layers.back()) +
               Suggestion(piece.layers.back(), known));
  }
  std::sort(layers.begin(), layers.end());
  if (SplitRangeOf(model, layers, SplitAxis::kChannels).extent < 2 &&
      SplitRangeOf(model, layers, SplitAxis::kRows).extent < 2) {
    value.Fail("these layers cannot be split together");
  }
  return piece;
}

PartsWish ReadParts(const JsonReader& value, const std::vector<ProfiledModel>& models) {
  value.OnlyKeys({"axes", "shares", "least_us", "of"});
  PartsWish wish;
  if (const auto axes = value.Find("axes")) {
    wish.axes.clear();
    for (const JsonReader axis : axes->Elements()) {
      wish.axes.push_back(axis.OneOf(kSplitAxisNames, "axis"));
      if (std::count(wish.axes.begin(), wish.axes.end(), wish.axes.back()) > 1) {
        axis.Fail("this axis is given twice");
      }
    }
    if (wish.axes.empty()) axes->Fail("needs at least one axis; without this key both are measured");
  }
  if (const auto shares = value.Find("shares")) {
    wish.shares.clear();
    for (const JsonReader share : shares->Elements()) {
      wish.shares.push_back(share.Positive());
      if (wish.shares.back() >= 1) share.Fail("a fraction below 1: 0.25 is a quarter, beside three quarters");
    }
    if (wish.shares.empty()) shares->Fail("needs at least one share");
  }
  if (const auto least = value.Find("least_us")) wish.least = least->Micros();
  if (const auto of = value.Find("of")) {
    for (const JsonReader piece : of->Elements()) wish.of.push_back(ReadPieceOfParts(piece, models));
    if (wish.of.empty())
      of->Fail("needs at least one; without this key all that take long enough are measured");
  }
  return wish;
}

std::string PartsJson(const PartsWish& wish) {
  std::string axes, shares, of;
  for (const SplitAxis axis : wish.axes) {
    axes += (axes.empty() ? "" : ", ") + JsonString(NameOf(kSplitAxisNames, axis));
  }
  for (const double share : wish.shares) shares += (shares.empty() ? "" : ", ") + JsonNumber(share);
  for (const PartsWish::Piece& piece : wish.of) {
    JsonObject json;
    json.AddString("model", piece.model).Add("layers", JsonStrings(piece.layers));
    of += (of.empty() ? "" : ", ") + json.Text();
  }
  JsonObject json;
  json.Add("axes", "[" + axes + "]").Add("shares", "[" + shares + "]");
  json.Add("least_us", DecimalText(wish.least.count(), 3));
  if (!of.empty()) json.Add("of", "[" + of + "]");
  return json.Text();
}

std::string VariantsJson(const ProfileOrder& request) {
  JsonObject json;
  for (const auto& [unit, precisions] : request.variants) json.Add(unit, JsonStrings(precisions));
  return json.Text();
}

// Does anything come by zero copy, or may a search try what that gains?
bool Maps(const Scenario& scenario) {
  if (scenario.transfer == TransferMode::kZeroCopy) return true;
  const bool memories = scenario.platform->memories.size() > 1;
  return std::any_of(scenario.policies.begin(), scenario.policies.end(), [&](const PolicySpec& policy) {
    if (!policy.decided) {
      return memories && scenario.transfer == TransferMode::kCopy && policy.declaration->maps;
    }
    if (!policy.decided->cuts) return false;
    const auto& edges = policy.decided->cuts->edges;
    return std::any_of(edges.begin(), edges.end(),
                       [](const EdgeMode& edge) { return edge.mode == TransferMode::kZeroCopy; });
  });
}

// Does the policy split layers, or may it?
bool MaySplit(const PolicySpec& policy) {
  if (!policy.decided) return policy.declaration->splits;
  if (!policy.decided->cuts) return false;
  const auto& cuts = policy.decided->cuts->cuts;
  return std::any_of(cuts.begin(), cuts.end(), [](const ModelPieces& cut) {
    return std::any_of(cut.pieces.begin(), cut.pieces.end(),
                       [](const CutPiece& piece) { return piece.part.has_value(); });
  });
}

// The granularity at which a policy hands out tasks; nothing: it chooses itself.
std::optional<Granularity> GranularityOf(const PolicySpec& policy) {
  if (policy.decided) {  // its own cuts may go through groups
    return policy.decided->cuts ? Granularity::kLayer : policy.decided->granularity;
  }
  if (!policy.declaration->takes_granularity) return std::nullopt;
  return policy.granularity;
}

}  // namespace

ProfileOrder ReadProfileOrder(const JsonReader& root, const ScenarioOptions& options) {
  ExpectFileKind(root, kKind);
  root.OnlyKeys({"tandem", "platform", "units", "models", "groups", "layers", "cold", "mapped", "variants",
                 "parts", "co_running", "background", "energy", "noise", "budget_s", "min_samples",
                 "warm_up_ms", "seed"});
  ProfileOrder request;
  request.platform = ReadRequestPlatform(root, options);
  if (const auto units = root.Find("units")) request.units = ReadUnitNames(*units, request.platform);
  request.models = ReadModels(root.Get("models"));
  if (const auto groups = root.Find("groups")) request.groups = groups->Boolean();
  if (const auto layers = root.Find("layers")) request.layers = layers->Boolean();
  if (const auto cold = root.Find("cold")) request.cold = cold->Boolean();
  if (const auto mapped = root.Find("mapped")) request.mapped = mapped->Boolean();
  if (const auto variants = root.Find("variants")) {
    request.variants = ReadVariantWishes(*variants, request.platform);
  }
  if (const auto parts = root.Find("parts")) request.parts = ReadParts(*parts, request.models);
  if (const auto wish = root.Find("co_running")) {
    request.co_running = wish->OneOf(kCoRunningWishNames, "wish for co-running");
  }
  if (const auto loads = root.Find("background")) {
    request.background = ReadLoadWishes(*loads, request.platform);
  }
  if (const auto energy = root.Find("energy")) request.energy = energy->Boolean();
  ReadHowPrecisely(root, request);
  return request;
}

ProfileOrder ReadProfileOrderFrom(const JsonReader& root, const ScenarioOptions& options) {
  const std::string_view kind = FileKind(root);
  if (kind.starts_with("plan/")) return RequestFor(ReadPlan(root, options).scenario);
  if (kind.starts_with("scenario/")) return RequestFor(ReadScenario(root, options));
  if (kind.starts_with("profile-request/")) return ReadProfileOrder(root, options);
  const std::array<std::string_view, 3> known = {kKind, "scenario/1", "plan/1"};
  root.Get("tandem").Fail("a request, a scenario or a plan says what is to be measured, this is " +
                          Quoted(kind) + Suggestion(kind, std::span<const std::string_view>(known)));
}

std::string ProfileOrderJson(const ProfileOrder& request) {
  const bool known = !request.platform.units.empty();
  JsonObject json;
  json.AddString("tandem", kKind);
  json.Add("platform", known ? PlatformJson(request.platform) : JsonString(kDevice));
  if (!request.units.empty()) json.Add("units", JsonStrings(request.units));
  std::string models;
  for (const ProfiledModel& wish : request.models) {
    JsonObject model;
    model.AddString("model", wish.model).Add("batch", std::to_string(wish.batch));
    models += (models.empty() ? "" : ", ") + model.Text();
  }
  json.Add("models", "[" + models + "]");
  json.Add("groups", request.groups ? "true" : "false").Add("layers", request.layers ? "true" : "false");
  json.Add("cold", request.cold ? "true" : "false");
  json.Add("mapped", request.mapped ? "true" : "false");
  if (!request.variants.empty()) json.Add("variants", VariantsJson(request));
  if (request.parts) json.Add("parts", PartsJson(*request.parts));
  json.AddString("co_running", NameOf(kCoRunningWishNames, request.co_running));
  std::string loads;
  for (const LoadWish& wish : request.background) {
    JsonObject load;
    load.AddString("unit", wish.unit).Add("load_pct", std::to_string(wish.load_pct));
    loads += (loads.empty() ? "" : ", ") + load.Text();
  }
  if (!loads.empty()) json.Add("background", "[" + loads + "]");
  json.Add("energy", request.energy ? "true" : "false");
  json.Add("noise", JsonNumber(request.noise));
  json.Add("budget_s", JsonNumber(static_cast<double>(request.budget.count()) / kNanosPerSecond));
  json.Add("min_samples", std::to_string(request.min_samples));
  json.Add("warm_up_ms", DecimalText(request.warm_up.count(), 6));
  json.Add("seed", std::to_string(request.seed));
  return json.Text() + "\n";
}

ProfileOrder RequestFor(const Scenario& scenario) {
  if (!scenario.platform) {
    throw InputError(scenario.file + ":/platform: \"device\" is known only where the device answers");
  }
  ProfileOrder request;
  request.platform = *scenario.platform;
  request.seed = scenario.seed;
  for (const Stream& stream : scenario.streams) {
    ProfiledModel wish{scenario.model(stream.model).key, stream.batch};
    if (std::find(request.models.begin(), request.models.end(), wish) != request.models.end()) continue;
    request.models.push_back(std::move(wish));
  }
  request.groups = false;
  for (const PolicySpec& policy : scenario.policies) {
    const auto granularity = GranularityOf(policy);
    request.groups = request.groups || granularity != Granularity::kModel;
    request.layers = request.layers || granularity == Granularity::kLayer;
    if (MaySplit(policy)) request.parts.emplace();
  }
  for (const UnitLoad& load : scenario.loads) {
    const Unit& unit = request.platform.unit(load.unit);
    // Others cannot be kept busy from outside.
    if (load.load_pct == 0 || !unit.OwnsCores() || unit.cores.empty()) continue;
    request.background.push_back({unit.name, load.load_pct});
  }
  request.mapped = Maps(scenario);
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const auto& variant = scenario.units[u].variant;
    const Unit& unit = request.platform.units[u];
    if (!variant || unit.backend == nullptr || unit.backend->precisions.size() < 2) continue;
    request.variants[unit.name] = {variant->precision};
  }
  request.energy = scenario.objective == Objective::kEnergy;
  const std::size_t units = request.platform.units.size(), models = scenario.models.size();
  if (models * models * units * (units - 1) / 2 <= kFewPairs) request.co_running = CoRunningWish::kPairs;
  return request;
}

}  // namespace tandem
