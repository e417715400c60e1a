#include "scenarios/exchange/run_answer.h"

#include <limits>

#include "profiles/base/json_write.h"

namespace tandem {
namespace {

constexpr std::string_view kAnswerKind = "run-result/1";
constexpr double kMostJoules = 1e15;
constexpr std::int64_t kLongest = kLongestTime.count();

std::string LibrariesJson(const std::map<std::string, std::string>& libraries) {
  JsonObject json;
  for (const auto& [name, version] : libraries) json.AddString(name, version);
  return json.Text();
}

std::string OutputsJson(const OutputCheck& outputs) {
  return JsonObject()
      .Add("checked", std::to_string(outputs.checked))
      .Add("wrong", std::to_string(outputs.wrong))
      .Add("unchecked", std::to_string(outputs.unchecked))
      // Outputs that are no numbers are infinitely wrong, which JSON cannot say.
      .Add("worst", outputs.worst < 1e300 ? JsonNumber(outputs.worst) : "null")
      .Add("tolerance", JsonNumber(outputs.tolerance))
      .Text();
}

std::string RunJson(const DeviceRun& run) {
  JsonObject json;
  json.Add("plan", std::to_string(run.plan))
      .AddString("policy", run.policy)
      .AddString("label", run.label)
      .Add("repeat", std::to_string(run.repeat))
      .Add("makespan_ns", std::to_string(run.makespan.count()));
  if (run.objective) json.Add("objective", JsonNumber(*run.objective));
  json.Add("complete", run.complete ? "true" : "false");
  if (!run.complete) json.AddString("failure", run.failure);
  const MeasuredEnergy& energy = run.energy;
  return json.Add("outputs", OutputsJson(run.outputs))
      .Add("energy_j", energy.joules ? JsonNumber(*energy.joules) : "null")
      .Add("energy_above_idle_j", energy.above_idle ? JsonNumber(*energy.above_idle) : "null")
      .Add("energy_why", energy.why.empty() ? "null" : JsonString(energy.why))
      .Add("energy_by", energy.by.empty() ? "null" : JsonString(energy.by))
      .Add("late_releases", std::to_string(run.late_releases))
      .Add("dispatch_ns", std::to_string(run.dispatch.count()))
      .Text();
}

OutputCheck ReadOutputs(const JsonReader& value) {
  value.OnlyKeys({"checked", "wrong", "unchecked", "worst", "tolerance"});
  OutputCheck outputs;
  outputs.checked = value.Get("checked").Integer(0);
  outputs.wrong = value.Get("wrong").Integer(0, outputs.checked);
  outputs.unchecked = value.Get("unchecked").Integer(0);
  const JsonReader worst = value.Get("worst");
  outputs.worst = worst.kind() == JsonKind::kNull ? std::numeric_limits<double>::infinity() : worst.Number(0);
  if (const auto tolerance = value.Find("tolerance")) outputs.tolerance = tolerance->Number(0);
  return outputs;
}

// Devices of before there were sensors say nothing of energy.
MeasuredEnergy ReadEnergy(const JsonReader& run) {
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto value = run.Find(key);
    if (!value || value->kind() == JsonKind::kNull) return std::nullopt;
    return value->Number(-kMostJoules, kMostJoules);
  };
  const auto text = [&](const char* key) -> std::string {
    const auto value = run.Find(key);
    return value && value->kind() != JsonKind::kNull ? std::string(value->String()) : "";
  };
  return {number("energy_j"), number("energy_above_idle_j"), text("energy_why"), text("energy_by")};
}

DeviceRun ReadRun(const JsonReader& value) {
  value.OnlyKeys({"plan", "policy", "label", "repeat", "makespan_ns", "objective", "complete", "failure",
                  "outputs", "energy_j", "energy_above_idle_j", "energy_why", "energy_by", "late_releases",
                  "dispatch_ns"});
  DeviceRun run;
  run.plan = static_cast<std::size_t>(value.Get("plan").Integer(0));
  run.policy = value.Get("policy").Name();
  run.label = value.Get("label").Name();
  run.repeat = value.Get("repeat").Integer(0);
  run.makespan = Nanos{value.Get("makespan_ns").Integer(0, kLongest)};
  if (const auto objective = value.Find("objective")) run.objective = objective->Number(0);
  run.complete = value.Get("complete").Boolean();
  if (const auto failure = value.Find("failure")) {
    if (run.complete) failure->Fail("a run that is complete has not failed");
    run.failure = failure->String();
  }
  run.outputs = ReadOutputs(value.Get("outputs"));
  run.energy = ReadEnergy(value);
  run.late_releases = value.Get("late_releases").Integer(0);
  run.dispatch = Nanos{value.Get("dispatch_ns").Integer(0, kLongest)};
  return run;
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

}  // namespace

std::string RunAnswerJson(const RunAnswer& result) {
  std::string text = "{\"tandem\": \"" + std::string(kAnswerKind) + "\",\n \"host\": " + JsonString(result.host) +
                     ",\n \"date\": " + JsonString(result.date) +
                     ",\n \"libraries\": " + LibrariesJson(result.libraries) +
                     ",\n \"forced\": " + (result.forced ? "true" : "false") +
                     ",\n \"warnings\": " + JsonStrings(result.warnings) + ",\n \"runs\": [";
  for (std::size_t r = 0; r < result.runs.size(); ++r) {
    text += (r == 0 ? "\n  " : ",\n  ") + RunJson(result.runs[r]);
  }
  text += "]";
  if (!result.reports.empty()) text += ",\n \"reports\": " + result.reports;
  if (!result.trace.empty()) text += ",\n \"trace\": " + result.trace;
  return text + "}\n";
}

RunAnswer ReadRunAnswer(const JsonReader& root) {
  ExpectFileKind(root, kAnswerKind);
  root.OnlyKeys({"tandem", "host", "date", "libraries", "forced", "warnings", "runs", "reports", "trace"});
  RunAnswer result;
  result.host = root.Get("host").String();
  result.date = root.Get("date").String();
  for (const JsonReader version : root.Get("libraries").Members()) {
    result.libraries[std::string(version.key())] = version.String();
  }
  result.forced = root.Get("forced").Boolean();
  for (const JsonReader warning : root.Get("warnings").Elements()) {
    result.warnings.emplace_back(warning.String());
  }
  for (const JsonReader run : root.Get("runs").Elements()) result.runs.push_back(ReadRun(run));
  if (const auto reports = root.Find("reports")) {
    if (reports->size() != result.runs.size()) reports->Fail("one report for each of the runs");
    AppendText(*reports, result.reports);
  }
  if (const auto trace = root.Find("trace")) {
    ExpectFileKind(*trace, "trace/1");
    AppendText(*trace, result.trace);
  }
  return result;
}

}  // namespace tandem
