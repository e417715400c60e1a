#include "scenarios/scenario/plan_fields.h"

#include <algorithm>

#include "profiles/base/file_kinds.h"
#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostSegments = std::int64_t{1} << 20;
constexpr std::size_t kHashDigits = 16;

CodecOf<StreamId> StreamNamed() {
  return as::Custom<StreamId>(R"("type": "string")",
                              [](const JsonReader& value, StreamId& into, Context context) {
                                into = FindStream(context.As<Scenario>(), value.String(), value);
                              },
                              [](const StreamId& from, std::string& text, Context context) {
                                text += JsonString(context.As<Scenario>().streams[from.index()].name);
                              });
}

// Of the model that is the context; an invalid one is not written.
CodecOf<LayerId> LayerNamed() {
  return as::Custom<LayerId>(
      R"("type": "string")",
      [](const JsonReader& name, LayerId& into, Context context) {
        const ScenarioModel& model = context.As<Scenario>().model(context.As<ModelId>());
        into = model.model->Find(name.String());
        if (into.valid()) return;
        std::vector<std::string> known;
        for (const Layer& other : model.model->layers()) known.push_back(other.name);
        name.Fail("model " + Quoted(model.name) + " has no layer " + Quoted(name.String()) +
                  Suggestion(name.String(), known));
      },
      [](const LayerId& from, std::string& text, Context context) {
        if (!from.valid()) return;
        text += JsonString(context.As<Scenario>().model(context.As<ModelId>()).model->layer(from).name);
      });
}

const Fields<ScheduledRun>& RunFields() {
  using R = ScheduledRun;
  static const auto fields =
      Fields<R>("plan_run")
          .Needed("stream", &R::stream, StreamNamed())
          .Needed("first", &R::first, as::Integer(0, kMostRequests - 1), "The first of its requests.")
          .Optional("count", &R::count, as::Integer(1, kMostRequests), "How many of them.")
          .Own(
              "segment", as::Integer(0, kMostSegments),
              [](const R& run) {
                const bool all = run.segment == 0 && run.segments == R::kAllSegments;
                return all ? std::nullopt : std::optional<std::int64_t>(run.segment);
              },
              [](R& run, std::int64_t segment) { run.segment = static_cast<std::int32_t>(segment); },
              "Of each the segments from this one on; all where absent.")
          .Rule(
              [](const JsonReader& value, const R&, Context) {
                if (value.Find("segments")) (void)value.Get("segment");
              },
              R"({"dependentRequired": {"segments": ["segment"]}})")
          .Own(
              "segments", as::Integer(1, kMostSegments),
              [](const R& run) {
                const bool all = run.segments == R::kAllSegments;
                return all ? std::nullopt : std::optional<std::int64_t>(run.segments);
              },
              [](R& run, std::int64_t segments) { run.segments = static_cast<std::int32_t>(segments); },
              "So many; to the last where absent.");
  return fields;
}

const Fields<LayerPart>& LayerPartFields() {
  using P = LayerPart;
  static const auto fields =
      Fields<P>("plan_part", "Channels (axis 1 of the output) or rows (axis 2) from first to end - 1.")
          .Needed("axis", &P::axis, as::OneOf(kSplitAxisNames, "axis"))
          .Needed("first", &P::first, as::Integer(0, kMostRequests))
          .Rule([](const JsonReader& value, const P& part, Context) {
            (void)value.Get("end").Integer(part.first + 1, kMostRequests);
          })
          .Needed("end", &P::end, as::Integer(1, kMostRequests));
  return fields;
}

const Fields<CutPiece>& PieceFields() {
  static const auto fields =
      Fields<CutPiece>("plan_piece")
          .Needed("layers", &CutPiece::layers,
                  as::ListOf(LayerNamed(), {.least = 1, .few = "a segment needs at least one layer"}))
          .Optional("part", &CutPiece::part, as::ObjectOf(LayerPartFields()))
          .MustBeThere();
  return fields;
}

// A list of layers, or an object with these and a part.
CodecOf<CutPiece> Piece() {
  const auto layers = as::ListOf(LayerNamed(), {.least = 1, .few = "a segment needs at least one layer"});
  return as::Custom<CutPiece>(
      [layers](SchemaDefs& defs) {
        return as::AnyOfSchema({layers->Schema(defs), PieceFields().Schema(defs)});
      },
      [layers](const JsonReader& value, CutPiece& into, Context context) {
        if (value.IsObject()) {
          PieceFields().Read(value, into, context);
        } else {
          layers->Read(value, into.layers, context);
        }
      },
      [layers](const CutPiece& from, std::string& text, Context context) {
        if (from.part) {
          PieceFields().WriteAny(&from, text, context);
        } else {
          layers->Write(from.layers, text, context);
        }
      });
}

// "*": no pieces.
CodecOf<std::vector<CutPiece>> WholeOrPieces() {
  const auto pieces = as::ListOf(Piece());
  return as::Custom<std::vector<CutPiece>>(
      [pieces](SchemaDefs& defs) {
        return as::AnyOfSchema({SchemaNode(R"("const": "*")"), pieces->Schema(defs)});
      },
      [pieces](const JsonReader& value, std::vector<CutPiece>& into, Context context) {
        if (!value.IsString()) return pieces->Read(value, into, context);
        if (value.String() != "*") value.Fail("a list of segments, or \"*\" for the whole model");
      },
      [pieces](const std::vector<CutPiece>& from, std::string& text, Context context) {
        if (from.empty()) {
          text += "\"*\"";
        } else {
          pieces->Write(from, text, context);
        }
      });
}

Fields<ModelPieces> PiecesFields(std::string_view name, CodecOf<std::vector<CutPiece>> layers,
                                 std::string_view help) {
  using P = ModelPieces;
  return Fields<P>(name)
      .IsContext(&P::model)
      .Needed("model", &P::model, as::ModelNamed())
      .Needed("batch", &P::batch, as::Integer(1))
      .Needed("layers", &P::pieces, std::move(layers), help);
}

const Fields<ModelPieces>& SegmentsFields() {
  static const auto fields = PiecesFields(
      "plan_segments", WholeOrPieces(),
      "A list of segments, each a list of layers or, of a split, an object; \"*\": one segment.");
  return fields;
}

const Fields<ModelPieces>& ChosenCutFields() {
  static const auto fields =
      PiecesFields("plan_cut", as::ListOf(Piece()),
                   "All tasks of the model; those with the same layers are parts of one split. Layers that "
                   "cost nothing may be left out.");
  return fields;
}

const Fields<EdgeMode>& EdgeFields() {
  using E = EdgeMode;
  static const auto fields =
      Fields<E>("plan_edge")
          .IsContext(&E::model)
          .Needed("model", &E::model, as::ModelNamed())
          .Needed("batch", &E::batch, as::Integer(1))
          .Needed("from", &E::from, LayerNamed(), "The layer that makes the tensor.")
          .Optional("to", &E::to, LayerNamed(), "Where it is read; absent: back to the first memory.")
          .Needed("transfer", &E::mode, as::OneOf(kTransferModeNames, "transfer mode"));
  return fields;
}

// Null where nothing is cut otherwise than by the granularity.
template <class List>
void SetCuts(Decisions& decisions, List CutPlan::*member, List list) {
  auto cuts = decisions.cuts ? std::make_shared<CutPlan>(*decisions.cuts) : std::make_shared<CutPlan>();
  (*cuts).*member = std::move(list);
  if (!cuts->empty()) decisions.cuts = cuts;
}

SchemaNode OwnPolicySchema(SchemaDefs& defs) {
  return defs.Ref("own_policy", [&] {
    return PolicySchema(defs).Add("not", R"({"type": "object", "required": ["plan"]})");
  });
}

CodecOf<PolicySpec> OwnPolicy() {
  return as::Custom<PolicySpec>(
      OwnPolicySchema,
      [](const JsonReader& value, PolicySpec& into, Context context) {
        into = ReadOwnPolicy(value, context.As<Scenario>());
      },
      [](const PolicySpec& from, std::string& text, Context context) {
        text += PolicyJson(from, context.As<Scenario>());
      });
}

CodecOf<const PolicyDeclaration*> PolicyName() {
  return as::Custom<const PolicyDeclaration*>(
      [](SchemaDefs&) {
        std::vector<std::string_view> names;
        for (const PolicyDeclaration& policy : Policies()) names.push_back(policy.name);
        return as::EnumSchema(names);
      },
      [](const JsonReader& value, const PolicyDeclaration*& into, Context) {
        into = FindPolicy(value.String());
        if (!into) value.Fail("unknown policy " + Quoted(value.String()));
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
        return as::AnyOfSchema({OwnPolicySchema(defs), DecidedPolicyFields().Schema(defs)});
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
  for (const char* key : {"cuts", "edges"}) {
    if (const auto alone = root.Find(key)) alone->Fail("it needs a \"schedule\" or a \"rule\" beside it");
  }
  plan.policy = ReadOwnPolicy(policy, scenario);
}

constexpr std::string_view kDecidedSchema =
    R"({"if": {"anyOf": [{"required": ["schedule"]}, {"required": ["rule"]}]},)"
    R"( "then": {"properties": {"policy": {"$ref": "plan.schema.json#/$defs/decided_policy"}}},)"
    R"( "else": {"properties": {"policy": {"$ref": "plan.schema.json#/$defs/own_policy"}},)"
    R"( "not": {"anyOf": [{"required": ["cuts"]}, {"required": ["edges"]}]}}})";

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
                                         "Of what it said; a plan made from other numbers is refused.");
  return fields;
}

const Fields<PlanPrediction>& PredictionFields() {
  using P = PlanPrediction;
  static const auto fields = Fields<P>("plan_prediction")
                                 .Needed("engine", &P::engine, as::Name())
                                 .Optional("objective", &P::objective, as::Figure(0))
                                 .Needed("makespan_ns", &P::makespan, as::WholeNanos())
                                 .Optional("bound_ns", &P::bound, as::WholeNanos());
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

void ProfilesAreTheSame(const JsonReader& root, const PlanFile& file, Context) {
  const std::vector<Profile>& profiles = file.scenario.profiles;
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

const FileKindRegistration kPlanKind{{"plan/1", AsAnyFields<PlanFile, PlanFileFields>, JudgePlan}};

}  // namespace

PolicySpec ReadOwnPolicy(const JsonReader& value, const Scenario& scenario) {
  if (value.IsObject() && value.Find("plan")) value.Get("plan").Fail("a plan does not follow another plan");
  return ReadPolicy(value, scenario);
}

const Fields<Decisions>& RuleFields() {
  using D = Decisions;
  static const auto fields =
      Fields<D>()
          .Needed("granularity", &D::granularity, as::OneOf(kGranularityNames, "granularity"))
          .Own(
              "schedule", as::PerUnit(as::ListOf(as::ObjectOf(RunFields()))),
              [](const D& decisions) {
                return decisions.schedule ? std::optional(decisions.schedule->units) : std::nullopt;
              },
              [](D& decisions, std::vector<std::vector<ScheduledRun>> units) {
                decisions.schedule = std::make_shared<FixedSchedule>(FixedSchedule{std::move(units)});
              },
              "Per unit what it runs, in this order.")
          .Rule(
              [](const JsonReader& value, const D& decisions, Context) {
                const auto rule = value.Find("rule");
                if (rule && decisions.schedule) rule->Fail("a plan has a schedule or a rule");
              },
              R"({"not": {"required": ["schedule", "rule"]}})")
          .Own(
              "rule", OwnPolicy(),
              [](const D& decisions) {
                return decisions.rule ? std::optional(*decisions.rule) : std::nullopt;
              },
              [](D& decisions, PolicySpec rule) {
                decisions.rule = std::make_shared<PolicySpec>(std::move(rule));
              },
              "The policy that a search chose.");
  return fields;
}

const Fields<Decisions>& CutFields() {
  using D = Decisions;
  static const auto fields =
      Fields<D>()
          .Own(
              "cuts", as::ListOf(as::ObjectOf(ChosenCutFields())),
              [](const D& decisions) {
                return decisions.cuts ? std::optional(decisions.cuts->cuts) : std::nullopt;
              },
              [](D& decisions, std::vector<ModelPieces> cuts) {
                for (ModelPieces& cut : cuts) {
                  for (CutPiece& piece : cut.pieces) std::sort(piece.layers.begin(), piece.layers.end());
                }
                SetCuts(decisions, &CutPlan::cuts, std::move(cuts));
              },
              "Models that the plan cuts itself, not by the granularity.")
          .Own(
              "edges", as::ListOf(as::ObjectOf(EdgeFields())),
              [](const D& decisions) {
                return decisions.cuts ? std::optional(decisions.cuts->edges) : std::nullopt;
              },
              [](D& decisions, std::vector<EdgeMode> edges) {
                SetCuts(decisions, &CutPlan::edges, std::move(edges));
              },
              "Tensors that come otherwise than the scenario's transfer says; of several about one, the last "
              "counts.")
          .Optional("resident", &D::residents, as::PerUnit(as::Maybe(as::ListOf(as::ModelNamed()))),
                    "Per unit with a limit the models that it holds at the start.");
  return fields;
}

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
