// What stands in a profile/1 file.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/hash.h"
#include "profiles/base/key_units.h"
#include "profiles/costs/board_profile.h"
#include "profiles/costs/fields.h"
#include "profiles/costs/list_fields.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000;
constexpr std::int64_t kLargestExtent = 1'000'000;
constexpr double kMostJoules = 1e9;

void HasOneTime(const JsonReader& value, const Timing&, Context) {
  const bool median = value.FindTime("median_us").has_value();
  const bool samples = value.FindTime("samples_us").has_value();
  if (median && samples) value.Fail("has both median_us and samples_us; an entry has exactly one of them");
  if (!median && !samples)
    value.Fail("has neither median_us nor samples_us; an entry has exactly one of them");
}

std::optional<Nanos> MedianAlone(const Timing& time) {
  return time.samples.empty() ? std::optional(time.median) : std::nullopt;
}
std::optional<std::vector<Nanos>> Samples(const Timing& time) {
  return time.samples.empty() ? std::nullopt : std::optional(time.samples);
}

Fields<Timing> HavingOneTime() {
  return Fields<Timing>().Rule(HasOneTime, "{\"oneOf\": [" + TimeGivenSchema("median_us") + ", " +
                                               TimeGivenSchema("samples_us") + "]}");
}

Fields<Timing> WithSamples(Fields<Timing> fields) {
  return fields.Own(
      "samples_us", as::ListOf(as::Micros(), {.least = 1, .few = "needs at least one sample"}), Samples,
      [](Timing& time, std::vector<Nanos> samples) { time = Timing::OfSamples(std::move(samples)); },
      "Their lower median counts.");
}

// Of an entry that a file may be begun with.
const Fields<Timing>& TimingThatMayBeOpen() {
  using Median = std::optional<Nanos>;
  static const auto fields = WithSamples(HavingOneTime().Own(
      "median_us", as::OrNull(as::Micros()),
      [](const Timing& time) -> std::optional<Median> {
        if (time.to_fill_in) return Median();
        if (const Median median = MedianAlone(time)) return median;
        return std::nullopt;
      },
      [](Timing& time, Median median) {
        time = {median.value_or(Nanos{0}), {}, !median};
      },
      "null: still to be filled in; such a file is checked and not used."));
  return fields;
}

// One line, however many there are: a file is begun with nothing else in it.
void RefuseTimesToFillIn(const Profile& profile) {
  const auto open = [](const CostEntry& entry) { return entry.time.to_fill_in; };
  const auto& entries = profile.entries;
  const auto first = std::find_if(entries.begin(), entries.end(), open);
  if (first == entries.end()) return;
  const auto more = std::count_if(first + 1, entries.end(), open);
  throw InputError(profile.At("/entries/") + std::to_string(first - entries.begin()) +
                   "/median_us: the time of model " + Quoted(first->model) + " on unit " +
                   Quoted(first->unit) + " is still to be filled in" +
                   (more == 0 ? "" : ", and " + std::to_string(more) + " more") +
                   "; where a unit does not run the model, take the entry out");
}

// "*", or no list at all where that is allowed, is an empty one.
void ReadLayers(const JsonReader& value, std::vector<std::string>& layers, Context) {
  layers.clear();
  if (value.IsString()) {
    if (value.String() == "*") return;
    value.Fail("expected \"*\" (the whole model) or a list of layers, found the string " +
               Quoted(value.String()));
  }
  std::unordered_set<std::string_view> seen;
  for (const JsonReader layer : value.Elements()) {
    layers.push_back(layer.Name());
    if (!seen.insert(layer.String()).second) {
      layer.Fail("the layer " + Quoted(layer.String()) + " is given twice");
    }
  }
  if (layers.empty()) value.Fail("needs at least one layer; \"*\" is the whole model");
}

SchemaNode ListOfLayers(SchemaDefs& defs) {
  return as::ListRule{.least = 1, .twice = "*"}.Schema(as::Name()->Schema(defs));
}

// Never "*".
CodecOf<std::vector<std::string>> SplitLayers() {
  return as::Custom<std::vector<std::string>>(
      ListOfLayers,
      [](const JsonReader& value, std::vector<std::string>& into, Context context) {
        ReadLayers(value, into, context);
        if (into.empty()) value.Fail("a whole model is not split; name one layer or a few");
      },
      [](const std::vector<std::string>& layers, std::string& text, Context) {
        text += JsonStrings(layers);
      });
}

const Fields<Variant>& VariantFields() {
  const auto name = as::TextReadBy(
      [](SchemaDefs& defs) { return as::Name()->Schema(defs).Add("not", R"({"pattern": "/"})"); },
      [](const JsonReader& value, std::string& into, Context) {
        into = value.Name();
        // "/" separates the precision where a scenario names a variant.
        if (into.find('/') != std::string::npos) value.Fail("the name of a variant must not hold \"/\"");
      });
  static const auto fields =
      Fields<Variant>()
          .Optional("precision", &Variant::precision, Precision())
          .Optional("variant", &Variant::name, name, "A library of the unit, such as cudnn.");
  return fields;
}

CodecOf<std::int64_t> Batch() { return as::Integer(1, kMostBatch); }

const Fields<ModelStructure>& ModelStructureFields() {
  static const auto fields =
      Fields<ModelStructure>("profile_model")
          .Needed("model", &ModelStructure::model, as::Name())
          .Needed("structure", &ModelStructure::structure, as::Name(),
                  "Hash of its operations, attributes, shapes and wiring; not of names and weights.");
  return fields;
}

void ModelsAreKnownOnce(const JsonReader& value, const Profile& profile, Context) {
  std::unordered_set<std::string_view> seen;
  for (const ModelStructure& known : profile.models) {
    if (seen.insert(known.model).second) continue;
    value.Get("models").Fail("the model " + Quoted(known.model) + " is there twice");
  }
}

const Fields<CostEntry>& CostFields() {
  using E = CostEntry;
  static const auto fields =
      Fields<E>("profile_entry")
          .Needed("model", &E::model, as::Name())
          .Needed("unit", &E::unit, as::Name())
          .Needed("layers", &E::layers, Layers(),
                  "\"*\" is the whole model; a list is one layer or a fused group.")
          .Optional("batch", &E::batch, Batch(), "Inferences in one run; the time is the run's.")
          .Part(&E::variant, VariantFields())
          .Optional("mapped", &E::mapped, as::Boolean(), "Reads its inputs through a zero-copy mapping.")
          .Part(&E::time, TimingThatMayBeOpen())
          .Optional("energy_j", &E::energy_j, as::Number(0, kMostJoules), "Of one run, above idle.")
          .Optional(
              "input_shape", &E::input_shape,
              as::ListOf(as::Integer(1, kLargestExtent), {.least = 1, .few = "needs at least one extent"}),
              "Of one inference, where it is not the model's usual one; it documents the measurement.")
          .Optional("cold_us", &E::cold, as::Micros(), "Median with caches emptied before each run.")
          .Optional("inside_us", &E::inside, as::Micros(),
                    "Median of the same layers as a step inside the whole model, all steps together taken to "
                    "what that takes.")
          .Optional("device_us", &E::device, as::Micros(),
                    "Median of the whole model by the unit's own clock.")
          .Optional("core_us", &E::core, as::Micros(),
                    "Median of what starting it and waiting for it keep a core busy.")
          .Optional("unstable", &E::unstable, as::Boolean(), kUnstable);
  return fields;
}

const Fields<PartEntry>& PartFields() {
  using E = PartEntry;
  static const auto fields =
      Fields<E>("profile_part",
                "The time of so many channels or rows of a layer, or of a few layers that run as one.")
          .Needed("model", &E::model, as::Name())
          .Needed("unit", &E::unit, as::Name())
          .Needed("layers", &E::layers, SplitLayers())
          .Optional("axis", &E::axis, as::OneOf(kSplitAxisNames, "axis"))
          .Always()
          .Needed("size", &E::size, as::Integer(1, kLargestExtent))
          .Optional("batch", &E::batch, Batch())
          .Part(&E::variant, VariantFields())
          .Part(&E::time, TimingFields())
          .Optional("unstable", &E::unstable, as::Boolean(), kUnstable);
  return fields;
}

void TransferJoinsTwo(const JsonReader& value, const TransferEntry& entry, Context) {
  if (entry.from == entry.to) value.Fail("a transfer joins two memories, this one joins one with itself");
}

const Fields<TransferEntry>& TransferFields() {
  using E = TransferEntry;
  static const auto fields = Fields<E>("profile_transfer", "One copy of so many bytes, in this direction.")
                                 .Needed("from", &E::from, as::Name())
                                 .Needed("to", &E::to, as::Name())
                                 .Rule(TransferJoinsTwo)
                                 .Needed("bytes", &E::bytes, as::Integer(0, kMostBytes))
                                 .Part(&E::time, TimingFields())
                                 .Optional("unstable", &E::unstable, as::Boolean(), kUnstable);
  return fields;
}

const Fields<LoadEntry>& LoadFields() {
  static const auto fields = Fields<LoadEntry>("profile_load", "The time to put a model on a unit.")
                                 .Needed("model", &LoadEntry::model, as::Name())
                                 .Needed("unit", &LoadEntry::unit, as::Name())
                                 .Part(&LoadEntry::variant, VariantFields())
                                 .Part(&LoadEntry::time, TimingFields());
  return fields;
}

const Fields<DispatchEntry>& DispatchFields() {
  static const auto fields =
      Fields<DispatchEntry>("profile_dispatch", "What starting a task on a unit costs beside its work.")
          .Needed("unit", &DispatchEntry::unit, as::Name())
          .Part(&DispatchEntry::time, TimingFields())
          .Optional("split", &DispatchEntry::split, as::Boolean(), "Of a part of a split layer.");
  return fields;
}

void HeldIsPartOfThePeak(const JsonReader& value, const MemoryEntry& entry, Context) {
  if (entry.held_bytes <= entry.peak_bytes) return;
  value.Get("held_bytes")
      .Fail("a model holds no more than it takes at most: peak_bytes is " + std::to_string(entry.peak_bytes));
}

const Fields<MemoryEntry>& MemoryOfModelFields() {
  using E = MemoryEntry;
  static const auto fields = Fields<E>("profile_memory", "What a whole model takes of the unit's memory.")
                                 .Needed("model", &E::model, as::Name())
                                 .Needed("unit", &E::unit, as::Name())
                                 .Optional("batch", &E::batch, Batch())
                                 .Part(&E::variant, VariantFields())
                                 .Needed("peak_bytes", &E::peak_bytes, as::Integer(0, kMostBytes),
                                         "At most, from before its weights were read until it has run.")
                                 .Needed("held_bytes", &E::held_bytes, as::Integer(0, kMostBytes),
                                         "From then on, as long as it is there.")
                                 .Rule(HeldIsPartOfThePeak);
  return fields;
}

void KernelsOfLayersAreAModels(const JsonReader& value, const KernelEntry& entry, Context) {
  if (!entry.model.empty() || entry.layers.empty()) return;
  value.Get("layers").Fail("layers are a model's: choices for any model have \"layers\": \"*\"");
}

const Fields<KernelEntry>& KernelFields() {
  using E = KernelEntry;
  static const auto fields =
      Fields<E>("profile_kernels", "Which of its algorithms a library was found fastest with.")
          .Optional("model", &E::model, as::Name(), "Absent: choices for any, by what is computed.")
          .Needed("unit", &E::unit, as::Name())
          .Needed("layers", &E::layers, Layers(), "Of the segment; \"*\" is the whole model.")
          .Optional("batch", &E::batch, Batch())
          .Part(&E::variant, VariantFields())
          .Needed("library", &E::library, as::Words(), "With its version: onednn 2.6.3.")
          .Needed(
              "choices", &E::choices, as::MapOf(as::Words()),
              "By the first layer of a step (of a part of the segment: \"channels 0-31 of conv1\"), as the "
              "unit's backend writes it; \"*\" is the segment. \", untried\": for lack of time.")
          .Rule(KernelsOfLayersAreAModels);
  return fields;
}

Fields<Profile> WithHead(Fields<Profile> fields) {
  return fields
      .Needed("platform", &Profile::platform, as::Name(),
              "A shipped board's name, or a path relative to this file.")
      .Optional("note", &Profile::note, as::Text())
      .Needed("origin", &Profile::origin, as::ObjectOf(OriginFields()))
      .Optional("models", &Profile::models, as::ListOf(as::ObjectOf(ModelStructureFields())),
                "By its structure a model is known again in another place or under another name.")
      .Rule(ModelsAreKnownOnce);
}

// Behind the entries.
Fields<Profile> WithLists(Fields<Profile> fields) {
  return fields.Optional("parts", &Profile::parts, as::ListOf(as::ObjectOf(PartFields())))
      .Optional("transfers", &Profile::transfers, as::ListOf(as::ObjectOf(TransferFields())))
      .Optional("loads", &Profile::loads, as::ListOf(as::ObjectOf(LoadFields())))
      .Optional("dispatch", &Profile::dispatch, as::ListOf(as::ObjectOf(DispatchFields())))
      .Optional("co_running", &Profile::co_running, as::ListOf(as::ObjectOf(CoRunningFields())))
      .Optional("traffic", &Profile::traffic, as::ListOf(as::ObjectOf(TrafficFields())))
      .Optional("background", &Profile::background, as::ListOf(as::ObjectOf(BackgroundFields())))
      .Optional("together", &Profile::together, as::ListOf(as::ObjectOf(TogetherFields())))
      .Optional("hand_overs", &Profile::hand_overs, as::ListOf(as::ObjectOf(HandOverFields())))
      .Optional("after_idle", &Profile::after_idle, as::ListOf(as::ObjectOf(AfterIdleFields())))
      .Optional("after_other", &Profile::after_other, as::ListOf(as::ObjectOf(AfterOtherFields())))
      .Optional("repeated", &Profile::repeated, as::ListOf(as::ObjectOf(RepeatedFields())))
      .Optional("sharing", &Profile::sharing, as::ListOf(as::ObjectOf(SharingFields())))
      .Optional("memory", &Profile::memory, as::ListOf(as::ObjectOf(MemoryOfModelFields())))
      .Optional("kernels", &Profile::kernels, as::ListOf(as::ObjectOf(KernelFields())));
}

std::string JudgeProfile(const JsonReader& root) {
  const Profile profile = ReadBegunProfile(root);
  CheckProfile(profile);
  std::unordered_set<std::string_view> models, units;
  std::int64_t open = 0;
  for (const CostEntry& entry : profile.entries) {
    models.insert(entry.model);
    units.insert(entry.unit);
    open += entry.time.to_fill_in ? 1 : 0;
  }
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return Counted(count(profile.entries), "entry", "entries") + ", " + Counted(count(models), "model") + ", " +
         Counted(count(units), "unit") + ", " + std::string(NameOf(kOriginKindNames, profile.origin.kind)) +
         (open == 0 ? "" : ", " + Counted(open, "time") + " to fill in before it can be used");
}

const FileKindRegistration kProfileKind{
    {"profile/1", AsAnyFields<Profile, ProfileFields>, JudgeProfile, std::size_t{256} << 20}};

}  // namespace

const Fields<Timing>& TimingFields() {
  static const auto fields =
      WithSamples(HavingOneTime().Own("median_us", as::Micros(), MedianAlone, [](Timing& time, Nanos median) {
        time = {median, {}};
      }));
  return fields;
}

CodecOf<std::vector<std::string>> Layers() {
  return as::Custom<std::vector<std::string>>(
      [](SchemaDefs& defs) {
        return SchemaNode().Add("anyOf", R"([{"const": "*"}, )" + ListOfLayers(defs).Text() + "]");
      },
      ReadLayers,
      [](const std::vector<std::string>& layers, std::string& text, Context) {
        text += layers.empty() ? "\"*\"" : JsonStrings(layers);
      });
}

CodecOf<std::string> Precision() {
  return as::TextReadBy(
      [](SchemaDefs&) {
        std::vector<std::string_view> words;
        for (const auto& named : kPrecisions) words.push_back(named.name);
        return as::EnumSchema(words);
      },
      [](const JsonReader& value, std::string& into, Context) {
        value.OneOf(kPrecisions, "precision");
        into = value.String();
      });
}

const Fields<Profile>& ProfileFields() {
  static const auto fields =
      WithLists(WithHead(Fields<Profile>("profile", "what was measured, published or estimated of a platform")
                             .Kind("profile/1", false))
                    .Needed("entries", &Profile::entries, as::ListOf(as::ObjectOf(CostFields())),
                            "Times of whole models, of fused groups and of single layers."));
  return fields;
}

const Fields<Profile>& ProfileHeadFields() {
  static const auto fields = WithHead(Fields<Profile>());
  return fields;
}

const Fields<Profile>& ProfilePartFields() {
  static const auto fields = WithLists(
      Fields<Profile>("profile_part_file", "entries of a profile that a store keeps under their hash")
          .Kind("profile-part/1")
          .Optional("entries", &Profile::entries, as::ListOf(as::ObjectOf(CostFields()))));
  return fields;
}

Profile ReadBegunProfile(const JsonReader& value) {
  Profile profile = ProfileFields().Read(value);
  const std::string place = value.Where();
  profile.file = value.file();
  if (place != profile.file) profile.inside = place.substr(profile.file.size() + 1);
  CheckTogether({&profile});
  return profile;
}

Profile ReadProfile(const JsonReader& value) {
  Profile profile = ReadBegunProfile(value);
  RefuseTimesToFillIn(profile);
  return profile;
}

Profile ReadProfileFile(const std::filesystem::path& path) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  const JsonReader root = document.root();
  return IsBoardProfile(root) ? ReadBoardProfile(root).profile : ReadProfile(root);
}

std::string ProfileJson(const Profile& profile) { return ProfileFields().File(profile); }

std::uint64_t ProfileHash(const Profile& profile) {
  return profile.hash_as_read ? *profile.hash_as_read : Fnv1a64(ProfileJson(profile));
}

}  // namespace tandem
