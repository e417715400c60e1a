// What stands in a profile-request/1 file.
#include "scenarios/exchange/profile_order.h"

#include <algorithm>
#include <optional>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/costs/fields.h"
#include "profiles/model/model_source.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::string_view kKind = "profile-request/1";
constexpr std::string_view kDevice = "device";
constexpr std::int64_t kEachBatch = 0;  // until it is expanded
constexpr std::int64_t kLargestBatch = 1 << 20;
constexpr std::int64_t kMostLoad = 99;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostSamples = 1'000'000;
constexpr Nanos kLongestBudget = std::chrono::seconds{1'000'000};

const Fields<ProfiledModel>& ModelFields() {
  static const auto fields = Fields<ProfiledModel>("profile_request_model")
                                 .Needed("model", &ProfiledModel::model, as::Name())
                                 .Optional("batch", &ProfiledModel::batch, as::Integer(1, kLargestBatch))
                                 .Always();
  return fields;
}

// A model's name and batch, or the name alone: in the batches of the request, where it has some. It can be
// loaded, and made to these.
void ReadModelWish(const JsonReader& value, ProfiledModel& wish, Context context) {
  JsonReader name = value;
  const std::vector<std::int64_t>& all = context.As<ProfileOrder>().batches;
  std::vector<std::int64_t> batches = all;
  if (value.IsObject()) {
    wish = ModelFields().Read(value);
    name = value.Get("model");
  }
  const bool own = value.IsObject() && value.Find("batch");
  if (own || all.empty()) {
    batches = {wish.batch};
  } else {
    wish.batch = kEachBatch;
  }
  const std::string text = name.Name();
  wish.model = Within(name, [&] {
    ImportOptions graph_alone;
    graph_alone.want_weights = false;
    const Model model = LoadModel(text, value.file(), graph_alone).model;
    for (const std::int64_t batch : batches) {
      if (batch != model.batch()) (void)model.WithBatch(batch);
    }
    return ModelKey(text, value.file());
  });
}

CodecOf<ProfiledModel> ModelWish() {
  return as::Custom<ProfiledModel>(
      [](SchemaDefs& defs) {
        const std::string name = as::Name()->Schema(defs).Text(), object = ModelFields().Schema(defs).Text();
        return SchemaNode().Add("anyOf", "[" + name + ", " + object + "]");
      },
      ReadModelWish,
      [](const ProfiledModel& wish, std::string& text, Context) { text += ModelFields().Text(wish); });
}

void ModelsDiffer(const JsonReader& value, const ProfileOrder& request, Context) {
  std::size_t position = 0;
  for (const JsonReader element : value.Get("models").Elements()) {
    const ProfiledModel& wish = request.models[position];
    const auto here = request.models.begin() + static_cast<std::ptrdiff_t>(position++);
    if (std::find(request.models.begin(), here, wish) == here) continue;
    element.Fail("the model " + Quoted(wish.model) + " with " +
                 (wish.batch == kEachBatch ? "these batches" : "batch " + std::to_string(wish.batch)) +
                 " is given twice");
  }
}

// What follows is read in the context of the request.
void CheckUnitName(const JsonReader& value, std::string_view name, const ProfileOrder& request) {
  const Platform& platform = request.platform;
  if (platform.units.empty() || platform.FindUnit(name).valid()) return;
  value.Fail("unknown unit " + Quoted(name) + Suggestion(name, platform.UnitNames()));
}

CodecOf<std::string> UnitName() {
  return as::TextReadBy([](SchemaDefs& defs) { return as::Name()->Schema(defs); },
                        [](const JsonReader& value, std::string& into, Context context) {
                          into = value.Name();
                          CheckUnitName(value, into, context.As<ProfileOrder>());
                        });
}

void VariantsHaveUnits(const JsonReader& value, const ProfileOrder& request, Context) {
  const auto variants = value.Find("variants");
  if (!variants) return;
  for (const JsonReader member : variants->Members()) CheckUnitName(member, member.key(), request);
}

const Fields<LoadWish>& LoadFields() {
  static const auto fields = Fields<LoadWish>("profile_request_load")
                                 .Needed("unit", &LoadWish::unit, UnitName())
                                 .Needed("load_pct", &LoadWish::load_pct, as::Integer(1, kMostLoad));
  return fields;
}

void LoadsDiffer(const JsonReader& value, const ProfileOrder& request, Context) {
  const auto& loads = request.background;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto here = loads.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(loads.begin(), here, *here) == here) continue;
    auto element = value.Get("background").Elements().begin();
    for (std::size_t k = 0; k < i; ++k) ++element;
    (*element).Fail("this load of unit " + Quoted(here->unit) + " is given twice");
  }
}

// A name, the platform in place, or "device": then it has no units until a device answers.
CodecOf<Platform> PlatformWish() {
  return as::Custom<Platform>([](SchemaDefs& defs) { return PlatformOfScenario()->Schema(defs); },
                              [](const JsonReader& value, Platform& into, Context context) {
                                std::optional<Platform> known;
                                PlatformOfScenario()->Read(value, known, context);
                                into = known ? *std::move(known) : Platform();
                                if (into.units.empty()) into.name = kDevice;
                              },
                              [](const Platform& from, std::string& text, Context) {
                                text +=
                                    from.units.empty() ? JsonString(kDevice) : PlatformFields().Text(from);
                              });
}

// Layers of one of the models, in any order.
PartsWish::Piece ReadPieceOfParts(const JsonReader& value, const std::vector<ProfiledModel>& models) {
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

CodecOf<std::vector<double>> Shares() {
  const auto share =
      as::Custom<double>(R"("type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1)",
                         [](const JsonReader& value, double& into, Context) {
                           into = value.Positive();
                           if (into >= 1)
                             value.Fail("a fraction below 1: 0.25 is a quarter, beside three quarters");
                         },
                         [](double from, std::string& text, Context) { text += JsonNumber(from); });
  return as::ListOf(share, {.least = 1, .few = "needs at least one share"});
}

CodecOf<PartsWish::Piece> PieceOfParts() {
  using Piece = PartsWish::Piece;
  static const auto fields = Fields<Piece>("profile_request_piece")
                                 .Needed("model", &Piece::model, as::Name())
                                 .Needed("layers", &Piece::layers, as::ListOf(as::Name(), {.least = 1}));
  return as::Custom<Piece>(
      [](SchemaDefs& defs) { return fields.Schema(defs); },
      [](const JsonReader& value, Piece& into, Context context) {
        value.OnlyKeys(fields.Keys());
        into = ReadPieceOfParts(value, context.As<ProfileOrder>().models);
      },
      [](const Piece& from, std::string& text, Context) { fields.WriteAny(&from, text, {}); });
}

const Fields<PartsWish>& PartsFields() {
  using P = PartsWish;
  static const auto fields =
      Fields<P>("profile_request_parts", "Layers computed in two parts.")
          .Optional("axes", &P::axes,
                    as::ListOf(as::OneOf(kSplitAxisNames, "axis"),
                               {.least = 1,
                                .few = "needs at least one axis; without this key both are measured",
                                .twice = "this axis is given twice"}))
          .Always()
          .Optional("shares", &P::shares, Shares(), "What the first part has; the second has the rest.")
          .Always()
          .Optional("least_us", &P::least, as::Micros(), "Groups and layers that take less are left whole.")
          .Always()
          .Optional("of", &P::of,
                    as::ListOf(PieceOfParts(),
                               {.least = 1,
                                .few = "needs at least one; without this key all that take long enough are "
                                       "measured"}),
                    "These alone, however short they are.");
  return fields;
}

// Some unit has as many cores.
void ThreadsFit(const JsonReader& value, const ProfileOrder& request, Context) {
  if (request.threads.empty() || request.platform.units.empty()) return;
  std::size_t most = 0;
  for (const Unit& unit : request.platform.units) most = std::max(most, unit.cores.size());
  for (const JsonReader count : value.Get("threads").Elements()) {
    if (count.Integer(1) <= static_cast<std::int64_t>(most)) continue;
    count.Fail(most == 0 ? "no unit of the platform has cores"
                         : "no unit of the platform has more than " +
                               Counted(static_cast<std::int64_t>(most), "core"));
  }
}

CodecOf<std::string> NameOfState() {
  return as::TextReadBy([](SchemaDefs& defs) { return as::Name()->Schema(defs); },
                        [](const JsonReader& value, std::string& into, Context) {
                          into = value.Name();
                          if (IsNameOfState(into)) return;
                          value.Fail("files are called by it: letters, digits, '-', '_' and '.' inside");
                        });
}

const Fields<ClockState>& StateFields() {
  using S = ClockState;
  static const auto fields =
      Fields<S>("profile_request_state", "A state of the board's clocks.")
          .Needed("name", &S::name, NameOfState())
          .Optional("before", &S::before, as::Words(),
                    "A command for the board's shell that reaches it; without it, it is as it is.")
          .Optional(
              "read", &S::read, as::Words(),
              "A command for the board's shell that tells the state; without it governors and limits of "
              "the cores do.")
          .Optional("expect", &S::expect, as::Words(),
                    "Has to be in what is read; else nothing is measured.");
  return fields;
}

void StatesDiffer(const JsonReader& value, const ProfileOrder& request, Context) {
  std::size_t position = 0;
  if (request.clock_states.empty()) return;
  for (const JsonReader element : value.Get("clock_states").Elements()) {
    const auto here = request.clock_states.begin() + static_cast<std::ptrdiff_t>(position++);
    const auto same = [&](const ClockState& other) { return other.name == here->name; };
    if (std::none_of(request.clock_states.begin(), here, same)) continue;
    element.Get("name").Fail("the state " + Quoted(here->name) + " is given twice");
  }
}

CodecOf<double> Noise() {
  return as::Custom<double>(R"("type": "number", "exclusiveMinimum": 0, "maximum": 1)",
                            [](const JsonReader& value, double& into, Context) {
                              into = value.Positive();
                              if (into > 1) value.Fail("a fraction: 0.01 is one percent");
                            },
                            [](double from, std::string& text, Context) { text += JsonNumber(from); });
}

const Fields<ProfileOrder>& ProfileOrderFields() {
  using O = ProfileOrder;
  const as::ListRule units = {.least = 1,
                              .few = "needs at least one unit; without this key all are measured",
                              .twice = "the unit * is given twice"};
  const as::ListRule precisions = {.least = 1,
                                   .few = "needs at least one precision; units not named here have fp32",
                                   .twice = "this precision is given twice"};
  static const auto fields =
      Fields<O>("profile_request", "what `tandem-device profile` is to measure")
          .Kind(kKind)
          .IsContext()
          .Needed("platform", &O::platform, PlatformWish(),
                  "A shipped board's name, a path, the platform itself, or \"device\": what `tandem-device "
                  "info` offers.")
          .Optional("units", &O::units, as::ListOf(UnitName(), units),
                    "Those to be measured; without it all that can be.")
          .Optional("threads", &O::threads,
                    as::ListOf(as::Integer(1, kMostThreads),
                               {.least = 1,
                                .few = "needs at least one; without this key units are as they are",
                                .twice = "this number of threads is given twice"}),
                    "Each unit of cores that is measured becomes one for each of these: its first core, its "
                    "first two.")
          .Rule(ThreadsFit)
          .Optional("batches", &O::batches,
                    as::ListOf(as::Integer(1, kLargestBatch),
                               {.least = 1,
                                .few = "needs at least one; without this key models have batch 1",
                                .twice = "this batch is given twice"}),
                    "Of the models that name none of their own.")
          .Needed("models", &O::models,
                  as::ListOf(ModelWish(), {.least = 1, .few = "a request has at least one model"}))
          .Rule(ModelsDiffer)
          .Optional("groups", &O::groups, as::Boolean(), "Each fused group as a segment of its own.")
          .Always()
          .Optional("layers", &O::layers, as::Boolean(), "Each layer alone.")
          .Always()
          .Optional("cold", &O::cold, as::Boolean(), "And again with caches emptied before each run.")
          .Always()
          .Optional("mapped", &O::mapped, as::Boolean(),
                    "And again through a zero-copy mapping, on units that have one.")
          .Always()
          .Rule(VariantsHaveUnits)
          .Optional("variants", &O::variants, as::MapOf(as::ListOf(Precision(), precisions)),
                    "Precisions in which these units are measured; others in fp32.")
          .Optional("parts", &O::parts, as::ObjectOf(PartsFields()))
          .Optional("co_running", &O::co_running, as::OneOf(kCoRunningWishNames, "wish for co-running"),
                    "Beside known traffic (curves), and each model beside each other too (pairs).")
          .Always()
          .Optional("background", &O::background, as::ListOf(as::ObjectOf(LoadFields())),
                    "Every model on this unit again while something else takes so many percent of its cores.")
          .Rule(LoadsDiffer, R"({"properties": {"background": {"uniqueItems": true}}})")
          .Optional("hand_overs", &O::hand_overs, as::Boolean(),
                    "What tasks take longer where another unit of their memory made what they read.")
          .Optional("pauses", &O::pauses, as::Boolean(),
                    "Models again after their unit has idled for 10, 33, 100 and 300 ms.")
          .Optional("switches", &O::switches, as::Boolean(),
                    "Models again right after their unit has run another one.")
          .Optional("repeats", &O::repeats, as::Boolean(),
                    "Groups and layers again as units run them that take the same of request after request.")
          .Optional("memory", &O::memory, as::Boolean(),
                    "What each whole model takes of memory, at most and as long as it is there.")
          .Optional("energy", &O::energy, as::Boolean(),
                    "Joules above idle of one run of each model, where a sensor tells.")
          .Always()
          .Optional("noise", &O::noise, Noise(), "Half width of the median's 95 % interval, as a fraction.")
          .Always()
          .Optional("budget_s", &O::budget, as::Seconds(Nanos{0}, kLongestBudget),
                    "For everything; 0: at most a while per entry.")
          .Always()
          .Optional("min_samples", &O::min_samples, as::Integer(1, kMostSamples))
          .Always()
          .Optional("warm_up_ms", &O::warm_up, as::Millis())
          .Always()
          .Optional("seed", &O::seed, as::Unsigned())
          .Always()
          .Optional("clock_states", &O::clock_states,
                    as::ListOf(as::ObjectOf(StateFields()),
                               {.least = 1, .few = "needs at least one; without this key it is as it is"}),
                    "Everything in each of these states of the board's clocks.")
          .Rule(StatesDiffer);
  return fields;
}

std::string JudgeProfileOrder(const JsonReader& root) {
  const ProfileOrder request = ReadProfileOrder(root);
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return Counted(count(request.models), "model") + " on " +
         (request.units.empty() ? "all units" : Counted(count(request.units), "unit"));
}

const FileKindRegistration kProfileOrderKind{
    {kKind, AsAnyFields<ProfileOrder, ProfileOrderFields>, JudgeProfileOrder}};

}  // namespace

ProfileOrder ReadProfileOrder(const JsonReader& root, const ScenarioOptions& options) {
  return Expanded(ProfileOrderFields().Read(root, Context::Of(options)));
}

std::string ProfileOrderJson(const ProfileOrder& request) {
  return ProfileOrderFields().Text(request) + "\n";
}

}  // namespace tandem
