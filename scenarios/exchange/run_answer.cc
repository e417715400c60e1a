#include "scenarios/exchange/run_answer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr double kMostJoules = 1e15;
constexpr double kMostDegrees = 1000;

// Outputs that are no numbers are infinitely wrong, which JSON cannot say.
CodecOf<double> WorstError() {
  return as::Custom<double>(
      R"("anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}])",
      [](const JsonReader& value, double& into, Context) {
        into = value.kind() == JsonKind::kNull ? std::numeric_limits<double>::infinity() : value.Number(0);
      },
      [](double from, std::string& text, Context) { text += from < 1e300 ? JsonNumber(from) : "null"; });
}

// Nothing is an empty text here and null in the file.
CodecOf<std::string> TextOrNull() {
  return as::Custom<std::string>(R"("type": ["string", "null"])",
                                 [](const JsonReader& value, std::string& into, Context) {
                                   into = value.kind() == JsonKind::kNull ? "" : std::string(value.String());
                                 },
                                 [](const std::string& from, std::string& text, Context) {
                                   text += from.empty() ? "null" : JsonString(from);
                                 });
}

CodecOf<std::size_t> Position() {
  return as::Custom<std::size_t>(
      R"("type": "integer", "minimum": 0)",
      [](const JsonReader& value, std::size_t& into, Context) {
        into = static_cast<std::size_t>(value.Integer(0));
      },
      [](std::size_t from, std::string& text, Context) { text += std::to_string(from); });
}

const Fields<OutputCheck>& OutputFields() {
  using O = OutputCheck;
  static const auto fields =
      Fields<O>(
          "run_outputs",
          "Requests whose outputs were compared with those of one unit that runs the whole model alone.")
          .Needed("checked", &O::checked, as::Integer(0))
          .Needed("wrong", &O::wrong, as::Integer(0))
          .Rule([](const JsonReader& value, const O& outputs, Context) {
            (void)value.Get("wrong").Integer(0, outputs.checked);
          })
          .Needed("unchecked", &O::unchecked, as::Integer(0))
          .Needed("worst", &O::worst, WorstError(),
                  "The largest relative error in the l2 norm; null: some are no numbers.")
          .Optional("tolerance", &O::tolerance, as::Number(0),
                    "The error up to which outputs are right, of the requests that units of the least "
                    "precision ran.")
          .Always();
  return fields;
}

// Devices of before there were sensors say nothing of energy.
const Fields<MeasuredEnergy>& EnergyFields() {
  using E = MeasuredEnergy;
  const auto joules = as::OrNull(as::Number(-kMostJoules, kMostJoules));
  static const auto fields =
      Fields<E>()
          .Optional("energy_j", &E::joules, joules, "What the units drew, by the board's sensors.")
          .Always()
          .Optional("energy_above_idle_j", &E::above_idle, joules,
                    "The same without what they draw while nothing runs.")
          .Always()
          .Optional("energy_why", &E::why, TextOrNull(), "Why there is no energy.")
          .Always()
          .Optional("energy_by", &E::by, TextOrNull(), "The sensors.")
          .Always();
  return fields;
}

void CompleteHasNotFailed(const JsonReader& value, const DeviceRun& run, Context) {
  const auto failure = value.Find("failure");
  if (failure && run.complete) failure->Fail("a run that is complete has not failed");
}

const Fields<YardstickReadings>& YardstickFields() {
  using Y = YardstickReadings;
  static const auto fields = Fields<Y>("run_yardstick")
                                 .Needed("before", &Y::before, as::WholeNanos())
                                 .Needed("after", &Y::after, as::WholeNanos());
  return fields;
}

const Fields<RunMoment>& MomentFields() {
  using M = RunMoment;
  const auto figures = as::MapOf(as::Number(0));
  static const auto fields =
      Fields<M>("run_moment")
          .Needed("at_ns", &M::at, as::WholeNanos(), "Since the run began.")
          .Optional("celsius", &M::celsius, as::MapOf(as::Number(-kMostDegrees, kMostDegrees)),
                    "Degrees of the board's thermal zones, and of cards.")
          .Optional(
              "mhz", &M::mhz, figures,
              "Clocks of units, of their cores that of the slowest, and of what else the kernel scales.")
          .Optional("busy", &M::busy, as::MapOf(as::Number(0, 1)),
                    "The share of the time since the moment before that each unit worked.")
          .Optional("held_back", &M::held_back, as::Boolean(),
                    "Clocks were, for the heat, by the kernel's cooling devices or a board's firmware.");
  return fields;
}

void MomentsAscend(const JsonReader& value, const DeviceRun& run, Context) {
  if (run.moments.empty()) return;
  Nanos last{-1};
  std::size_t m = 0;
  for (const JsonReader moment : value.Get("moments").Elements()) {
    const Nanos at = run.moments[m++].at;
    if (at <= last) moment.Get("at_ns").Fail("moments ascend, and this one is no later than the one before");
    last = at;
  }
}

const Fields<DeviceRun>& RunFields() {
  using R = DeviceRun;
  static const auto fields =
      Fields<R>("run_result_run")
          .Needed("plan", &R::plan, Position(), "Its position in the request.")
          .Needed("policy", &R::policy, as::Name())
          .Needed("label", &R::label, as::Name())
          .Needed("repeat", &R::repeat, as::Integer(0))
          .Needed("makespan_ns", &R::makespan, as::WholeNanos())
          .Optional("objective", &R::objective, as::Number(0),
                    "In the objective's unit; absent where the run cannot tell.")
          .Optional(
              "limits_excess", &R::excess, as::Number(0),
              "By how much the run breaks the scenario's limits, each as a share of itself, all together; "
              "absent where there are none.")
          .Needed("complete", &R::complete, as::Boolean(), "Else it was cut short.")
          .Rule(
              CompleteHasNotFailed,
              R"({"if": {"properties": {"complete": {"const": true}}}, "then": {"not": {"required": ["failure"]}}})")
          .Own(
              "failure", as::Text(),
              [](const R& run) { return run.complete ? std::nullopt : std::optional(run.failure); },
              [](R& run, std::string failure) { run.failure = std::move(failure); }, "Why it was.")
          .Needed("outputs", &R::outputs, as::ObjectOf(OutputFields()))
          .Part(&R::energy, EnergyFields())
          .Needed("late_releases", &R::late_releases, as::Integer(0),
                  "Requests handed out later than 1 ms after they were due, though a unit for them was idle.")
          .Needed("dispatch_ns", &R::dispatch, as::WholeNanos(),
                  "Median time from the end of one task to the start of the next on the same unit.")
          .Optional("tries", &R::tries, as::Integer(1), "The least disturbed of so many.")
          .Optional(
              "taken", &R::taken, as::Number(0),
              "The part of the time of the plan's cores that others had: the host of a virtual machine, "
              "other processes.")
          .Optional("yardsticks_ns", &R::yardsticks, as::MapOf(as::ObjectOf(YardstickFields())),
                    "Per unit what its yardstick took just before the run and just after it.")
          .Optional("heat", &R::heat, as::MapOf(as::Text()),
                    "Degrees Celsius of the board's thermal zones, just before the run and just after it.")
          .Optional(
              "held_back", &R::held_back, as::Text(),
              "What held clocks back for the heat, by the kernel's cooling devices or a board's firmware.")
          .Optional("moments", &R::moments, as::ListOf(as::ObjectOf(MomentFields())),
                    "What sensors told of clocks and heat while it was under way, ascending in time; absent "
                    "where there are none. `tandem profiles heat` reads them.")
          .Rule(MomentsAscend)
          .Optional("disturbed", &R::disturbed, as::Boolean(),
                    "Others had more than 1 % of the time, a yardstick was 8 % or more off what its "
                    "profile says, or clocks were held back for the heat.");
  return fields;
}

// The value as JSON again.
void AppendText(const JsonReader& value, std::string& text) {
  const auto append_children = [&](char open, char close) {
    text += open;
    bool first = true;
    for (const JsonReader child : value.kind() == JsonKind::kObject ? value.Members() : value.Elements()) {
      if (!first) text += open == '{' ? ", " : ",\n";
      first = false;
      if (open == '{') text += JsonString(child.key()) + ": ";
      AppendText(child, text);
    }
    text += close;
  };
  switch (value.kind()) {
    case JsonKind::kNull:
      text += "null";
      return;
    case JsonKind::kFalse:
      text += "false";
      return;
    case JsonKind::kTrue:
      text += "true";
      return;
    case JsonKind::kInteger:
      text += std::to_string(value.Integer(std::numeric_limits<std::int64_t>::min()));
      return;
    case JsonKind::kDecimal:
      text += JsonNumber(value.Number(std::numeric_limits<double>::lowest()));
      return;
    case JsonKind::kString:
      text += JsonString(value.String());
      return;
    case JsonKind::kArray:
      append_children('[', ']');
      return;
    case JsonKind::kObject:
      append_children('{', '}');
      return;
  }
}

// What another kind says in place, kept as text.
CodecOf<std::string> InPlace(const char* schema) {
  return as::Custom<std::string>(
      schema,
      [](const JsonReader& value, std::string& into, Context) {
        into.clear();
        AppendText(value, into);
      },
      [](const std::string& from, std::string& text, Context) { text += from; });
}

void OneReportEach(const JsonReader& value, const RunAnswer& result, Context) {
  const auto reports = value.Find("reports");
  if (reports && reports->size() != result.runs.size()) reports->Fail("one report for each of the runs");
}

void TraceIsOne(const JsonReader& value, const RunAnswer&, Context) {
  if (const auto trace = value.Find("trace")) ExpectFileKind(*trace, "trace/1");
}

const Fields<RunAnswer>& AnswerFields() {
  using A = RunAnswer;
  static const auto fields =
      Fields<A>("run_result", "what `tandem-device run --json` prints")
          .Kind("run-result/1")
          .Needed("host", &A::host, as::Text())
          .Needed("date", &A::date, as::Text())
          .Needed("libraries", &A::libraries, as::MapOf(as::Text()))
          .Needed("forced", &A::forced, as::Boolean(),
                  "Plans made for another machine, or other library versions.")
          .Needed("warnings", &A::warnings, as::ListOf(as::Text()))
          .Needed("runs", &A::runs, as::ListOf(as::ObjectOf(RunFields())), "In the order in which they ran.")
          .Rule(OneReportEach)
          .Optional("reports", &A::reports,
                    InPlace(R"("type": "array", "items": {"$ref": "report.schema.json"})"),
                    "One for each of the runs.")
          .Rule(TraceIsOne)
          .Optional("trace", &A::trace, InPlace(R"("$ref": "trace.schema.json")"),
                    "Of all runs, in their order.");
  return fields;
}

// What another room reads is judged as a file of its own would be.
void JudgeAsFile(const JsonReader& value, std::string_view kind) {
  for (const FileKindDeclaration& declared : FileKinds()) {
    if (declared.kind == kind && declared.judge != nullptr) declared.judge(value);
  }
}

void JudgeReport(const JsonReader& report, const DeviceRun& run) {
  ExpectFileKind(report, "report/1");
  const JsonReader label = report.Get("label");
  if (label.String() != run.label) label.Fail("the run is of " + Quoted(run.label));
  (void)report.Get("makespan_ns").Integer(0);
  for (const char* list : {"streams", "units"}) {
    for (const JsonReader of_one : report.Get(list).Elements()) (void)of_one.Get("name").String();
  }
}

std::string JudgeAnswer(const JsonReader& root) {
  const RunAnswer result = ReadJudgedRunAnswer(root);
  return Counted(static_cast<std::int64_t>(result.runs.size()), "run") + " on " + result.host;
}

const FileKindRegistration kAnswerKind{
    {"run-result/1", AsAnyFields<RunAnswer, AnswerFields>, JudgeAnswer, std::size_t{512} << 20}};

// JSON texts as the first of them with the lists under `key` of all (the texts themselves where there is no
// key) one after the other. Empty ones have none.
std::string JoinLists(const std::vector<std::string>& texts, const char* key) {
  nlohmann::ordered_json joined;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    nlohmann::ordered_json part = nlohmann::ordered_json::parse(text);
    if (joined.is_null()) {
      joined = std::move(part);
      continue;
    }
    auto& into = key == nullptr ? joined : joined[key];
    for (auto& element : key == nullptr ? part : part[key]) into.push_back(std::move(element));
  }
  return joined.is_null() ? "" : JsonOutput(joined);
}

}  // namespace

std::string RunAnswerJson(const RunAnswer& result) { return AnswerFields().File(result); }

RunAnswer ReadRunAnswer(const JsonReader& root) { return AnswerFields().Read(root); }

RunAnswer ReadJudgedRunAnswer(const JsonReader& root) {
  RunAnswer result = ReadRunAnswer(root);
  if (const auto trace = root.Find("trace")) JudgeAsFile(*trace, "trace/1");
  if (const auto reports = root.Find("reports")) {
    auto run = result.runs.begin();  // OneReportEach
    for (const JsonReader report : reports->Elements()) JudgeReport(report, *run++);
  }
  return result;
}

std::string RunRecord(const RunAnswer& result) { return RunAnswerJson(result) + kEndOfRunRecord; }

std::vector<std::string_view> RunRecords(std::string_view output) {
  if (output.find(kEndOfRunRecord) == std::string_view::npos) return {output};
  std::vector<std::string_view> records;
  std::size_t from = 0;
  for (std::size_t end; (end = output.find(kEndOfRunRecord, from)) != std::string_view::npos;
       from = end + 1) {
    records.push_back(output.substr(from, end - from));
  }
  return records;
}

RunAnswer JoinRuns(std::vector<RunAnswer> answers) {
  RunAnswer joined = std::move(answers.front());
  if (answers.size() == 1) return joined;
  std::vector<std::string> reports = {joined.reports}, traces = {joined.trace};
  for (auto answer = answers.begin() + 1; answer != answers.end(); ++answer) {
    std::move(answer->runs.begin(), answer->runs.end(), std::back_inserter(joined.runs));
    for (const std::string& warning : answer->warnings) {
      const auto& known = joined.warnings;
      if (std::find(known.begin(), known.end(), warning) == known.end()) joined.warnings.push_back(warning);
    }
    reports.push_back(std::move(answer->reports));
    traces.push_back(std::move(answer->trace));
  }
  joined.reports = JoinLists(reports, nullptr);
  joined.trace = JoinLists(traces, "traceEvents");
  return joined;
}

}  // namespace tandem
