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
          [&problem](StreamId stream) { return SourcesOf(problem, stream); }),
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
  Table table = CauseTable();
  for (const UnitStory& unit : story) {
    std::vector<std::string> row = {unit.unit};
    for (const Nanos time : unit.time.of) row.push_back(kMillis.Text(time));
    table.Add(std::move(row));
  }
  return table.Text(width);
}

std::string DifferenceTable(const std::vector<UnitStory>& story, const std::vector<UnitStory>& other,
                            std::size_t width) {
  Table causes = CauseTable();
  std::vector<Shift> shifts;
  for (std::size_t u = 0; u < story.size(); ++u) {
    std::vector<std::string> row = {story[u].unit};
    for (std::size_t c = 0; c < kCauses; ++c) {
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
