#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/base/json_output.h"
#include "profiles/base/json_write.h"
#include "sim/sweep/design.h"
#include "sim/sweep/effects.h"
#include "sim/sweep/json_values.h"
#include "sim/sweep/origins.h"
#include "sim/sweep/results.h"
#include "sim/sweep/told.h"

namespace tandem {
namespace {

using ResultJson = nlohmann::ordered_json;

constexpr std::size_t kMostBest = 10;

ResultJson KeysOfRows(const std::vector<SweepRow>& rows, const std::vector<std::size_t>& positions,
                      std::size_t most) {
  auto keys = ResultJson::array();
  for (std::size_t p = 0; p < std::min(positions.size(), most); ++p) keys.push_back(rows[positions[p]].key);
  return keys;
}

ResultJson EffectsJson(const std::vector<MainEffect>& effects) {
  auto list = ResultJson::array();
  for (const MainEffect& effect : effects) {
    list.push_back({{"axis", effect.factor},
                    {"share", effect.share},
                    {"best", effect.best},
                    {"best_mean", effect.best_mean},
                    {"worst", effect.worst},
                    {"worst_mean", effect.worst_mean}});
  }
  return list;
}

ResultJson WinnersJson(const std::vector<Winners>& winners) {
  auto list = ResultJson::array();
  for (const Winners& axis : winners) {
    auto reigns = ResultJson::array();
    for (const Reign& reign : axis.reigns) {
      ResultJson until = nullptr, policy = nullptr;
      if (reign.until) until = *reign.until;
      if (!reign.policy.empty()) policy = reign.policy;
      reigns.push_back({{"policy", policy}, {"first", reign.first}, {"last", reign.last}, {"until", until}});
      reigns.back()["values"] = reign.values;
      reigns.back()["told"] = reign.told;
      if (reign.probability) reigns.back()["probability"] = *reign.probability;
    }
    list.push_back({{"axis", axis.axis}, {"says", WinnersText(axis)}, {"reigns", std::move(reigns)}});
  }
  return list;
}

ResultJson OriginsJson(const std::vector<ProfileUsed>& profiles) {
  std::string text;
  UsedProfiles()->Write(profiles, text, {});
  return ResultJson::parse(text);
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// "makespan_low_ns": before the unit.
std::string WithWord(std::string_view figure, std::string_view word) {
  std::string_view unit;
  for (const std::string_view known : {"_ns", "_per_s", "_j"}) {
    if (figure.ends_with(known)) unit = known;
  }
  return std::string(figure.substr(0, figure.size() - unit.size())) + std::string(word) + std::string(unit);
}

std::string CsvLine(const Sweep& sweep, const SweepRow& row) {
  std::string line = row.key;
  for (const SweepAxis& axis : sweep.axes) line += "," + CsvField(PlainValue(row.point.at(axis.name)));
  line += "," + CsvField(row.policy) + "," + std::string(NameOf(kRowStatusNames, row.status)) + "," +
          CsvField(row.message);
  for (const std::string_view figure : RunFigureNames()) {
    const auto value = row.figures.find(std::string(figure));
    line += value == row.figures.end() ? "," : "," + JsonNumber(value->second);
  }
  if (!sweep.interval) return line + "\n";
  for (const std::string_view figure : DrawnFigureNames()) {
    const auto median = row.medians.find(std::string(figure));
    const auto ends = row.intervals.find(std::string(figure));
    const bool known = ends != row.intervals.end();
    line += median != row.medians.end() ? "," + JsonNumber(median->second) : ",";
    line += known ? "," + JsonNumber(ends->second[0]) + "," + JsonNumber(ends->second[1]) : ",,";
  }
  return line + "\n";
}

}  // namespace

std::string ResultsJson(const Sweep& sweep, const CollectedRows& collected,
                        const std::vector<std::string>& pareto) {
  const std::vector<SweepRow>& rows = collected.rows;
  const std::string figure(RunFigureOf(ObjectiveOfSweep(sweep)));
  auto list = ResultJson::array();
  for (const SweepRow& row : rows) list.push_back(ResultJson::parse(RowText(row)));
  ResultJson json = {{"tandem", "sweep_summary/1"}, {"name", sweep.name}, {"axes", ResultJson::array()}};
  for (const SweepAxis& axis : sweep.axes) json["axes"].push_back(axis.name);
  json["rows"] = std::move(list);
  json["missing"] = collected.missing;
  json["failed"] = collected.failed;
  const TimesOfSweep times = TimesOf(sweep);
  json["estimated"] = times.estimated;
  json["profiles"] = OriginsJson(times.profiles);
  json["objective"] = figure;
  if (sweep.interval) json["interval"] = *sweep.interval;
  const auto best = BestRows(sweep, rows, figure);
  json["compared_by"] = NameOf(kComparedByNames, HowCompared(sweep, rows, figure));
  json["best"] = KeysOfRows(rows, best, kMostBest);
  json["close"] = CountClose(rows, best, figure);
  if (!pareto.empty()) {
    json["front"] = pareto;  // its figures
    json["pareto"] = KeysOfRows(rows, ParetoFront(sweep, rows, pareto), rows.size());
  }
  json["effects"] = EffectsJson(MainEffects(sweep, rows, figure));
  json["winners"] = WinnersJson(WinnersAlong(sweep, rows, figure));
  return JsonOutput(json);
}

std::string RunsJson(const Sweep& sweep, const std::vector<SweepRun>& runs) {
  const SweepPoints points(sweep);
  auto list = ResultJson::array();
  for (const SweepRun& run : runs) {
    auto point = ResultJson::object();
    for (const auto& [name, value] : NamedValues(sweep, points.At(run.point))) {
      point[name] = ResultJson::parse(value);
    }
    list.push_back({{"key", run.key}, {"point", std::move(point)}, {"policy", run.policy}});
  }
  return JsonOutput({{"runs", std::move(list)}});
}

void WriteResultsCsv(const Sweep& sweep, const CollectedRows& collected, const std::filesystem::path& file) {
  FileWriter writer(file);
  std::string titles = "key";
  for (const SweepAxis& axis : sweep.axes) titles += "," + CsvField(axis.name);
  titles += ",policy,status,message";
  for (const std::string_view figure : RunFigureNames()) titles += "," + std::string(figure);
  if (sweep.interval) {
    for (const std::string_view figure : DrawnFigureNames()) {
      for (const std::string_view of : {"_median", "_low", "_high"}) titles += "," + WithWord(figure, of);
    }
  }
  writer.Append(titles + "\n");
  for (const SweepRow& row : collected.rows) writer.Append(CsvLine(sweep, row));
  writer.Commit();
}

}  // namespace tandem
