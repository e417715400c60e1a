#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device/study/handover.h"
#include "profiles/base/decimal.h"
#include "profiles/base/figures.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// The lower one where the rank lies between two; 0 of none.
Nanos Quantile(std::vector<Nanos> samples, std::size_t percent) {
  if (samples.empty()) return Nanos{0};
  std::sort(samples.begin(), samples.end());
  return samples[(samples.size() - 1) * percent / 100];
}

std::string NameOfMode(const HandoverRow& row) {
  return row.mode ? std::string(NameOf(kHandoverModeNames, *row.mode)) : "none needed";
}

// The unit's row by copies, against which the others are set.
const HandoverRow* CopyRow(const HandoverResult& result) {
  for (const HandoverRow& row : result.rows) {
    if (row.mode == HandoverMode::kCopy && !row.samples.empty()) return &row;
  }
  return nullptr;
}

std::string TimeAgainst(const HandoverRow& row, const HandoverRow* copy) {
  if (!copy || row.samples.empty()) return "-";
  return Beyond(InMillis(Quantile(row.samples, 50)), InMillis(Quantile(copy->samples, 50)));
}

std::string EnergyAgainst(const HandoverRow& row, const HandoverRow* copy) {
  if (!copy || !row.joules || !copy->joules || row.sensors != copy->sensors) return "-";
  return Beyond(*row.joules, *copy->joules);
}

std::string Millijoules(const std::optional<double>& joules) {
  return joules ? DecimalText(std::llround(*joules * 1e6), 3) : "-";
}

Json Optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json OrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json RowJson(const HandoverRow& row) {
  Json json = {{"unit", row.unit}, {"mode", row.mode ? Json(NameOfMode(row)) : Json()}};
  const bool known = !row.samples.empty();
  for (const auto& [key, percent] :
       {std::pair{"median_ms", 50}, {"p10_ms", 10}, {"p90_ms", 90}, {"min_ms", 0}, {"max_ms", 100}}) {
    json[key] = known ? Json(InMillis(Quantile(row.samples, static_cast<std::size_t>(percent)))) : Json();
  }
  json["samples"] = row.samples.size();
  json["why_not"] = OrNull(row.why_not);
  json["energy_j"] = Optional(row.joules);
  json["energy_above_idle_j"] = Optional(row.above_idle);
  json["sensors"] = OrNull(row.sensors);
  json["why_no_energy"] = OrNull(row.why_no_energy);
  return json;
}

}  // namespace

std::string HandoverJson(const HandoverResult& result) {
  Json rows = Json::array();
  for (const HandoverRow& row : result.rows) rows.push_back(RowJson(row));
  Json json = {{"model", result.model},   {"platform", result.platform}, {"unit", result.unit},
               {"images", result.images}, {"complete", !result.stopped}, {"rows", std::move(rows)}};
  if (!result.warmth.heat.empty()) json["heat"] = result.warmth.heat;
  if (!result.warmth.held_back.empty()) json["held_back"] = result.warmth.held_back;
  return JsonOutput(json);
}

std::string HandoverText(const HandoverResult& result, std::size_t width) {
  Table table({{"unit"},
               {"hand-over"},
               {"ms an image", true},
               {"10 to 90 %", true},
               {"to copy", true},
               {"mJ an image", true},
               {"above idle", true},
               {"to copy", true}});
  const HandoverRow* copy = CopyRow(result);
  std::string notes;
  for (const HandoverRow& row : result.rows) {
    const bool known = !row.samples.empty();
    table.Add(
        {row.unit, NameOfMode(row), known ? kMillis.Text(Quantile(row.samples, 50)) : "-",
         known ? kMillis.Text(Quantile(row.samples, 10)) + " to " + kMillis.Text(Quantile(row.samples, 90))
               : "-",
         TimeAgainst(row, copy), Millijoules(row.joules), Millijoules(row.above_idle),
         EnergyAgainst(row, copy)});
    const std::string name = row.unit + ", " + NameOfMode(row) + ": ";
    if (!row.why_not.empty()) notes += Wrapped(name + row.why_not, width);
    if (!row.why_no_energy.empty()) notes += Wrapped(name + "no energy: " + row.why_no_energy, width);
    if (row.joules) notes += Wrapped(name + "energy by " + row.sensors, width);
  }
  return result.model + ", " + std::to_string(result.images) + " images one after the other; medians\n" +
         table.Text(width) + notes;
}

}  // namespace tandem
