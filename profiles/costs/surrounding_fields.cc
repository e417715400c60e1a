// What stands in a profile about what surrounds work: neighbours, loads, pauses, who made what it reads.
#include "profiles/costs/fields.h"
#include "profiles/costs/list_fields.h"

namespace tandem {
namespace {

constexpr double kMostTraffic = 1e15;
constexpr double kMostError = 100;
constexpr std::int64_t kMostAtOnce = 1024;                    // slots of a unit
constexpr double kLeastSlowdown = 0.1, kMostSlowdown = 1000;  // rates are 1..10000 thousandths

void NoLayersWithoutModel(const JsonReader& value, const char* model_key, const char* layers_key) {
  const auto layers = value.Find(layers_key);
  if (layers && !value.Find(model_key))
    layers->Fail("layers need a \"" + std::string(model_key) + "\" beside them");
}
template <class Entry>
void LayersHaveModel(const JsonReader& value, const Entry&, Context) {
  NoLayersWithoutModel(value, "model", "layers");
}
constexpr std::string_view kLayersNeedModel = R"({"dependentRequired": {"layers": ["model"]}})";

CodecOf<double> Slowdown() { return as::Number(kLeastSlowdown, kMostSlowdown); }
CodecOf<double> Error() { return as::Number(0, kMostError); }
constexpr std::string_view kErrorOfSlowdown = "Relative standard error of the slowdown.";
CodecOf<double> Traffic() { return as::Number(0, kMostTraffic); }

void BesideLayersHaveModel(const JsonReader& value, const CoRunningEntry&, Context) {
  NoLayersWithoutModel(value, "beside_model", "beside_layers");
}
void BesideOneThing(const JsonReader& value, const CoRunningEntry& entry, Context) {
  const auto traffic = value.Find("beside_traffic_bytes_per_s");
  if (!traffic || entry.beside_model.empty()) return;
  traffic->Fail("beside_model and beside_traffic_bytes_per_s exclude each other");
}

void HandedToAnother(const JsonReader& value, const HandOverEntry& entry, Context) {
  if (entry.from == entry.to) value.Fail("a unit hands nothing over to itself");
}

}  // namespace

const Fields<CoRunningEntry>& CoRunningFields() {
  using E = CoRunningEntry;
  static const auto fields =
      Fields<E>("profile_co_running", "Work of `unit` takes `slowdown` times as long while `beside` works.")
          .Needed("unit", &E::unit, as::Name())
          .Optional("model", &E::model, as::Name())
          .Rule(LayersHaveModel<E>, kLayersNeedModel)
          .Optional("layers", &E::layers, Layers())
          .Needed("beside", &E::beside, as::Name(), "A unit.")
          .Optional("beside_model", &E::beside_model, as::Name())
          .Rule(BesideLayersHaveModel, R"({"dependentRequired": {"beside_layers": ["beside_model"]}})")
          .Optional("beside_layers", &E::beside_layers, Layers())
          .Rule(BesideOneThing, R"({"not": {"required": ["beside_model", "beside_traffic_bytes_per_s"]}})")
          .Optional("beside_traffic_bytes_per_s", &E::beside_traffic_bytes_per_s, Traffic(),
                    "Instead of a model: what `beside` moves to and from memory.")
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

const Fields<TrafficEntry>& TrafficFields() {
  using E = TrafficEntry;
  static const auto fields =
      Fields<E>(
          "profile_traffic",
          "What work of the model on `unit` costs others through what they share: the traffic to memory "
          "that slows them as much.")
          .Needed("model", &E::model, as::Name())
          .Optional("layers", &E::layers, Layers())
          .Needed("unit", &E::unit, as::Name())
          .Needed("bytes_per_s", &E::bytes_per_s, Traffic());
  return fields;
}

const Fields<BackgroundEntry>& BackgroundFields() {
  using E = BackgroundEntry;
  static const auto fields =
      Fields<E>("profile_background",
                "Work of `unit` takes `slowdown` times as long under this load from outside.")
          .Needed("unit", &E::unit, as::Name())
          .Needed("load_pct", &E::load_pct, as::Integer(1, 99))
          .Optional("model", &E::model, as::Name())
          .Rule(LayersHaveModel<E>, kLayersNeedModel)
          .Optional("layers", &E::layers, Layers())
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

const Fields<TogetherEntry>& TogetherFields() {
  using E = TogetherEntry;
  static const auto fields =
      Fields<E>("profile_together",
                "Work of `unit` takes `slowdown` times as long while all of these units work; counts instead "
                "of what co_running says of each.")
          .Needed("unit", &E::unit, as::Name())
          .Optional("model", &E::model, as::Name())
          .Rule(LayersHaveModel<E>, kLayersNeedModel)
          .Optional("layers", &E::layers, Layers())
          .Needed("beside", &E::beside,
                  as::ListOf(
                      as::Name(),
                      {.least = 2, .few = "needs two units or more", .twice = "the unit * is given twice"}))
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

const Fields<HandOverEntry>& HandOverFields() {
  using E = HandOverEntry;
  static const auto fields =
      Fields<E>("profile_hand_over",
                "What a task of `to` takes longer where its input, of so many bytes, was made by `from` and "
                "lies in a memory of both.")
          .Needed("from", &E::from, as::Name(), "A unit.")
          .Needed("to", &E::to, as::Name(), "A unit.")
          .Rule(HandedToAnother)
          .Needed("bytes", &E::bytes, as::Integer(0, kMostBytes))
          .Part(&E::time, TimingFields())
          .Optional("unstable", &E::unstable, as::Boolean(), kUnstable);
  return fields;
}

const Fields<AfterIdleEntry>& AfterIdleFields() {
  using E = AfterIdleEntry;
  static const auto fields =
      Fields<E>("profile_after_idle",
                "Work of `unit` takes `slowdown` times as long where the unit has idled for so long before.")
          .Needed("unit", &E::unit, as::Name())
          .Optional("model", &E::model, as::Name())
          .Needed("idle_us", &E::idle, as::Micros())
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

const Fields<AfterOtherEntry>& AfterOtherFields() {
  using E = AfterOtherEntry;
  static const auto fields =
      Fields<E>(
          "profile_after_other",
          "Work of `unit` takes `slowdown` times as long where the unit has done another model's since it "
          "last did this.")
          .Needed("unit", &E::unit, as::Name())
          .Optional("model", &E::model, as::Name())
          .Rule(LayersHaveModel<E>, kLayersNeedModel)
          .Optional("layers", &E::layers, Layers())
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

const Fields<RepeatedEntry>& RepeatedFields() {
  using E = RepeatedEntry;
  static const auto fields =
      Fields<E>("profile_repeated",
                "A task of these very layers takes `slowdown` times as long where its unit took one of them "
                "last so long before.")
          .Needed("unit", &E::unit, as::Name())
          .Needed("model", &E::model, as::Name())
          .Needed("layers", &E::layers, Layers())
          .Needed("every_us", &E::every, as::Micros())
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

const Fields<SharingEntry>& SharingFields() {
  using E = SharingEntry;
  static const auto fields =
      Fields<E>(
          "profile_sharing",
          "Work of `unit`, whose time is shared, takes `slowdown` times as long while so many tasks are "
          "on it at once.")
          .Needed("unit", &E::unit, as::Name())
          .Optional("model", &E::model, as::Name())
          .Optional("beside_model", &E::beside_model, as::Name(),
                    "Where the others are of this model; of several others each counts for its part.")
          .Optional(
              "apart", &E::apart, as::Boolean(),
              "Each of them is in a program of its own, as where nobody manages (`unmanaged`), not in a "
              "thread of one. Where profiles have only one of both, that counts for both.")
          .Needed("at_once", &E::at_once, as::Integer(2, kMostAtOnce))
          .Needed("slowdown", &E::slowdown, Slowdown())
          .Optional("error", &E::error, Error(), kErrorOfSlowdown);
  return fields;
}

}  // namespace tandem
