// What a plan has decided.
#include <algorithm>

#include "scenarios/scenario/named_codecs.h"
#include "scenarios/scenario/parts.h"
#include "scenarios/scenario/plan_fields.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostSegments = std::int64_t{1} << 20;

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

}  // namespace

const Fields<ModelPieces>& SegmentsFields() {
  static const auto fields = PiecesFields(
      "plan_segments", WholeOrPieces(),
      "A list of segments, each a list of layers or, of a split, an object; \"*\": one segment.");
  return fields;
}

CodecOf<PolicySpec> OwnPolicy() {
  return as::Custom<PolicySpec>(
      [](SchemaDefs& defs) {
        return defs.Ref("own_policy", [&] {
          return PolicySchema(defs).Add("not", R"({"type": "object", "required": ["plan"]})");
        });
      },
      [](const JsonReader& value, PolicySpec& into, Context context) {
        if (value.IsObject() && value.Find("plan")) {
          value.Get("plan").Fail("a plan does not follow another plan");
        }
        into = ReadPolicy(value, context.As<Scenario>());
      },
      [](const PolicySpec& from, std::string& text, Context context) {
        text += PolicyJson(from, context.As<Scenario>());
      });
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
          .Own(
              "slack_us", as::Micros(),
              [](const D& decisions) {
                return decisions.schedule ? decisions.schedule->slack : std::nullopt;
              },
              [](D& decisions, Nanos slack) {
                FixedSchedule with;
                if (decisions.schedule) with = *decisions.schedule;
                with.slack = slack;
                decisions.schedule = std::make_shared<FixedSchedule>(std::move(with));
              },
              "A unit whose next task is not ready takes the first of its order that is, where that ends no "
              "later than this after the other can be expected; absent: it waits.")
          .Rule(
              [](const JsonReader& value, const D&, Context) {
                if (value.Find("slack_us")) (void)value.Get("schedule");
              },
              R"({"dependentRequired": {"slack_us": ["schedule"]}})")
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
              "The policy that a search chose.")
          .Own(
              "search", as::ObjectOf(SearchStoryFields()),
              [](const D& decisions) {
                return decisions.search ? std::optional(*decisions.search) : std::nullopt;
              },
              [](D& decisions, SearchStory story) {
                decisions.search = std::make_shared<SearchStory>(std::move(story));
              });
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

}  // namespace tandem
