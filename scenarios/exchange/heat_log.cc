#include "scenarios/exchange/heat_log.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using Figures = std::map<std::string, double> RunMoment::*;

// Who is told of at all.
std::vector<std::string> NamesIn(const std::vector<RunMoment>& moments, Figures figures) {
  std::set<std::string> names;
  for (const RunMoment& moment : moments) {
    for (const auto& [name, value] : moment.*figures) names.insert(name);
  }
  return {names.begin(), names.end()};
}

void CheckKnown(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                const std::string& file) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw InputError(file + ": tells no " + what + " of " + Quoted(name) + Suggestion(name, known));
}

// Of equals the first by name.
std::string ThatGrewMost(const std::vector<RunMoment>& moments, const std::string& file) {
  std::map<std::string, std::pair<double, double>> ranges;
  for (const RunMoment& moment : moments) {
    for (const auto& [zone, celsius] : moment.celsius) {
      auto& [low, high] = ranges.try_emplace(zone, celsius, celsius).first->second;
      low = std::min(low, celsius);
      high = std::max(high, celsius);
    }
  }
  if (ranges.empty()) throw InputError(file + ": tells no temperatures: the board has no thermal zones");
  const auto grew = [](const auto& zone) { return zone.second.second - zone.second.first; };
  return std::max_element(ranges.begin(), ranges.end(),
                          [&](const auto& a, const auto& b) { return grew(a) < grew(b); })
      ->first;
}

}  // namespace

std::vector<HeatLogRow> HeatLogOf(const RunAnswer& answer, const std::string& unit, const std::string& zone,
                                  const std::string& file) {
  const DeviceRun* longest = nullptr;
  for (const DeviceRun& run : answer.runs) {
    if (!longest || run.moments.size() > longest->moments.size()) longest = &run;
  }
  if (!longest || longest->moments.empty()) {
    throw InputError(file +
                     ": has no \"moments\" of any run: nothing on that device tells of clocks or heat");
  }
  const std::vector<RunMoment>& moments = longest->moments;
  CheckKnown("clock", unit, NamesIn(moments, &RunMoment::mhz), file);
  if (!zone.empty()) CheckKnown("temperature", zone, NamesIn(moments, &RunMoment::celsius), file);
  const std::string where = zone.empty() ? ThatGrewMost(moments, file) : zone;
  const std::string place = file + ":/runs/" + std::to_string(longest - answer.runs.data()) + "/moments/";
  std::vector<HeatLogRow> rows;
  for (std::size_t m = 0; m < moments.size(); ++m) {
    const auto clock = moments[m].mhz.find(unit);
    const auto celsius = moments[m].celsius.find(where);
    if (clock == moments[m].mhz.end() || celsius == moments[m].celsius.end() || clock->second <= 0) continue;
    const auto busy = moments[m].busy.find(unit);
    rows.push_back({InSeconds(moments[m].at), celsius->second, clock->second,
                    busy == moments[m].busy.end() ? 1 : busy->second, place + std::to_string(m),
                    busy != moments[m].busy.end()});
  }
  return rows;
}

}  // namespace tandem
