#include "scenarios/scenario/plan_fields.h"

#include "profiles/base/file_kinds.h"
#include "scenarios/scenario/profile_used.h"

namespace tandem {
namespace {

constexpr std::size_t kHashDigits = 16;

CodecOf<const PolicyDeclaration*> PolicyName() {
  return as::Custom<const PolicyDeclaration*>(
      [](SchemaDefs&) {
        std::vector<std::string_view> names;
        for (const PolicyDeclaration& policy : Policies()) names.push_back(policy.name);
        return as::EnumSchema(names);
      },
      [](const JsonReader& value, const PolicyDeclaration*& into, Context) {
        into = FindPolicy(value.String());
        if (!into) value.Fail(UnknownPolicy(value.String()));
      },
      [](const PolicyDeclaration* from, std::string& text, Context) { text += JsonString(from->name); });
}

// What it decides is in the plan.
const Fields<PolicySpec>& DecidedPolicyFields() {
  using P = PolicySpec;
  static const auto fields =
      Fields<P>("decided_policy")
          .Needed("name", &P::declaration, PolicyName())
          .Then([](const JsonReader&, P& policy, Context) { policy.label = policy.declaration->name; })
          .Own(
              "label", as::Name(),
              [](const P& policy) {
                const bool own = policy.label != policy.declaration->name;
                return own ? std::optional(policy.label) : std::nullopt;
              },
              [](P& policy, std::string label) { policy.label = std::move(label); });
  return fields;
}

// Read by DecidePolicy, which knows whether there is a schedule or a rule beside it.
CodecOf<PolicySpec> PolicyOfPlan() {
  return as::Custom<PolicySpec>(
      [](SchemaDefs& defs) {
        return as::AnyOfSchema({OwnPolicy()->Schema(defs), DecidedPolicyFields().Schema(defs)});
      },
      [](const JsonReader&, PolicySpec&, Context) {},
      [](const PolicySpec& from, std::string& text, Context context) {
        text += from.decided ? DecidedPolicyFields().Text(from) : PolicyJson(from, context.As<Scenario>());
      });
}

void DecidePolicy(const JsonReader& root, Plan& plan, Context context) {
  const auto& scenario = context.As<Scenario>();
  plan.decisions.residents.resize(scenario.units.size());
  const JsonReader policy = root.Get("policy");
  if (plan.decisions.schedule || plan.decisions.rule) {
    DecidedPolicyFields().Read(policy, plan.policy);
    plan.policy.decided = std::make_shared<Decisions>(plan.decisions);
    return;
  }
  for (const char* key : {"cuts", "edges", "search"}) {
    if (const auto alone = root.Find(key)) alone->Fail("it needs a \"schedule\" or a \"rule\" beside it");
  }
  OwnPolicy()->Read(policy, plan.policy, context);
}

constexpr std::string_view kDecidedSchema =
    R"({"if": {"anyOf": [{"required": ["schedule"]}, {"required": ["rule"]}]},)"
    R"( "then": {"properties": {"policy": {"$ref": "plan.schema.json#/$defs/decided_policy"}}},)"
    R"( "else": {"properties": {"policy": {"$ref": "plan.schema.json#/$defs/own_policy"}},)"
    R"( "not": {"anyOf": [{"required": ["cuts"]}, {"required": ["edges"]}, {"required": ["search"]}]}}})";

CodecOf<std::uint64_t> Hash() {
  return as::Custom<std::uint64_t>(R"("type": "string", "pattern": "^[0-9a-f]{16}$")",
                                   [](const JsonReader& value, std::uint64_t& into, Context) {
                                     const std::string_view text = value.String();
                                     bool right = text.size() == kHashDigits;
                                     into = 0;
                                     for (const char c : text) {
                                       const bool digit = c >= '0' && c <= '9';
                                       right = right && (digit || (c >= 'a' && c <= 'f'));
                                       into = into << 4 |
                                              static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
                                     }
                                     if (!right) value.Fail("a hash is 16 digits of 0-9 and a-f");
                                   },
                                   [](std::uint64_t from, std::string& text, Context) {
                                     text += '"';
                                     for (int shift = 60; shift >= 0; shift -= 4)
                                       text += "0123456789abcdef"[from >> shift & 15];
                                     text += '"';
                                   });
}

const Fields<PlanProfile>& PlanProfileFields() {
  static const auto fields = Fields<PlanProfile>("plan_profile")
                                 .Needed("profile", &PlanProfile::name, as::Name())
                                 .Needed("hash", &PlanProfile::hash, Hash(),
                                         "Of what it said; a plan made from other numbers is refused.")
                                 .Part(&PlanProfile::origin, OriginOfTimesFields());
  return fields;
}

const Fields<PlanLoads>& PlanLoadsFields() {
  using L = PlanLoads;
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  static const auto fields =
      Fields<L>("plan_loads")
          .Needed("unit", &L::unit, as::Name())
          .Needed("model", &L::model, as::Name())
          .Needed("loads", &L::loads, as::Integer(0, kMost), "So often it was brought there.")
          .Needed("evictions", &L::evictions, as::Integer(0, kMost), "So often it was put out for others.");
  return fields;
}

const Fields<PlanPrediction>& PredictionFields() {
  using P = PlanPrediction;
  static const auto fields =
      Fields<P>("plan_prediction")
          .Needed("engine", &P::engine, as::Name())
          .Optional("objective", &P::objective, as::Figure(0))
          .Needed("makespan_ns", &P::makespan, as::WholeNanos())
          .Optional("bound_ns", &P::bound, as::WholeNanos())
          .Optional("interval", &P::interval, as::Number(0, 1),
                    "With this probability it lies between these values.")
          .Optional("makespan_interval_ns", &P::makespan_interval,
                    as::ListOf(as::WholeNanos(), {.least = 2, .most = 2}))
          .Optional("objective_interval", &P::objective_interval,
                    as::ListOf(as::Figure(0), {.least = 2, .most = 2}))
          .Optional("makespan_median_ns", &P::makespan_median, as::WholeNanos(),
                    "Over draws of the times: what to expect of a device.")
          .Optional("objective_median", &P::objective_median, as::Figure(0))
          .Optional("win_probability", &P::win_probability, as::Number(0, 1),
                    "That no other policy that was asked for is better.")
          .Optional("win_probability_why", &P::win_probability_why, as::Text(), "Why that is not known.")
          .Optional("not_told_apart", &P::not_told_apart, as::ListOf(as::Name()),
                    "Labels of policies that it cannot be told from.")
          .Optional("interval_why", &P::interval_why, as::Text(), "Why there is no interval.")
          .Optional("interval_lacks", &P::interval_lacks, as::Text(),
                    "What the interval does not tell of: the drift of what was measured, and random arrivals "
                    "of other seeds.")
          .Optional("loads", &P::loads, as::ListOf(as::ObjectOf(PlanLoadsFields())),
                    "Of models that units loaded or put out in the run.");
  return fields;
}

const Fields<Plan>& PlanFields() {
  static const auto fields =
      Fields<Plan>()
          .Needed("policy", &Plan::policy, PolicyOfPlan(),
                  "The one that was chosen; with a schedule or a rule its name and label alone.")
          .Part(&Plan::decisions, RuleFields())
          .Needed("segments", &Plan::segments, as::ListOf(as::ObjectOf(SegmentsFields())),
                  "How each model is cut.")
          .Part(&Plan::decisions, CutFields())
          .Needed("profiles", &Plan::profiles, as::ListOf(as::ObjectOf(PlanProfileFields())),
                  "The scenario's, as they were when the plan was made.")
          .Needed("predicted", &Plan::predicted, as::ObjectOf(PredictionFields()))
          .Then(DecidePolicy, kDecidedSchema);
  return fields;
}

void ProfilesAreTheSame(const JsonReader& root, const PlanFile& file, Context context) {
  const std::vector<Profile>& profiles = file.scenario.profiles;
  if (profiles.empty() && context.As<ScenarioOptions>().profiles != NamedProfiles::kNeeded) return;
  const JsonReader list = root.Get("profiles");
  std::size_t position = 0;
  for (const JsonReader element : list.Elements()) {
    const PlanProfile made_from = PlanProfileFields().Read(element);
    if (position == profiles.size()) element.Fail("the scenario has no such profile");
    if (ProfileHash(profiles[position++]) == made_from.hash) continue;
    element.Get("hash").Fail("the plan was made from another version of profile " + Quoted(made_from.name) +
                             "; make it again");
  }
  if (position != profiles.size()) list.Fail("the scenario has more profiles");
}

CodecOf<Scenario> ScenarioInPlace() {
  return as::Custom<Scenario>(R"("$ref": "scenario.schema.json", "not": {"required": ["policies"]})",
                              [](const JsonReader& value, Scenario& into, Context context) {
                                if (const auto policies = value.Find("policies")) {
                                  policies->Fail("a plan has one policy, beside its scenario");
                                }
                                into = ReadScenario(value, context.As<ScenarioOptions>());
                              },
                              [](const Scenario&, std::string& text, Context) { text += "null"; });
}

std::string JudgePlan(const JsonReader& root) {
  const PlanFile file = ReadPlan(root);
  const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
  return "policy " + file.plan.policy.label + ", " + Counted(count(file.scenario.streams), "stream") + ", " +
         Counted(count(file.plan.profiles), "profile");
}

const FileKindRegistration kPlanKind{
    {"plan/1", AsAnyFields<PlanFile, PlanFileFields>, JudgePlan, std::size_t{256} << 20}};

}  // namespace

const Fields<PlanFile>& PlanFileFields() {
  static const auto fields =
      Fields<PlanFile>("plan",
                       "what was decided for a scenario; `tandem plan` writes it, `tandem simulate` and a "
                       "device run it")
          .Kind("plan/1")
          .IsContext(&PlanFile::scenario)
          .Needed("scenario", &PlanFile::scenario, ScenarioInPlace(),
                  "What the plan is for, without policies; paths in it are relative to this file.")
          .Rule(ProfilesAreTheSame)
          .Part(&PlanFile::plan, PlanFields());
  return fields;
}

}  // namespace tandem
