#include <array>
#include <limits>
#include <set>

#include "profiles/base/fields.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "sim/sweep/design.h"
#include "sim/sweep/figures.h"
#include "sim/sweep/json_values.h"
#include "sim/sweep/judge.h"
#include "sim/sweep/sweep.h"

namespace tandem {
namespace {

constexpr double kExact = 0x1p53;  // integers up to here are doubles
constexpr std::int64_t kMostLevels = 100'000;
constexpr std::int64_t kMostPoints = 1'000'000;

constexpr std::array<Named<bool>, 2> kScaleNames = {{{"linear", false}, {"log", true}}};

void CheckRange(const JsonReader& value, const SweepRange& range, Context) {
  if (range.to < range.from) value.Get("to").Fail("lies below \"from\"");
  if (range.step && range.points) value.Get("points").Fail("a range has a step or so many points, not both");
  if (range.log && range.step) value.Get("step").Fail("a logarithmic range has no step, but points");
  if (range.log && range.from <= 0) value.Get("from").Fail("a logarithmic range begins above 0");
  if (range.step && (range.to - range.from) / *range.step >= static_cast<double>(kMostLevels)) {
    value.Get("step").Fail("makes more than " + std::to_string(kMostLevels) + " values");
  }
}

const Fields<SweepRange>& RangeFields() {
  using R = SweepRange;
  static const auto fields =
      Fields<R>("sweep_range")
          .Needed("from", &R::from, as::Number(-kExact, kExact))
          .Needed("to", &R::to, as::Number(-kExact, kExact), "Is one of the values, where a step meets it.")
          .Optional("step", &R::step, as::Positive(kExact), "1 between integers.")
          .Optional("points", &R::points, as::Integer(1, kMostLevels), "Instead of a step.")
          .Optional("scale", &R::log, as::OneOf(kScaleNames, "scale"))
          .Optional("integer", &R::integer, as::Boolean(),
                    "Values are rounded; without it where there are no points and all that is said is whole.")
          .Rule(CheckRange);
  return fields;
}

CodecOf<std::string> Pointer() {
  return as::TextReadBy([](SchemaDefs&) { return SchemaNode(R"("type": "string", "pattern": "^(/.*)?$")"); },
                        [](const JsonReader& value, std::string& into, Context) {
                          into = value.String();
                          if (!into.empty() && into[0] != '/')
                            value.Fail("a pointer begins with \"/\", as \"/streams/0/count\"");
                        });
}

void CheckAxis(const JsonReader& value, const SweepAxis& axis, Context) {
  if (axis.values.empty() && !axis.range) value.Fail("has neither values nor a range");
  if (!axis.values.empty() && axis.range) value.Get("range").Fail("an axis has values or a range, not both");
  if (axis.name == "policy") value.Get("name").Fail("is what the policies of a run go by; call it otherwise");
  if (axis.range) return;
  std::set<std::string> known;
  for (const JsonReader each : value.Get("values").Elements()) {
    if (axis.multiplies) (void)each.Number(-kExact, kExact);
    if (!known.insert(JsonTextOf(each)).second) each.Fail("the value is given twice");
  }
}

const Fields<SweepAxis>& AxisFields() {
  using A = SweepAxis;
  static const auto fields =
      Fields<A>("sweep_axis")
          .Needed("name", &A::name, as::Name())
          .Needed(
              "pointers", &A::pointers,
              as::ListOf(Pointer(), {.least = 1,
                                     .few = "an axis has at least one place in the scenario",
                                     .twice = "the pointer * is given twice"}),
              "JSON pointers into the scenario and what it names: \"/streams/0/count\", "
              "\"/platform/links/0/bandwidth_bytes_per_s\". In a list \"*\" is all elements, \"unit=gpu\" "
              "those with this member; \"\" is the scenario itself, by name.")
          .Optional("multiplies", &A::multiplies, as::Boolean(),
                    "What stands there, instead of replacing it.")
          .Optional("values", &A::values,
                    as::ListOf(as::AnyValue(), {.least = 1, .few = "an axis has at least one value"}),
                    "These, or")
          .Optional("range", &A::range, as::ObjectOf(RangeFields()), "a range of numbers; one of the two.")
          .Rule(CheckAxis, R"({"oneOf": [{"required": ["values"]}, {"required": ["range"]}]})");
  return fields;
}

void CheckDesign(const JsonReader& value, const SweepDesign& design, Context) {
  if (design.type != SweepDesignType::kGrid) {
    (void)value.Get("points");
    return;
  }
  for (const char* key : {"points", "seed"}) {
    if (const auto own = value.Find(key))
      own->Fail("a grid has all combinations, and nothing is drawn for it");
  }
}

const Fields<SweepDesign>& DesignFields() {
  using D = SweepDesign;
  static const auto fields =
      Fields<D>("sweep_design")
          .Needed("type", &D::type, as::OneOf(kSweepDesignNames, "design"))
          .Optional("points", &D::points, as::Integer(1, kMostPoints), "Of all but a grid.")
          .Default("")
          .Optional("seed", &D::seed, as::Unsigned(), "Of what is drawn.")
          .Rule(CheckDesign,
                R"({"if": {"required": ["type"], "properties": {"type": {"const": "grid"}}},)"
                R"( "then": {"not": {"anyOf": [{"required": ["points"]}, {"required": ["seed"]}]}},)"
                R"( "else": {"required": ["points"]}})");
  return fields;
}

const Fields<SweepRequirement>& RequirementFields() {
  using R = SweepRequirement;
  constexpr double kLowest = std::numeric_limits<double>::lowest();
  static const auto fields = Fields<R>("sweep_requirement")
                                 .Needed("figure", &R::figure, as::WordOf(RunFigureNames()))
                                 .Optional("at_most", &R::at_most, as::Number(kLowest))
                                 .Optional("at_least", &R::at_least, as::Number(kLowest))
                                 .Rule(
                                     [](const JsonReader& value, const R& read, Context) {
                                       if (!read.at_most && !read.at_least)
                                         value.Fail("needs at_most or at_least");
                                     },
                                     R"({"anyOf": [{"required": ["at_most"]}, {"required": ["at_least"]}]})");
  return fields;
}

void CheckAxes(const JsonReader& root, const Sweep&, Context) {
  const auto axes = root.Find("axes");
  if (!axes) return;
  std::set<std::string_view> names;
  for (const JsonReader axis : axes->Elements()) {
    const JsonReader name = axis.Get("name");
    if (!names.insert(name.String()).second) {
      name.Fail("an axis before it is called " + Quoted(name.String()) + " too");
    }
  }
}

// A grid needs values to step through.
void CheckSteps(const JsonReader& root, const Sweep& sweep, Context) {
  if (sweep.design.type != SweepDesignType::kGrid) return;
  std::size_t axis = 0;
  const auto axes = root.Find("axes");
  if (!axes) return;
  for (const JsonReader value : axes->Elements()) {
    const SweepAxis& of = sweep.axes[axis++];
    const bool continuous = of.range && !of.range->step && !of.range->points;
    if (continuous && (of.range->log || !of.range->IsInteger())) {
      value.Get("range").Fail("a grid needs a step or so many points here");
    }
  }
  if (CountPoints(sweep, kMostPoints) <= kMostPoints) return;
  axes->Fail("a grid of more than " + std::to_string(kMostPoints) +
             " points; a design may have as many of them as you like");
}

void CheckRequirements(const JsonReader& root, const Sweep& sweep, Context) {
  const auto require = root.Find("require");
  if (!require || sweep.bound) return;
  for (const JsonReader each : require->Elements()) {
    const JsonReader figure = each.Get("figure");
    if (NeedsBound(figure.String())) {
      figure.Fail("runs have no " + Quoted(figure.String()) + " without \"bound\": true");
    }
  }
}

const Fields<Sweep>& SweepFields() {
  using S = Sweep;
  static const auto fields =
      Fields<S>("sweep", "many runs of a scenario whose values vary; `tandem sweep` runs them")
          .Kind("sweep/1")
          .Needed("name", &S::name, as::Name())
          .Optional("note", &S::note, as::Text())
          .Needed("scenario", &S::scenario, as::Name(), "A shipped name or a path.")
          .Optional(
              "policies", &S::policies, as::ListOf(as::Name(), {.twice = "the policy * is given twice"}),
              "By label or name, as `simulate --policy` takes them; the scenario's where there are none.")
          .Optional("objective", &S::objective, as::OneOf(kObjectiveNames, "objective"),
                    "The scenario's where it is absent.")
          .Optional("axes", &S::axes, as::ListOf(as::ObjectOf(AxisFields())), "What varies.")
          .Rule(CheckAxes)
          .Optional("design", &S::design, as::ObjectOf(DesignFields()), "Which combinations; a grid: all.")
          .Default(R"({"type": "grid"})")
          .Optional("require", &S::require, as::ListOf(as::ObjectOf(RequirementFields())),
                    "What a run must keep to be called good.")
          .Optional("bound", &S::bound, as::Boolean(), "Runs have bound_ns and gap, which takes its time.")
          .Optional("interval", &S::interval, as::Number(50, 99.9),
                    "Percent: figures have intervals of such a probability, from draws of each run.")
          .Rule(CheckRequirements)
          .Rule(CheckSteps);
  return fields;
}

const FileKindRegistration kSweepKind{{"sweep/1", AsAnyFields<Sweep, SweepFields>, JudgeSweep}};

}  // namespace

Sweep ReadSweep(const JsonReader& root) {
  Sweep sweep;
  sweep.file = root.file();
  SweepFields().Read(root, sweep);
  return sweep;
}

Sweep LoadSweep(const std::string& argument) {
  std::filesystem::path path;
  try {
    path = FindFile(argument, {}, "sweeps", ".sweep.json");
  } catch (const InputError& error) {
    throw InputError(argument + ": " + error.what());
  }
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadSweep(document.root());
}

}  // namespace tandem
