#include "sim/study/where_time_goes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/figures.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

constexpr std::size_t kMostPlaces = 12;
constexpr Nanos kLeastShown{500};

std::vector<std::int64_t> SlotsOf(const Problem& problem) {
  std::vector<std::int64_t> slots;
  for (const Unit& unit : problem.platform().units) slots.push_back(unit.slots);
  return slots;
}

std::vector<std::int32_t> SourcesOf(const Problem& problem, StreamId stream) {
  std::vector<std::int32_t> sources;
  for (const SegmentId source : problem.cut(stream).sources) sources.push_back(source.value);
  return sources;
}

// Signed; "0" for what the table cannot show.
std::string TimeChange(Nanos time) {
  return std::chrono::abs(time) < kLeastShown ? "0" : kMillis.Signed(time);
}

Table CauseTable() {
  return Table({{"ms", false, true},
                {"working", true},
                {"moving", true},
                {"input", true},
                {"held back", true},
                {"blocked", true},
                {"nothing", true}});
}

struct Shift {
  std::size_t unit = 0, model = 0;
  ModelShare before, after;
  Nanos size() const {
    const Nanos change = after.working - before.working;
    return change < Nanos{0} ? -change : change;
  }
};

}  // namespace

StoryOfRun::StoryOfRun(const Problem& problem)
    : problem_(&problem),
      time_(
          SlotsOf(problem),
          [&problem](std::int32_t segment, UnitId unit) {
            return problem.Runs(SegmentId(static_cast<std::size_t>(segment)), unit);
          },
          [&problem](StreamId stream) { return SourcesOf(problem, stream); }),
      models_(problem.units(), std::vector<ModelShare>(problem.scenario().models.size())) {}

void StoryOfRun::Add(const Span& span) {
  time_.Add(span);
  if (span.kind != SpanKind::kCompute || span.unit.index() >= models_.size()) return;
  const ModelId model = problem_->model_of(SegmentId(static_cast<std::size_t>(span.segment)));
  ModelShare& share = models_[span.unit.index()][model.index()];
  share.working += span.end - span.start;
  ++share.tasks;
}

std::vector<UnitStory> StoryOfRun::Result(const Outcome& outcome) const {
  const std::vector<UnitTime> times = time_.Result(outcome);
  std::vector<UnitStory> story;
  for (std::size_t u = 0; u < times.size(); ++u) {
    story.push_back({problem_->platform().units[u].name, times[u], models_[u]});
  }
  return story;
}

nlohmann::ordered_json StoryJson(const std::vector<UnitStory>& story, const Scenario& scenario) {
  using JsonTree = nlohmann::ordered_json;
  JsonTree units = JsonTree::array();
  for (const UnitStory& unit : story) {
    JsonTree json = {{"name", unit.unit}};
    for (std::size_t c = 0; c < kCauses; ++c) {
      json[std::string(kCauseNames[c]) + "_ns"] = unit.time.of[c].count();
    }
    json["models"] = JsonTree::array();
    for (std::size_t m = 0; m < unit.models.size(); ++m) {
      if (unit.models[m].tasks == 0) continue;
      json["models"].push_back({{"model", scenario.models[m].name},
                                {"tasks", unit.models[m].tasks},
                                {"working_ns", unit.models[m].working.count()}});
    }
    units.push_back(std::move(json));
  }
  return units;
}

std::string StoryTable(const std::vector<UnitStory>& story, std::size_t width) {
  Table table = CauseTable();
  for (const UnitStory& unit : story) {
    std::vector<std::string> row = {unit.unit};
    for (const Nanos time : unit.time.of) row.push_back(kMillis.Text(time));
    table.Add(std::move(row));
  }
  return table.Text(width);
}

std::string DifferenceTable(const std::vector<UnitStory>& story, const std::vector<UnitStory>& other,
                            const Scenario& scenario, std::size_t width) {
  Table causes = CauseTable();
  std::vector<Shift> shifts;
  for (std::size_t u = 0; u < story.size(); ++u) {
    std::vector<std::string> row = {story[u].unit};
    for (std::size_t c = 0; c < kCauses; ++c) {
      row.push_back(TimeChange(other[u].time.of[c] - story[u].time.of[c]));
    }
    causes.Add(std::move(row));
    for (std::size_t m = 0; m < story[u].models.size(); ++m) {
      const Shift shift{u, m, story[u].models[m], other[u].models[m]};
      if (shift.size() > Nanos{0}) shifts.push_back(shift);
    }
  }
  if (shifts.empty()) return causes.Text(width);
  std::stable_sort(shifts.begin(), shifts.end(),
                   [](const Shift& a, const Shift& b) { return a.size() > b.size(); });
  if (shifts.size() > kMostPlaces) shifts.resize(kMostPlaces);
  Table models(
      {{"unit", false, true}, {"model", false, true}, {"tasks", true}, {"instead of", true}, {"ms", true}});
  for (const Shift& shift : shifts) {
    models.Add({story[shift.unit].unit, scenario.models[shift.model].name, std::to_string(shift.after.tasks),
                std::to_string(shift.before.tasks), TimeChange(shift.after.working - shift.before.working)});
  }
  return causes.Text(width) + "\n" + models.Text(width);
}

}  // namespace tandem
