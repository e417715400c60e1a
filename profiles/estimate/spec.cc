#include "profiles/estimate/spec.h"

#include "profiles/base/file_kinds.h"
#include "profiles/base/key_units.h"
#include "profiles/estimate/known_layers.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000;
constexpr std::int64_t kMostThreads = 65536;
constexpr double kMostPerSecond = 1e18;

const Fields<KnownUnitRef>& KnownFields() {
  static const auto fields =
      Fields<KnownUnitRef>("estimate_known", "A unit whose layers are known.")
          .Needed("board", &KnownUnitRef::board, as::Name(),
                  "It has an estimate of its own, with its peak rates.")
          .Needed("unit", &KnownUnitRef::unit, as::Name())
          .Optional("variant", &KnownUnitRef::variant, as::Name(), "All variants of the unit where absent.");
  return fields;
}

CodecOf<double> Rate() {
  return as::Custom<double>(R"("type": "number", "exclusiveMinimum": 0, "maximum": 1e18)",
                            [](const JsonReader& value, double& into, Context) {
                              into = value.Positive();
                              if (into > kMostPerSecond)
                                value.Fail("is beyond any processor: at most 1e18 a second");
                            },
                            [](double from, std::string& text, Context) { text += JsonNumber(from); });
}

Variant& VariantOf(UnitEstimate& unit) { return unit.variant ? *unit.variant : unit.variant.emplace(); }

void RateIsKnown(const JsonReader& value, const UnitEstimate& unit, Context) {
  if (unit.peak_macs_per_s || !unit.whole_models.empty() || unit.layers_of) return;
  value.Fail("needs peak_macs_per_s, or whole_model_ms to find it from");
}

const Fields<UnitEstimate>& UnitFields() {
  using U = UnitEstimate;
  static const auto fields =
      Fields<U>("estimate_unit")
          .Needed("units", &U::units,
                  as::ListOf(
                      as::Name(),
                      {.least = 1, .few = "needs at least one unit", .twice = "the unit * is given twice"}),
                  "Several that are alike.")
          .Own(
              "precision", as::Name(),
              [](const U& unit) {
                return unit.variant ? std::optional(unit.variant->precision) : std::nullopt;
              },
              [](U& unit, std::string precision) { VariantOf(unit).precision = std::move(precision); })
          .Own(
              "variant", as::Name(),
              [](const U& unit) {
                const bool named = unit.variant && !unit.variant->name.empty();
                return named ? std::optional(unit.variant->name) : std::nullopt;
              },
              [](U& unit, std::string name) { VariantOf(unit).name = std::move(name); },
              "Of a board with known layers: the figures are for this variant alone.")
          .Optional("peak_macs_per_s", &U::peak_macs_per_s, Rate(), "Found from whole_model_ms where absent.")
          .Optional("bandwidth_bytes_per_s", &U::bandwidth_bytes_per_s, Rate(), "The memory's where absent.")
          .Optional("gemm_threads", &U::gemm_threads, as::Integer(1, kMostThreads),
                    "How many cores the peak rate is of, where convolutions and fully connected layers alone "
                    "use more than one.")
          .Optional("like", &U::like,
                    as::ListOf(as::ObjectOf(KnownFields()),
                               {.least = 1, .few = "needs at least one unit whose layers are known"}),
                    "Whose efficiencies; all known units of the same kind where absent.")
          .Optional("layers_of", &U::layers_of, as::ObjectOf(KnownFields()),
                    "A unit of the same make: its known times are taken as they are.")
          .Optional("whole_model_ms", &U::whole_models, as::MapOf(as::Millis(Nanos{1})))
          .Optional("note", &U::note, as::Text())
          .Rule(RateIsKnown, R"({"anyOf": [{"required": ["peak_macs_per_s"]}, )" +
                                 TimeGivenSchema("whole_model_ms") + R"(, {"required": ["layers_of"]}]})");
  return fields;
}

void CheckOneDescriptionEach(const JsonReader& units, const std::vector<UnitEstimate>& list) {
  std::map<std::pair<std::string, std::string>, bool> seen;
  auto value = units.Elements().begin();
  for (const UnitEstimate& unit : list) {
    for (const std::string& name : unit.units) {
      const std::string variant = unit.variant ? unit.variant->Text() : "";
      if (!seen.emplace(std::pair(name, variant), true).second) {
        (*value).Fail("the unit " + Quoted(name) + " is described twice");
      }
    }
    ++value;
  }
}

const Fields<EstimateSpec>& SpecFields() {
  using S = EstimateSpec;
  static const auto fields =
      Fields<S>("estimate",
                "what is known of a board whose layers are to be estimated, or of one whose layers are known")
          .Kind("estimate/1")
          .Needed("platform", &S::platform, as::Name())
          .Optional("note", &S::note, as::Text(), "Becomes the note of the profile.")
          .Optional("profiles", &S::profiles, as::ListOf(as::Name()),
                    "Where known layers are; the profile of the platform's name where absent.")
          .Needed("units", &S::units,
                  as::ListOf(as::ObjectOf(UnitFields()), {.least = 1, .few = "needs at least one unit"}))
          .Rule([](const JsonReader& value, const S& spec, Context) {
            CheckOneDescriptionEach(value.Get("units"), spec.units);
          })
          .Optional("models", &S::models, as::ListOf(as::Name(), {.twice = "the model * is given twice"}),
                    "To estimate; none where the board's layers are known.")
          .Optional("batch", &S::batch, as::Integer(1, kMostBatch));
  return fields;
}

std::string Judge(const JsonReader& root) {
  const EstimateSpec spec = ReadEstimateSpec(root);
  CheckEstimateSpec(spec);
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return spec.platform + ", " + Counted(count(spec.units), "kind of unit", "kinds of units") + ", " +
         Counted(count(spec.models), "model");
}

const FileKindRegistration kKind{{"estimate/1", AsAnyFields<EstimateSpec, SpecFields>, Judge}};

}  // namespace

std::string KnownUnitRef::Text() const { return board + "/" + unit + (variant ? "/" + *variant : ""); }

EstimateSpec ReadEstimateSpec(const JsonReader& value) {
  EstimateSpec spec = SpecFields().Read(value);
  spec.file = value.file();
  if (!value.Find("profiles")) spec.profiles.push_back(spec.platform);
  return spec;
}

EstimateSpec ReadEstimateSpecFile(const std::filesystem::path& path) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadEstimateSpec(document.root());
}

}  // namespace tandem
