#include "scenarios/baseline/baseline.h"

#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "scenarios/baseline/fields.h"

namespace tandem {
namespace {

constexpr std::size_t kLeastCases = 1;

const Fields<ModelWork>& ModelWorkFields() {
  static const auto fields = Fields<ModelWork>("baseline_model")
                                 .Needed("tasks", &ModelWork::tasks, as::Integer(0))
                                 .Needed("working_ns", &ModelWork::working, as::WholeNanos());
  return fields;
}

template <std::size_t kCause>
std::optional<Nanos> TimeOf(const UnitWork& work) {
  const Nanos time = work.time.of[kCause];
  return time == Nanos{0} ? std::nullopt : std::optional(time);
}
template <std::size_t kCause>
void SetTime(UnitWork& work, Nanos time) {
  work.time.of[kCause] = time;
}
template <std::size_t... kCause>
void AddTimes(Fields<UnitWork>& fields, std::index_sequence<kCause...>) {
  static const std::array<std::string, kCauses> keys = {(std::string(kCauseNames[kCause]) + "_ns")...};
  (fields.Own(keys[kCause], as::WholeNanos(), TimeOf<kCause>, SetTime<kCause>), ...);
}

const Fields<UnitWork>& UnitWorkFields() {
  static const auto fields = [] {
    Fields<UnitWork> all("baseline_unit");
    all.Needed("unit", &UnitWork::unit, as::Words());
    AddTimes(all, std::make_index_sequence<kCauses>());
    all.Optional("models", &UnitWork::models, as::MapOf(as::ObjectOf(ModelWorkFields())),
                 "Tasks and time per model.");
    return all;
  }();
  return fields;
}

CodecOf<std::string> HashOfInputs() {
  return as::TextReadBy(
      [](SchemaDefs&) { return SchemaNode(R"("type": "string", "pattern": "^sha256:[0-9a-f]{64}$")"); },
      [](const JsonReader& value, std::string& into, Context) {
        into = value.String();
        constexpr std::string_view kStart = "sha256:";
        constexpr std::size_t kDigits = 64;
        const bool right = into.starts_with(kStart) && into.size() == kStart.size() + kDigits &&
                           into.find_first_not_of("0123456789abcdef", kStart.size()) == std::string::npos;
        if (!right) value.Fail("a hash is \"sha256:\" and 64 hexadecimal digits, not " + Quoted(into));
      });
}

const Fields<BaselineCase>& CaseFields() {
  using C = BaselineCase;
  static const auto fields =
      Fields<C>("baseline_case")
          .Needed("scenario", &C::scenario, as::Name(), "A shipped name, or a path relative to this file.")
          .Needed("inputs", &C::inputs, HashOfInputs(),
                  "Over the content of all that the scenario reads, wherever it lies.")
          .Needed("engine", &C::engine, as::WordOf({"simgrid", "virtual"}))
          .Needed("seed", &C::seed, as::Unsigned())
          .Needed("policy", &C::policy, as::Words(), "Its label.")
          .Needed("figures", &C::figures, as::FigureLines("\n      ", "\n    "),
                  "`streams.NAME.FIGURE` is that of one stream.")
          .Optional("stream_latency_ns", &C::stream_latency, as::MapOf(as::WholeNanos()),
                    "The mean per stream. Not judged: it tells why a figure moved.")
          .Optional("time", &C::work, as::LineList(as::ObjectOf(UnitWorkFields()), "\n      "),
                    "Where the time of each unit went. Not judged: it tells why a figure moved.")
          .Then([](const JsonReader& value, C& of, Context) { of.place = value.Where(); });
  return fields;
}

void CheckCases(const JsonReader& root, const Baseline& baseline, Context) {
  std::set<std::tuple<std::string, std::string, std::string, std::uint64_t>> seen;
  std::size_t position = 0;
  for (const JsonReader value : root.Get("cases").Elements()) {
    const BaselineCase& of = baseline.cases[position++];
    if (seen.emplace(of.scenario, of.policy, of.engine, of.seed).second) continue;
    value.Fail("policy " + Quoted(of.policy) + " of scenario " + Quoted(of.scenario) +
               " is there twice, with the same engine and seed");
  }
}

const Fields<Baseline>& BaselineFields() {
  using B = Baseline;
  static const auto fields =
      Fields<B>("baseline",
                "the figures that runs are held to; `tandem regress` simulates again and compares")
          .Kind("baseline/1")
          .Needed("name", &B::name, as::Name())
          .Needed("version", &B::version, as::Words(), "Of tandem, which wrote it.")
          .Optional("note", &B::note, as::Text())
          .Optional("figures", &B::figures, as::ListOf(as::FigureText()),
                    "What each case is to have, as far as it has such streams; else what other cases of its "
                    "scenario have.")
          .Needed("cases", &B::cases,
                  as::ListOf(as::ObjectOf(CaseFields()), {.least = kLeastCases, .few = "there are no cases"}))
          .Rule(CheckCases);
  return fields;
}

// Scenarios are there; what is in them is for `tandem check SCENARIO` to judge.
std::string JudgeBaseline(const JsonReader& root) {
  const Baseline baseline = ReadBaseline(root);
  std::set<std::string> scenarios;
  std::int64_t figures = 0;
  std::size_t position = 0;
  for (const JsonReader value : root.Get("cases").Elements()) {
    const BaselineCase& of = baseline.cases[position++];
    figures += static_cast<std::int64_t>(of.figures.size());
    if (!scenarios.insert(of.scenario).second) continue;
    const JsonReader place = value.Get("scenario");
    std::filesystem::path file;
    try {
      file = FindFile(of.scenario, baseline.file, "scenarios", ".scenario.json");
    } catch (const InputError& error) {
      place.Fail(error.what());
    }
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) place.Fail(file.string() + ": no such file");
  }
  return Counted(static_cast<std::int64_t>(scenarios.size()), "scenario") + ", " +
         Counted(static_cast<std::int64_t>(baseline.cases.size()), "case") + ", " +
         Counted(figures, "figure");
}

const FileKindRegistration kBaselineKind{
    {"baseline/1", AsAnyFields<Baseline, BaselineFields>, JudgeBaseline}};

}  // namespace

const KeptFigure* BaselineCase::Find(std::string_view figure) const {
  for (const auto& [name, kept] : figures) {
    if (name == figure) return &kept;
  }
  return nullptr;
}

Baseline ReadBaseline(const JsonReader& root) {
  Baseline baseline;
  baseline.file = root.file();
  BaselineFields().Read(root, baseline);
  return baseline;
}

Baseline ReadBaselineFile(const std::filesystem::path& path) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadBaseline(document.root());
}

std::string BaselineJson(const Baseline& baseline) { return BaselineFields().File(baseline); }

}  // namespace tandem
