#include "sim/study/where_time_goes.h"

#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/files.h"
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

std::vector<ModelShare> SharesOf(const Scenario& scenario) {
  std::vector<ModelShare> shares;
  for (const ScenarioModel& model : scenario.models) shares.push_back({.model = model.name});
  return shares;
}

// Signed; "0" for what the table cannot show.
std::string TimeChange(Nanos time) {
  return std::chrono::abs(time) < kLeastShown ? "0" : kMillis.Signed(time);
}

// Of units that leave only where any does.
std::vector<std::size_t> CausesShown(const std::vector<UnitStory>& story) {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < kCauses; ++c) {
    const bool always = c < static_cast<std::size_t>(Cause::kLost);
    const auto any = [&](const UnitStory& unit) { return unit.time.of[c] != Nanos{0}; };
    if (always || std::any_of(story.begin(), story.end(), any)) shown.push_back(c);
  }
  return shown;
}

Table CauseTable(const std::vector<std::size_t>& shown) {
  std::vector<Table::Column> columns = {{"ms", false, true}};
  for (const std::size_t c : shown) columns.push_back({Words(kCauseNames[c]), true});
  return Table(std::move(columns));
}

struct Shift {
  std::size_t unit = 0;
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
          [&problem](StreamId stream) { return SourcesOf(problem, stream); }, problem.scenario().away),
      models_(problem.units(), SharesOf(problem.scenario())) {}

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

const Fields<UnitStory>& UnitStoryFields() {
  static const auto share = Fields<ModelShare>()
                                .Needed("model", &ModelShare::model, as::Text())
                                .Needed("tasks", &ModelShare::tasks, as::Integer(0))
                                .Needed("working_ns", &ModelShare::working, as::WholeNanos());
  static const auto fields =
      Fields<UnitStory>("unit_story")
          .Needed("name", &UnitStory::unit, as::Text())
          .Part(&UnitStory::time, Fields<UnitTime>().Part(&UnitTime::of, TimesFields<kCauseNames>()))
          .Says("models", as::ListOf(as::ObjectOf(share)), [](const UnitStory& unit) {
            std::vector<ModelShare> worked = unit.models;
            std::erase_if(worked, [](const ModelShare& of) { return of.tasks == 0; });
            return worked;
          });
  return fields;
}

std::string StoryTable(const std::vector<UnitStory>& story, std::size_t width) {
  const std::vector<std::size_t> shown = CausesShown(story);
  Table table = CauseTable(shown);
  for (const UnitStory& unit : story) {
    std::vector<std::string> row = {unit.unit};
    for (const std::size_t c : shown) row.push_back(kMillis.Text(unit.time.of[c]));
    table.Add(std::move(row));
  }
  return table.Text(width);
}

std::string DifferenceTable(const std::vector<UnitStory>& story, const std::vector<UnitStory>& other,
                            std::size_t width) {
  std::vector<UnitStory> both = story;
  both.insert(both.end(), other.begin(), other.end());
  const std::vector<std::size_t> shown = CausesShown(both);
  Table causes = CauseTable(shown);
  std::vector<Shift> shifts;
  for (std::size_t u = 0; u < story.size(); ++u) {
    std::vector<std::string> row = {story[u].unit};
    for (const std::size_t c : shown) {
      row.push_back(TimeChange(other[u].time.of[c] - story[u].time.of[c]));
    }
    causes.Add(std::move(row));
    for (std::size_t m = 0; m < story[u].models.size(); ++m) {
      const Shift shift{u, story[u].models[m], other[u].models[m]};
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
    models.Add({story[shift.unit].unit, BaseName(shift.after.model), std::to_string(shift.after.tasks),
                std::to_string(shift.before.tasks), TimeChange(shift.after.working - shift.before.working)});
  }
  return causes.Text(width) + "\n" + models.Text(width);
}

}  // namespace tandem
