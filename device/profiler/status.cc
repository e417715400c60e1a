#include "device/profiler/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "device/profiler/again.h"
#include "device/profiler/samples/statistics.h"
#include "profiles/base/figures.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

using StatusJson = nlohmann::ordered_json;

constexpr std::string_view kNoSource = "none of ";

std::vector<std::string> PrecisionsOf(const ProfileOrder& request, const Unit& unit) {
  const auto asked = request.variants.find(unit.name);
  return asked == request.variants.end() ? std::vector<std::string>{"fp32"} : asked->second;
}

bool IsToBeMeasured(const ProfileOrder& request, const Unit& unit) {
  const auto& names = request.units;
  if (!names.empty() && std::find(names.begin(), names.end(), unit.name) == names.end()) return false;
  return unit.backend != nullptr && unit.backend->Measurable();
}

void Count(const SampleSource& source, const ProfilerSamples& samples, ProfileStatusRow& row) {
  ++row.all;
  const auto found = samples.sources.find(source);
  if (found == samples.sources.end() || found->second.parts.empty()) {
    row.done += IsFinished(samples, NoSuchSource(source));
    return;
  }
  const std::vector<Nanos>& taken = found->second.parts.front().samples;
  row.done += found->second.done;
  row.begun += !found->second.done && !taken.empty();
  if (source.cut == ProfileCut::kWhole && !taken.empty())
    row.half_width = IntervalOfMedian(taken).HalfWidth();
}

std::string DoneText(const ProfileStatusRow& row) {
  return std::to_string(row.done) + " of " + std::to_string(row.all) +
         (row.begun > 0 ? ", " + std::to_string(row.begun) + " begun" : "");
}

}  // namespace

std::vector<ProfileStatusRow> StatusRowsOf(const ProfileOrder& request, const ProfilerSamples& samples) {
  std::vector<ProfileStatusRow> rows;
  for (const ProfiledModel& model : request.models) {
    for (const Unit& unit : request.platform.units) {
      if (!IsToBeMeasured(request, unit)) continue;
      for (const std::string& precision : PrecisionsOf(request, unit)) {
        ProfileStatusRow row{LabelOf(unit.name, precision), model};
        for (const ProfileCut cut : CutsOf(request)) {
          Count({model, unit.name, cut, ProfileManner::kWarm, precision}, samples, row);
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

ProfileStatus StatusOf(const ProfileOrder& request, const std::optional<ProfilerSamples>& samples,
                       bool done) {
  ProfileStatus status;
  if (!request.clock_states.empty()) status.state = request.clock_states[0].name;
  status.rows = StatusRowsOf(request, samples.value_or(ProfilerSamples()));
  if (samples) {
    const auto& finished = samples->finished;
    status.beside =
        static_cast<std::size_t>(std::count_if(finished.begin(), finished.end(), [](const auto& name) {
          return !name.starts_with(kNoSource) && !name.starts_with(kAgain);
        }));
  }
  for (ProfileStatusRow& row : status.rows) {
    if (!done) continue;
    row.done = row.all;
    row.begun = 0;
  }
  const bool begun = std::any_of(status.rows.begin(), status.rows.end(),
                                 [](const ProfileStatusRow& row) { return row.done + row.begun > 0; });
  status.progress = done ? ProfileProgress::kDone : begun ? ProfileProgress::kBegun : ProfileProgress::kLeft;
  return status;
}

std::string ProfileStatusText(const std::vector<ProfileStatus>& states, std::size_t width) {
  Table table({{"clock state", false, true},
               {"unit"},
               {"model", false, true},
               {"measured"},
               {"+-", true},
               {"all in all"}});
  std::size_t done = 0;
  for (const ProfileStatus& status : states) {
    done += status.progress == ProfileProgress::kDone;
    for (const ProfileStatusRow& row : status.rows) {
      table.Add({status.state.empty() ? "-" : status.state, row.unit, TextOf(row.model), DoneText(row),
                 row.half_width > 0 ? PercentInTenths(row.half_width) : "-",
                 std::string(NameOf(kProfileProgressNames, status.progress))});
    }
  }
  std::string text = table.Text(width);
  for (const ProfileStatus& status : states) {
    if (status.beside == 0) continue;
    text += (status.state.empty() ? "" : status.state + ": ") + std::to_string(status.beside) +
            " measurements of parts, beside others and under loads are done\n";
  }
  if (states.size() > 1) {
    text += std::to_string(done) + " of " + std::to_string(states.size()) + " clock states are done\n";
  }
  return text;
}

std::string ProfileStatusJson(const std::vector<ProfileStatus>& states) {
  StatusJson list = StatusJson::array();
  for (const ProfileStatus& status : states) {
    StatusJson rows = StatusJson::array();
    for (const ProfileStatusRow& row : status.rows) {
      rows.push_back({{"unit", row.unit},
                      {"model", row.model.model},
                      {"batch", row.model.batch},
                      {"done", row.done},
                      {"begun", row.begun},
                      {"all", row.all},
                      {"half_width", row.half_width > 0 ? StatusJson(row.half_width) : StatusJson()}});
    }
    list.push_back({{"state", status.state.empty() ? StatusJson() : StatusJson(status.state)},
                    {"status", NameOf(kProfileProgressNames, status.progress)},
                    {"beside", status.beside},
                    {"rows", std::move(rows)}});
  }
  return JsonOutput({{"states", std::move(list)}});
}

std::string NoSuchSource(const SampleSource& source) {
  return std::string(kNoSource) + TextOf(source.model) + " on " + LabelOf(source.unit, source.precision) +
         " in " + std::string(NameOf(kProfileCutNames, source.cut)) + ", " +
         std::string(NameOf(kProfileMannerNames, source.manner));
}

}  // namespace tandem
