#include <algorithm>
#include <set>
#include <variant>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/key_units.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

// The first stream whose model no unit has times for as a whole.
const Stream* RunningInPartsOnly(const Scenario& scenario) {
  if (!scenario.costs) return nullptr;
  for (const Stream& stream : scenario.streams) {
    if (!SomeUnitRuns(scenario, stream)) return &stream;
  }
  return nullptr;
}

void CheckWholeModels(const JsonReader& value, const PolicySpec& policy, const Scenario& scenario,
                      const Stream* in_parts) {
  if (!in_parts || !policy.declaration->takes_granularity) return;
  if (policy.granularity != Granularity::kModel) return;
  value.Fail("policy " + Quoted(policy.label) + " hands out whole models, and no unit has times for all of " +
             Quoted(scenario.model(in_parts->model).name) +
             "; \"granularity\" may be \"group\" or \"layer\"");
}

void CheckPolicies(const JsonReader& root, const Scenario& scenario, Context) {
  const auto policies = root.Find("policies");
  if (!policies) return;
  const Stream* in_parts = RunningInPartsOnly(scenario);
  std::set<std::string_view> labels;
  std::size_t position = 0;
  for (const JsonReader element : policies->Elements()) {
    const PolicySpec& policy = scenario.policies[position++];
    CheckWholeModels(element, policy, scenario, in_parts);
    if (labels.insert(policy.label).second) continue;
    element.Fail("a policy before it is called " + Quoted(policy.label) +
                 " too; a \"label\" of its own tells them apart");
  }
}

void ChooseObjective(const JsonReader& root, Scenario& scenario, Context) {
  if (root.Find("objective")) return;
  ChosenObjective chosen = DefaultObjective(scenario.streams);
  scenario.objective = chosen.objective;
  scenario.objective_why = std::move(chosen.why);
}

// An objective for which the scenario has what it takes.
void CheckObjective(const JsonReader& place, Objective objective, const Scenario& scenario) {
  const bool alone = objective == Objective::kSlowdown || objective == Objective::kBalancedGain;
  if (!alone || !scenario.costs) return;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (scenario.alone[s].value_or(Nanos{0}) > Nanos{0}) continue;
    place.Fail(Words(NameOf(kObjectiveNames, objective)) +
               " compares with a request alone, and no unit has a time for the whole of model " +
               Quoted(scenario.model(scenario.streams[s].model).name));
  }
}

void CheckObjectives(const JsonReader& root, const Scenario& scenario, Context) {
  if (const auto objective = root.Find("objective")) CheckObjective(*objective, scenario.objective, scenario);
  const auto then = root.Find("then");
  if (!then) return;
  std::size_t position = 0;
  for (const JsonReader element : then->Elements()) {
    CheckObjective(element, scenario.then[position++], scenario);
  }
}

CodecOf<std::vector<ConditionTerm>> LimitOfScenario() {
  return as::ReadOnly<std::vector<ConditionTerm>>(
      [](SchemaDefs& defs) { return as::Words()->Schema(defs); },
      [](const JsonReader& value, std::vector<ConditionTerm>& into, Context context) {
        into = Within(value, [&] { return ReadCondition(value.String(), context.As<Scenario>()); });
      });
}

void AddLimits(Scenario& scenario, std::vector<std::vector<ConditionTerm>> limits) {
  for (std::vector<ConditionTerm>& terms : limits) {
    AskForAges(terms, scenario);
    scenario.limits.insert(scenario.limits.end(), terms.begin(), terms.end());
  }
}

CodecOf<PolicySpec> AnyPolicy() {
  return as::ReadOnly<PolicySpec>(
      [](SchemaDefs& defs) { return defs.Ref("policy", [&] { return PolicySchema(defs); }); },
      [](const JsonReader& value, PolicySpec& into, Context context) {
        JudgePolicyName(value);  // whatever else is wrong with the scenario
        into = ReadPolicy(value, context.As<Scenario>());
      });
}

std::string RulesSchema() {
  return R"({"if": {"required": ["rules"], "properties": {"rules": {"const": "loadgen"}}},)"
         R"( "then": {"properties": {"streams": {"items": {"if": {"required": ["arrival"], "properties": {"arrival":)"
         R"( {"properties": {"type": {"enum": ["single_stream", "multi_stream", "server", "offline"]}}}}},)"
         R"( "then": {"not": {"anyOf": [{"required": ["count"]}, )" +
         TimeGivenSchema("duration_ms") +
         R"(]}}}}}},)"
         R"( "else": {"properties": {"streams": {"items": {"if": {"required": ["arrival"], "properties": {"arrival":)"
         R"( {"not": {"required": ["rules"]}}}}, "then": {"properties": {"arrival": {"properties": {"type":)"
         R"( {"enum": ["offline", "closed", "periodic", "poisson", "trace"]}}}},)"
         R"( "if": {"properties": {"arrival": {"properties": {"type": {"const": "offline"}}}}},)"
         R"( "then": {"required": ["count"], "properties": {"arrival": {"maxProperties": 1}}}}}}}}})";
}

const Fields<Scenario>& ScenarioFields() {
  using S = Scenario;
  static const auto fields =
      Fields<S>("scenario", "what is asked of a board, and which policies are compared")
          .Kind("scenario/1")
          .IsContext()
          .Needed("name", &S::name, as::Name())
          .Optional("note", &S::note, as::Text())
          .Optional("seed", &S::seed, as::Unsigned())
          .Optional("rules", &S::rules, as::OneOf(kRulesNames, "rules"),
                    "Whose conventions fill in what the streams leave out.")
          .Needed("platform", &S::platform, PlatformOfScenario(),
                  "A shipped board's name, a path, the platform itself, or \"device\": what `tandem-device "
                  "info` offers.")
          .Then([](const JsonReader&, S& scenario, Context) {
            if (scenario.platform) scenario.units.resize(scenario.platform->units.size());
          })
          .Then(AddModels)
          .Regardless()
          .Optional(
              "profiles", &S::profiles, ProfilesOfScenario(),
              "Of each a shipped board's name, a path, or the profile itself; without them what is needed "
              "is measured first.")
          .Later()
          .Then(AddCosts)
          .Later()
          .Reads("variants", VariantsOfScenario(), AddVariants,
                 "Per unit the variant that runs: \"cudnn\", \"cudnn/fp32\".")
          .Later()
          .Then(ChooseVariants)
          .Later()
          .Optional("transfer", &S::transfer, as::OneOf(kTransferModeNames, "transfer mode"))
          .Reads("co_compiled", CompiledOfScenario(), AddCompiled,
                 "Per unit lists of models that are compiled together for its chip, each in its order.")
          .Rule(CheckCompiled)
          .Reads("resident", ResidentsOfScenario(), AddResidents, "Per unit the models that it holds.")
          .Rule(CheckResidents)
          .Needed("streams", &S::streams, StreamsOfScenario())
          .Then(JoinStreams, RulesSchema())
          .Reads("background", BackgroundOfScenario(), AddBackground, "What else runs on the board.")
          .Rule(CheckLoads)
          .Optional("speeds", &S::speeds, SpeedsOfScenario(),
                    "How fast units are from when on: clocks that change.")
          .Rule(CheckSpeeds)
          .Optional("heat", &S::heat, HeatOfScenario(),
                    "Units that their work makes warm, and that are held back where they get too warm.")
          .Rule(CheckHeat)
          .Optional("away", &S::away, AwayOfScenario(),
                    "When units are not there; what they have under way is lost and begun again.")
          .Rule(CheckAway)
          .Rule(CheckRunnable)
          .Later()
          .Rule(CheckSomeoneStays)
          .Later()
          .Then(SetTimesAlone)
          .Later()
          .Optional("policies", &S::policies, as::ListOf(AnyPolicy()), "Those that are compared.")
          .Later()
          .Rule(CheckPolicies)
          .Later()
          .Optional("objective", &S::objective, as::OneOf(kObjectiveNames, "objective"),
                    "Without it: misses where streams have deadlines, p99_latency where requests come by the "
                    "clock, else makespan.")
          .Default({})
          .Later()
          .Then(ChooseObjective)
          .Later()
          .Optional("then", &S::then,
                    as::ListOf(as::OneOf(kObjectiveNames, "objective"),
                               {.most = kMostThen,
                                .many = "an objective and two more are compared",
                                .twice = "the objective * is given twice"}),
                    "What counts next, in this order, where the objective is equal.")
          .Later()
          .Rule(CheckObjectives)
          .Later()
          .Reads("limits", as::ListOf(LimitOfScenario()), AddLimits,
                 "What runs have to keep before the objective counts: \"streams.camera.p99 <= 33 ms\".")
          .Later();
  return fields;
}

std::string JudgeScenario(const JsonReader& root) {
  const Scenario scenario = ReadScenario(root);
  RequestCount total;
  for (const RequestCount& requests : CountRequests(scenario.streams, scenario.seed)) {
    total.count += requests.count;
    total.certainty = std::max(total.certainty, requests.certainty);
  }
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  const std::string words[] = {"", "about ", "at least "};
  return Counted(count(scenario.streams), "stream") + ", " +
         words[static_cast<std::size_t>(total.certainty)] + Counted(total.count, "request") + ", " +
         (scenario.platform ? Counted(count(scenario.units), "unit") : "the units of the device") + ", " +
         Counted(count(scenario.policies), "policy", "policies") +
         (scenario.objective_why.empty()
              ? ""
              : ", compared by " + ObjectiveText(scenario.objective, scenario.then) + ", since " +
                    scenario.objective_why);
}

const FileKindRegistration kScenarioKind{
    {"scenario/1", AsAnyFields<Scenario, ScenarioFields>, JudgeScenario}};

}  // namespace

Scenario ReadScenario(const JsonReader& root, const ScenarioOptions& options) {
  Scenario scenario;
  scenario.file = root.file();
  ScenarioFields().Read(root, scenario, Context::Of(options));
  return scenario;
}

std::string ObjectiveText(Objective objective, const std::vector<Objective>& then) {
  std::string text = Words(NameOf(kObjectiveNames, objective));
  for (const Objective next : then) text += ", then " + Words(NameOf(kObjectiveNames, next));
  return text;
}

bool LeavesOut(const Scenario& scenario, const Stream& stream) {
  for (const Stream* of = &stream;;) {
    const auto* const link = std::get_if<DependentArrival>(&of->arrival);
    if (of->Drops() || (link && link->every > 1)) return true;
    if (!link) return false;
    of = &scenario.streams[link->parent.index()];
  }
}

bool TellsAge(const Scenario& scenario, const Stream& stream) {
  return stream.age || LeavesOut(scenario, stream);
}

std::string_view KeyOfEnergy(const Scenario& scenario) {
  if (scenario.objective == Objective::kEnergy) return "objective";
  const auto& then = scenario.then;
  if (std::find(then.begin(), then.end(), Objective::kEnergy) != then.end()) return "then";
  const auto energy = [](const ConditionTerm& limit) { return limit.IsOfEnergy(); };
  return std::any_of(scenario.limits.begin(), scenario.limits.end(), energy) ? "limits" : "";
}

ChosenObjective DefaultObjective(const std::vector<Stream>& streams) {
  const auto any = [&](const auto& of) { return std::any_of(streams.begin(), streams.end(), of); };
  if (any([](const Stream& stream) { return stream.HasDeadline(); })) {
    return {Objective::kMisses, "streams have deadlines"};
  }
  if (any(ComesByTheClock)) return {Objective::kP99Latency, "requests come by the clock"};
  return {Objective::kMakespan, "no request comes by the clock"};
}

Scenario ReadScenarioFile(const std::filesystem::path& path, const ScenarioOptions& options) {
  const JsonDocument document = JsonDocument::ReadFile(path);
  return ReadScenario(document.root(), options);
}

UnitId FindUnit(const Scenario& scenario, std::string_view name, const JsonReader& place) {
  if (!scenario.platform) return UnitId();
  const UnitId unit = scenario.platform->FindUnit(name);
  if (!unit.valid()) {
    place.Fail("unknown unit " + Quoted(name) + Suggestion(name, scenario.platform->UnitNames()));
  }
  return unit;
}

StreamId FindStream(const Scenario& scenario, std::string_view name, const JsonReader& place) {
  std::vector<std::string> known;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (scenario.streams[s].name == name) return StreamId(s);
    known.push_back(scenario.streams[s].name);
  }
  place.Fail("no stream is called " + Quoted(name) + Suggestion(name, known));
}

ModelId FindModel(const Scenario& scenario, std::string_view name, const JsonReader& place) {
  const std::string key = Within(place, [&] { return ModelKey(name, scenario.file); });
  std::vector<std::string> known;
  for (std::size_t i = 0; i < scenario.models.size(); ++i) {
    if (scenario.models[i].key == key) return ModelId(i);
    known.push_back(scenario.models[i].name);
  }
  place.Fail("no stream has a model " + Quoted(name) + Suggestion(name, known));
}

}  // namespace tandem
