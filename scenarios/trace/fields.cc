#include "scenarios/trace/fields.h"

#include "scenarios/trace/arrows.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostTracks = 1'000'000;
constexpr std::int64_t kMostIndex = std::int64_t{1} << 31;

// Strings that stay where they are: of the document that is read, of the writer.
CodecOf<std::string_view> View(CodecOf<std::string> like, bool is_name) {
  return as::Custom<std::string_view>(
      [like](SchemaDefs& defs) { return like->Schema(defs); },
      [is_name](const JsonReader& value, std::string_view& into, Context) {
        if (is_name) (void)value.Name();
        into = value.String();
      },
      [](std::string_view from, std::string& text, Context) { text += JsonString(from); });
}
CodecOf<std::string_view> AnyText() { return View(as::Text(), false); }
CodecOf<std::string_view> AName() { return View(as::Name(), true); }

CodecOf<std::string_view> Exactly(std::string_view word) {
  return as::Custom<std::string_view>(
      [word](SchemaDefs&) { return SchemaNode().AddString("const", word); },
      [word](const JsonReader& value, std::string_view& into, Context) {
        into = value.String();
        if (into != word) value.Fail("expected " + Quoted(word) + ", found " + Quoted(into));
      },
      [](std::string_view from, std::string& text, Context) { text += JsonString(from); });
}

// Microseconds, always with three decimals.
CodecOf<Nanos> ShownMicros() {
  return as::Custom<Nanos>(
      [](SchemaDefs& defs) { return as::Micros()->Schema(defs); },
      [](const JsonReader& value, Nanos& into, Context) { into = value.Micros(); },
      [](Nanos from, std::string& text, Context) {
        const std::string decimals = std::to_string(1000 + from.count() % 1000);
        text.append(std::to_string(from.count() / 1000)).append(1, '.').append(decimals, 1);
      });
}

Fields<EventHead> HeadFields(std::string_view phase, std::string_view help) {
  return Fields<EventHead>()
      .Needed("ph", &EventHead::phase, Exactly(phase), help)
      .Needed("pid", &EventHead::process, as::Integer(0, kMostTracks), "One for each run.")
      .Needed("tid", &EventHead::thread, as::Integer(0))
      .Needed("ts", &EventHead::at, ShownMicros());
}

template <class Args>
Fields<MetadataEvent<Args>> MetadataFields(std::string_view name, const Fields<Args>& args,
                                           std::string_view help) {
  using Event = MetadataEvent<Args>;
  return Fields<Event>()
      .Part(&Event::head, HeadFields("M", help))
      .Needed("name", &Event::name, Exactly(name))
      .Needed("args", &Event::args, as::ObjectOf(args));
}

const Fields<TraceEdge>& EdgeFields() {
  using E = TraceEdge;
  static const auto fields =
      Fields<E>(
          "trace_edge",
          "From the layer that makes it to one that reads it, or, without that, back to the first memory.")
          .Needed("model", &E::model, as::Name())
          .Needed("batch", &E::batch, as::Integer(1))
          .Needed("from", &E::from, as::Name())
          .Optional("to", &E::to, as::Name())
          .Needed("transfer", &E::mode, as::OneOf(kTransferModeNames, "transfer mode"));
  return fields;
}

const Fields<RequestArgs>& RequestFields() {
  using R = RequestArgs;
  static const auto fields = Fields<R>()
                                 .Needed("request", &R::request, AnyText())
                                 .Needed("stream", &R::stream, AName())
                                 .Needed("index", &R::index, as::Integer(0, kMostIndex));
  return fields;
}

CodecOf<RawLayers> Layers() {
  return as::Custom<RawLayers>(
      [](SchemaDefs& defs) { return LayersOrAll()->Schema(defs); },
      [](const JsonReader& value, RawLayers& into, Context) { into.read = value; },
      [](const RawLayers& from, std::string& text, Context) { text += from.written; });
}

void CheckPart(const JsonReader& args, const SegmentArgs& segment, Context) {
  if (!segment.axis) {
    for (const char* key : {"first", "end"}) {
      if (const auto alone = args.Find(key)) alone->Fail("\"axis\" has to stand beside it");
    }
    return;
  }
  args.Get("first");
  args.Get("end").Integer(*segment.first + 1, kMostIndex);
  if (segment.layers.read->IsString()) {
    args.Get("axis").Fail("a part is one of listed layers, not of a whole model");
  }
}

// The end is judged beside the first.
CodecOf<std::int64_t> EndOfPart() {
  return as::Custom<std::int64_t>(
      [](SchemaDefs& defs) { return as::Integer(1, kMostIndex)->Schema(defs); },
      [](const JsonReader& value, std::int64_t& into, Context) {
        into = value.Integer(std::numeric_limits<std::int64_t>::min());
      },
      [](std::int64_t from, std::string& text, Context) { text += std::to_string(from); });
}

const Fields<SegmentArgs>& SegmentFields() {
  using S = SegmentArgs;
  static const auto fields =
      Fields<S>()
          .Needed("model", &S::model, AName())
          .Needed("layers", &S::layers, Layers())
          .Optional("axis", &S::axis, as::OneOf(kSplitAxisNames, "axis"),
                    "The task makes a part of the layers' output: of")
          .Optional("first", &S::first, as::Integer(0, kMostIndex), "these from here")
          .Optional("end", &S::end, EndOfPart(), "to before here.")
          .Rule(CheckPart,
                R"({"dependentRequired": {"axis": ["first", "end"], "first": ["axis"], "end": ["axis"]}})");
  return fields;
}

void CheckTransfer(const JsonReader& args, const SpanArgs& span, Context) {
  if (span.kind != SpanKind::kTransfer && (span.kind != SpanKind::kLost || span.tensor.empty())) return;
  for (const char* key : {"tensor", "from", "to"}) args.Get(key);
}

const Fields<SpanArgs>& SpanArgsFields() {
  using S = SpanArgs;
  static const auto fields =
      Fields<S>()
          .Part(&S::request, RequestFields())
          .Part(&S::segment, SegmentFields())
          .Needed("kind", &S::kind, as::OneOf(kSpanKindNames, "kind"),
                  "lost: what was under way when its unit left; a copy where it names a tensor.")
          .Optional(
              "tensor", &S::tensor, AName(),
              "The layer that makes what is copied, \"conv1\", or a part of it, \"conv1 channels 0-31\".")
          .Optional("from", &S::from, AName())
          .Optional("to", &S::to, AName())
          .Rule(CheckTransfer, R"({"if": {"properties": {"kind": {"const": "transfer"}}}, )"
                               R"("then": {"required": ["tensor", "from", "to"]}, )"
                               R"("dependentRequired": {"tensor": ["from", "to"]}})")
          .Needed("release_ns", &S::release, as::WholeNanos())
          .Needed("ready_ns", &S::ready, as::WholeNanos())
          .Optional("taken_ns", &S::taken, as::WholeNanos(),
                    "When the task was given its slot, which it may hold before its first span begins.")
          .Needed("start_ns", &S::start, as::WholeNanos())
          .Needed("end_ns", &S::end, as::WholeNanos());
  return fields;
}

const Fields<DropArgs>& DropArgsFields() {
  using D = DropArgs;
  static const auto fields = Fields<D>()
                                 .Part(&D::request, RequestFields())
                                 .Needed("model", &D::model, AName())
                                 .Needed("kind", &D::kind, Exactly("dropped"))
                                 .Needed("release_ns", &D::release, as::WholeNanos())
                                 .Needed("at_ns", &D::at, as::WholeNanos());
  return fields;
}

const Fields<JoinArgs>& JoinArgsFields() {
  using J = JoinArgs;
  static const auto fields =
      Fields<J>()
          .Part(&J::request, RequestFields())
          .Needed("model", &J::model, AName())
          .Needed("kind", &J::kind, Exactly("joined"))
          .Needed("with", &J::with, as::Integer(0, kMostIndex), "The index of the one whose spans it shares.")
          .Optional("with_stream", &J::with_stream, AName(), "That one's stream, where it is another one.")
          .Needed("release_ns", &J::release, as::WholeNanos())
          .Needed("at_ns", &J::at, as::WholeNanos());
  return fields;
}

}  // namespace

const Fields<MetadataEvent<TraceProcess>>& ProcessFields() {
  static const auto args = Fields<TraceProcess>().Needed("name", &TraceProcess::name, as::Text());
  static const auto fields = MetadataFields("process_name", args, "The run's name.");
  return fields;
}

const Fields<MetadataEvent<TracedTrack>>& SlotFields() {
  using T = TracedTrack;
  static const auto args = Fields<T>()
                               .Needed("name", &T::name, as::Text())
                               .Needed("unit", &T::unit, as::Name())
                               .Needed("slot", &T::slot, as::Integer(0, kMostTracks));
  static const auto fields = MetadataFields("thread_name", args, "A track: a slot of a unit.");
  return fields;
}

const Fields<MetadataEvent<TracedTrack>>& EngineFields() {
  using T = TracedTrack;
  static const auto args = Fields<T>()
                               .Needed("name", &T::name, as::Text())
                               .Needed("from", &T::from, as::Name())
                               .Needed("to", &T::to, as::Name());
  static const auto fields = MetadataFields("thread_name", args, "A track: a copy engine.");
  return fields;
}

const Fields<MetadataEvent<TraceAbout>>& AboutFields() {
  using F = TraceRunFacts;
  using A = TraceAbout;
  static const auto first =
      Fields<F>()
          .Needed("policy", &F::policy, as::Name(), "Its label in the scenario.")
          .Needed("granularity", &F::granularity, as::OneOf(kGranularityNames, "granularity"))
          .Needed("engine", &F::engine, as::Name())
          .Needed("measured", &F::measured, as::Boolean())
          .Needed("sampled", &F::sampled, as::Boolean(), "Times are drawn from a profile's samples.")
          .Needed("seed", &F::seed, as::Unsigned());
  static const auto last =
      Fields<F>()
          .Optional("edges", &F::edges, as::ListOf(as::ObjectOf(EdgeFields())),
                    "Tensors that came otherwise than the scenario's transfer says.")
          .Optional("rule", &F::rule, as::Name(),
                    "The policy that a search took; absent where it made a schedule.")
          .Optional("disturbed", &F::disturbed, as::Boolean(),
                    "Others had the machine, by its own reading, or heat held its clocks "
                    "back: the run counts for nothing.");
  static const auto args = Fields<A>()
                               .Part(&A::facts, first)
                               .Needed("residents", &A::residents, ResidentsPerUnit(),
                                       "Per unit the models that it held at the start.")
                               .Part(&A::facts, last);
  static const auto fields = MetadataFields("tandem_run", args, "The run.");
  return fields;
}

const Fields<MetadataEvent<TraceEnd>>& EndFields() {
  static const auto args =
      Fields<TraceEnd>()
          .Needed("end_ns", &TraceEnd::end, as::WholeNanos())
          .Needed("complete", &TraceEnd::complete, as::Boolean(), "Else it was cut short.");
  static const auto fields = MetadataFields("tandem_end", args, "The run's end.");
  return fields;
}

const Fields<SpanEvent>& SpanFields() {
  using S = SpanEvent;
  static const auto fields =
      Fields<S>()
          .Part(&S::head,
                HeadFields("X", "A task, a copy or a load, for as long as it held its slot or copy engine."))
          .Needed("dur", &S::duration, ShownMicros())
          .Needed("name", &S::name, AnyText())
          .Optional("cat", &S::category, AnyText())
          .Needed("args", &S::args, as::ObjectOf(SpanArgsFields()));
  return fields;
}

const Fields<JoinEvent>& JoinFields() {
  using J = JoinEvent;
  static const auto fields =
      Fields<J>()
          .Part(&J::head, HeadFields("i", "A request that has ended, which ran at once with another one."))
          .Needed("name", &J::name, AnyText())
          .Optional("cat", &J::category, AnyText())
          .Optional("s", &J::scope, AnyText())
          .Needed("args", &J::args, as::ObjectOf(JoinArgsFields()));
  return fields;
}

const Fields<DropEvent>& DropFields() {
  using D = DropEvent;
  static const auto fields =
      Fields<D>()
          .Part(&D::head, HeadFields("i", "A request that was dropped: at its deadline, or for newer ones."))
          .Needed("name", &D::name, AnyText())
          .Optional("cat", &D::category, AnyText())
          .Optional("s", &D::scope, AnyText())
          .Needed("args", &D::args, as::ObjectOf(DropArgsFields()));
  return fields;
}

namespace {

constexpr std::int64_t kMostArrow = std::int64_t{1} << 53;

CodecOf<std::string_view> ArrowName() {
  std::string names;
  for (const auto& kind : kArrowKindNames) {
    names += (names.empty() ? "" : ", ") + JsonString(kind.name);
  }
  return as::Custom<std::string_view>(
      [names](SchemaDefs&) { return SchemaNode().Add("enum", "[" + names + "]"); },
      [](const JsonReader& value, std::string_view& into, Context context) {
        ArrowKind kind{};
        as::OneOf(kArrowKindNames, "arrow")->Read(value, kind, context);
        into = value.String();
      },
      [](std::string_view from, std::string& text, Context) { text += JsonString(from); });
}

Fields<ArrowEvent> ArrowFields(std::string_view phase, std::string_view help) {
  using A = ArrowEvent;
  return Fields<A>()
      .Part(&A::head, HeadFields(phase, help))
      .Needed("id", &A::id, as::Integer(0, kMostArrow), "The same of both ends, and of no other arrow.")
      .Needed("name", &A::name, ArrowName())
      .Needed("cat", &A::category, Exactly("arrow"));
}

void CheckCounter(const JsonReader& args, const CounterArgs& counter, Context) {
  const int values = counter.tasks.has_value() + counter.bytes.has_value() + counter.watts.has_value();
  if (values != 1) args.Fail("expected one of \"tasks\", \"bytes\" and \"watts\"");
}

}  // namespace

const Fields<ArrowEvent>& ArrowBeginFields() {
  static const auto fields = ArrowFields("s", "An arrow begins, at the start of a span.");
  return fields;
}

const Fields<ArrowEvent>& ArrowEndFields() {
  static const auto fields = ArrowFields("f", "It ends, at the start of a later span.")
                                 .Needed("bp", &ArrowEvent::binding, Exactly("e"));
  return fields;
}

const Fields<CounterEvent>& CounterFields() {
  using C = CounterArgs;
  constexpr double kMost = 1e18;
  static const auto args =
      Fields<C>()
          .Optional("tasks", &C::tasks, as::Number(0, kMost), "That are ready and have no slot yet, or")
          .Optional("bytes", &C::bytes, as::Number(0, kMost), "of weights and tensors in the memory, or")
          .Optional("watts", &C::watts, as::Number(0, kMost), "that the unit draws.")
          .Rule(CheckCounter,
                R"({"oneOf": [{"required": ["tasks"]}, {"required": ["bytes"]}, {"required": ["watts"]}]})");
  static const auto fields =
      Fields<CounterEvent>()
          .Part(&CounterEvent::head,
                HeadFields("C", "A counter, which keeps this value until its next event."))
          .Needed("name", &CounterEvent::name, AnyText(),
                  "\"waiting: UNIT\", \"memory: MEMORY\" or \"power: UNIT\".")
          .Needed("args", &CounterEvent::args, as::ObjectOf(args));
  return fields;
}

std::optional<double> CounterArgs::*ValueOf(CounterKind kind) {
  switch (kind) {
    case CounterKind::kWaiting:
      return &CounterArgs::tasks;
    case CounterKind::kMemory:
      return &CounterArgs::bytes;
    case CounterKind::kPower:
      break;
  }
  return &CounterArgs::watts;
}

CodecOf<std::vector<std::string>> LayersOrAll(CodecOf<std::string> name) {
  const auto schema = [name](SchemaDefs& defs) {
    const SchemaNode list = as::ListOf(name, {.least = 1})->Schema(defs);
    return SchemaNode().Add("anyOf", R"([{"const": "*"}, )" + list.Text() + "]");
  };
  const auto read = [name](const JsonReader& value, std::vector<std::string>& into, Context context) {
    into.clear();
    if (!value.IsString()) {
      as::ListOf(name, {.least = 1, .few = "expected at least one layer"})->Read(value, into, context);
    } else if (value.String() != "*") {
      value.Fail("expected \"*\" or a list of layers");
    }
  };
  return as::Custom<std::vector<std::string>>(
      schema, read, [](const std::vector<std::string>& layers, std::string& text, Context) {
        text += layers.empty() ? "\"*\"" : JsonStrings(layers);
      });
}

CodecOf<std::vector<UnitResidents>> ResidentsPerUnit() {
  const auto models = as::ListOf(as::Name());
  return as::Custom<std::vector<UnitResidents>>(
      [models](SchemaDefs& defs) { return as::MapSchema(models->Schema(defs)); },
      [models](const JsonReader& value, std::vector<UnitResidents>& into, Context context) {
        into.clear();
        for (const JsonReader unit : value.Members()) {
          models->Read(unit, into.emplace_back(UnitResidents{std::string(unit.key()), {}}).models, context);
        }
      },
      [](const std::vector<UnitResidents>& residents, std::string& text, Context) {
        JsonObject units;
        for (const UnitResidents& unit : residents) units.Add(unit.unit, JsonStrings(unit.models));
        text += units.Text();
      });
}

}  // namespace tandem
