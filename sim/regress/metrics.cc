#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/figures.h"
#include "profiles/base/json_output.h"
#include "profiles/base/printable.h"
#include "sim/regress/reports.h"

namespace tandem {
namespace {

constexpr int kDecimals = 9;  // nanoseconds in seconds

// What stands for a figure's kind: "tandem_p99_latency_seconds".
struct Family {
  std::string name, unit;
  double scale = 1;
};

Family FamilyOf(const FigureKind& kind) {
  const std::string name = "tandem_" + std::string(kind.name);
  if (kind.unit == "ns") return {name.substr(0, name.size() - 3) + "_seconds", "seconds", 1e-9};
  if (kind.unit == "J") return {name.substr(0, name.size() - 2) + "_joules", "joules"};
  if (kind.unit == "requests") return {name + "_requests", "requests"};
  return {name, ""};
}

std::string LabelText(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '\n') {
      escaped += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string LabelsOf(const FigureChange& change) {
  std::string labels;
  const auto add = [&](std::string_view name, std::string_view text) {
    labels += (labels.empty() ? "" : ",") + std::string(name) + "=\"" + LabelText(text) + "\"";
  };
  add("baseline", change.baseline);
  add("scenario", change.scenario);
  add("policy", change.policy);
  add("engine", change.engine);
  add("seed", std::to_string(change.seed));
  if (!change.figure.stream.empty()) add("stream", change.figure.stream);
  return "{" + labels + "}";
}

// 1 where the policy is among those that win.
std::optional<double> NumberNow(const FigureChange& change) {
  if (const auto* number = std::get_if<double>(&change.after)) return *number;
  const auto* const winner = std::get_if<std::string>(&change.after);
  if (!winner) return std::nullopt;
  const bool wins = (", " + *winner + ", ").find(", " + change.policy + ", ") != std::string::npos;
  return wins ? 1.0 : 0.0;
}

std::string RangeOf(const FigureChange& change) {
  return change.allowed ? "\u00b1 " + change.allowed->Text() : "any";
}

}  // namespace

std::string OpenMetrics(const Regression& regression) {
  std::string text;
  for (const FigureKind& kind : FigureKinds()) {
    const Family family = FamilyOf(kind);
    std::set<std::string> seen;  // two baselines may hold the same
    std::string samples;
    for (const FigureChange& change : regression.figures) {
      const auto value = NumberNow(change);
      if (change.figure.kind != &kind || !value) continue;
      const std::string labels = LabelsOf(change);
      if (!seen.insert(labels).second) continue;
      samples += family.name + labels + " " + Fixed(*value * family.scale, kDecimals) + "\n";
    }
    if (samples.empty()) continue;
    text += "# TYPE " + family.name + " gauge\n";
    if (!family.unit.empty()) text += "# UNIT " + family.name + " " + family.unit + "\n";
    text += "# HELP " + family.name + " " + Words(family.name) + ", as simulated\n" + samples;
  }
  return text + "# EOF\n";
}

std::string BenchmarkJson(const Regression& regression) {
  auto list = nlohmann::ordered_json::array();
  for (const FigureChange& change : regression.figures) {
    const auto* const value = std::get_if<double>(&change.after);
    if (!value || change.figure.kind->better != Better::kLower) continue;
    const std::string unit(change.figure.kind->unit.empty() ? "ratio" : change.figure.kind->unit);
    list.push_back({{"name", change.Text()}, {"unit", unit}, {"value", *value}, {"range", RangeOf(change)}});
  }
  return JsonOutput(list);
}

std::string CtestMeasurements(const Regression& regression) {
  std::string text;
  for (const FigureChange& change : regression.figures) {
    const auto* const value = std::get_if<double>(&change.after);
    if (!value) continue;
    // CTest looks for the name between quotes and knows no escapes.
    std::string name = PrintableLine(change.Text());
    const auto unsaid = [](char c) {
      return static_cast<unsigned char>(c) < ' ' ||
             std::string_view("\"<>&").find(c) != std::string_view::npos;
    };
    std::replace_if(name.begin(), name.end(), unsaid, '_');
    text += "<CTestMeasurement type=\"numeric/double\" name=\"" + name + "\">" + Fixed(*value, kDecimals) +
            "</CTestMeasurement>\n";
  }
  return text;
}

}  // namespace tandem
