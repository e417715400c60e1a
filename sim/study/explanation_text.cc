// An explanation for a terminal.
#include <algorithm>
#include <map>

#include "profiles/base/figures.h"
#include "profiles/base/table.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "scenarios/report/unchanged.h"
#include "sim/study/explanation.h"
#include "sim/study/value_table.h"

namespace tandem {
namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kMostBehind = 3;  // models that a wait names

double Number(Nanos time) { return static_cast<double>(time.count()); }

std::string CauseText(PathCause cause) {
  switch (cause) {
    case PathCause::kUnit:
      return "waiting for a unit";
    case PathCause::kRoom:
      return "waiting for room";
    case PathCause::kHeldBack:
      return "held back";
    case PathCause::kArrival:
      return "waiting for release";
    case PathCause::kCritical:
      return "behind critical streams";
    default:
      return std::string(kPathCauseNames[static_cast<std::size_t>(cause)]);
  }
}

bool IsWait(PathCause cause) { return cause >= PathCause::kUnit; }

// Pieces that follow each other on one request and unit.
struct Stretch {
  Nanos from{0}, to{0};
  StreamId stream;
  std::int32_t index = 0;
  UnitId unit;
  bool waits = false;
  std::array<Nanos, kPathCauses> of{};
  std::map<ModelId, Nanos> behind;
  Nanos length() const { return to - from; }
};

std::vector<Stretch> StretchesOf(const ExplainedRun& run) {
  std::vector<Stretch> stretches;
  for (const PathPiece& piece : run.path) {
    const bool waits = IsWait(piece.cause);
    const bool same = !stretches.empty() && stretches.back().stream == piece.stream &&
                      stretches.back().index == piece.index && stretches.back().unit == piece.unit &&
                      stretches.back().waits == waits;
    if (!same)
      stretches.push_back({piece.from, piece.to, piece.stream, piece.index, piece.unit, waits, {}, {}});
    Stretch& stretch = stretches.back();
    stretch.to = piece.to;
    stretch.of[static_cast<std::size_t>(piece.cause)] += piece.length();
    for (const auto& [segment, time] : piece.behind) {
      stretch.behind[run.run.problem->model_of(segment)] += time;
    }
  }
  return stretches;
}

std::string Behind(const Stretch& stretch, const Scenario& scenario, const TimeUnit& unit) {
  std::vector<std::pair<ModelId, Nanos>> models(stretch.behind.begin(), stretch.behind.end());
  std::stable_sort(models.begin(), models.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t m = 0; m < models.size() && m < kMostBehind; ++m) {
    text += (text.empty() ? ", at work on " : ", ") + scenario.model(models[m].first).name + " " +
            unit.Text(models[m].second);
  }
  if (models.size() > kMostBehind) text += ", ...";
  return text;
}

std::string WhatOf(const Stretch& stretch, const ExplainedRun& run, const TimeUnit& unit) {
  const Scenario& scenario = run.run.problem->scenario();
  const std::string request =
      scenario.streams[stretch.stream.index()].name + " #" + std::to_string(stretch.index);
  if (!stretch.unit.valid()) return request + " is not released yet";
  const std::string where = UnitOrEngineName(*scenario.platform, stretch.unit);
  std::string causes;
  std::size_t kinds = 0;
  for (std::size_t c = 0; c < kPathCauses; ++c) {
    if (stretch.of[c] == Nanos{0}) continue;
    ++kinds;
    causes +=
        (causes.empty() ? "" : ", ") + CauseText(static_cast<PathCause>(c)) + " " + unit.Text(stretch.of[c]);
  }
  if (kinds == 1) causes = causes.substr(0, causes.rfind(' '));
  if (!stretch.waits) return request + " on " + where + ": " + causes;
  if (kinds == 1 && stretch.of[static_cast<std::size_t>(PathCause::kUnit)] > Nanos{0}) {
    return request + " waits for " + where + Behind(stretch, scenario, unit);
  }
  return request + " at " + where + ": " + causes + Behind(stretch, scenario, unit);
}

std::string PathText(const ExplainedRun& run, const TimeUnit& unit, std::size_t width) {
  if (run.path.empty()) return Wrapped("no request was completed: there is no critical path", width);
  std::vector<Stretch> stretches = StretchesOf(run);
  std::vector<std::size_t> order(stretches.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return stretches[a].length() > stretches[b].length();
  });
  const std::size_t shown = std::min(order.size(), kMostRows);
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown));
  Table table({{"from", true}, {std::string(unit.name), true}, {"what", false, false, true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const Stretch& stretch = stretches[order[i]];
    table.Add({unit.Text(stretch.from), unit.Text(stretch.length()), WhatOf(stretch, run, unit)});
  }
  Nanos rest{0};
  for (std::size_t i = shown; i < order.size(); ++i) rest += stretches[order[i]].length();
  std::string text = table.Text(width);
  if (shown < order.size()) {
    text += "and " + Grouped(static_cast<std::int64_t>(order.size() - shown)) + " shorter ones, " +
            unit.Text(rest) + " " + std::string(unit.name) + " together\n";
  }
  return text;
}

Nanos LengthOf(const std::vector<PathPiece>& path) {
  return path.empty() ? Nanos{0} : path.back().to - path.front().from;
}

// What its path is one of, and which of its pieces are shown.
std::string PathTitle(const ExplainedRun& run, const TimeUnit& unit, std::size_t width) {
  const std::string name = run.report.label, shown = ", the longest pieces in order of time:";
  if (!run.follows) return Wrapped("The critical path of " + name + shown, width);
  const RequestEnd& request = *run.follows;
  const Scenario& scenario = run.run.problem->scenario();
  const auto called = [&](StreamId stream) {
    return scenario.streams[stream.index()].name + " #" + std::to_string(request.index);
  };
  const Nanos latency = request.at - request.release;
  const bool late = request.missed();
  std::string text = "The path of the request that is " +
                     std::string(late ? "furthest past its deadline" : "longest on its way") + " under " +
                     name + ", " + called(request.stream) + ", latency " + unit.Text(latency);
  if (const auto since = CountedSince(scenario, request)) text += " since the release of " + called(*since);
  if (request.due) text += ", deadline " + unit.Text(*request.due - request.release);
  return Wrapped(text + shown, width);
}

std::string CausesText(const ExplainedRun& run, const TimeUnit& unit, std::size_t width) {
  const auto causes = TimePerCause(run.path);
  Table table({{"time lost to", false, true}, {std::string(unit.name), true}, {"share", true}});
  for (std::size_t c = 0; c < kPathCauses; ++c) {
    if (causes[c] == Nanos{0}) continue;
    table.Add({CauseText(static_cast<PathCause>(c)), unit.Text(causes[c]),
               Share(Number(causes[c]) / std::max(Number(LengthOf(run.path)), 1.0))});
  }
  return table.Text(width);
}

std::string BothCausesText(const ExplainedRun& a, const ExplainedRun& b, const TimeUnit& unit,
                           std::size_t width) {
  const auto of_a = TimePerCause(a.path), of_b = TimePerCause(b.path);
  Table table({{"time lost to, " + std::string(unit.name), false, true},
               {Shortened(a.report.label, 16), true},
               {Shortened(b.report.label, 16), true},
               {"difference", true}});
  for (std::size_t c = 0; c < kPathCauses; ++c) {
    if (of_a[c] == Nanos{0} && of_b[c] == Nanos{0}) continue;
    table.Add({CauseText(static_cast<PathCause>(c)), unit.Text(of_a[c]), unit.Text(of_b[c]),
               unit.Signed(of_b[c] - of_a[c])});
  }
  const Nanos length_a = LengthOf(a.path), length_b = LengthOf(b.path);
  table.Add({a.follows ? "latency" : "makespan", unit.Text(length_a), unit.Text(length_b),
             unit.Signed(length_b - length_a)});
  return table.Text(width);
}

// "half of resnet50 from ncs2 to rknpu".
std::string ChangeOf(const Alternative& alternative, const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  const std::string& model = scenario.model(alternative.model).name;
  const std::string from = scenario.platform->unit(alternative.from).name;
  const std::string request = alternative.stream.valid() ? scenario.streams[alternative.stream.index()].name +
                                                               " #" + std::to_string(alternative.index)
                                                         : "";
  std::string what = model;
  if (alternative.segment.valid()) {
    const Segment& segment = problem.segment(alternative.segment);
    if (!segment.layers.empty()) {
      const Model& graph = *scenario.model(alternative.model).model;
      what = graph.layer(segment.layers.front()).name;
      if (segment.layers.size() > 1) what += " to " + graph.layer(segment.layers.back()).name;
      what += " of " + model;
      if (segment.part) what = segment.part->Text() + " of " + what;
    }
  }
  if (alternative.change == Change::kEarlier)
    return what + " (" + request + ") as soon as it is ready on " + from;
  if (alternative.change == Change::kOne) what += " (" + request + ")";
  if (alternative.change == Change::kHalf) what = "half of " + what;
  return what + " from " + from + " to " + scenario.platform->unit(alternative.to).name;
}

std::string DecisionsText(const Explanation& explanation, const TimeUnit& unit, std::size_t width) {
  const Alternatives& found = explanation.alternatives;
  const Problem& problem = *explanation.policy.run.problem;
  const Scenario& scenario = problem.scenario();
  if (!found.why_none.empty())
    return Wrapped("No decision was tried otherwise: " + found.why_none + ".", width);
  std::string text = Wrapped(
      "Decisions that matter: the same schedule with one thing changed, " + std::to_string(found.tried) +
          " tried" +
          (found.impossible == 0 ? "" : ", " + std::to_string(found.impossible) + " of them impossible") +
          ".",
      width);
  if (found.best.empty()) return text;
  const bool drawn = found.base.objective_drawn.has_value();
  std::vector<ValuedRow> rows;
  for (const Alternative& alternative : found.best) {
    rows.push_back({ChangeOf(alternative, problem), alternative.value, alternative.change_drawn});
  }
  const double sign = HigherIsBetter(scenario.objective) ? -1 : 1;
  const auto helps = [&](const Alternative& alternative) {
    return sign * alternative.value.objective < sign * found.base.objective;
  };
  const auto surely = [&](const Alternative& alternative) {
    const auto& change = alternative.change_drawn;
    return change && std::max(sign * change->low, sign * change->high) < 0;
  };
  const auto may_help = [&](const Alternative& alternative) {
    const auto& change = alternative.change_drawn;
    return helps(alternative) || (change && std::min(sign * change->low, sign * change->high) < 0);
  };
  if (std::ranges::none_of(found.best, may_help)) {
    text += Wrapped("Nothing single helps: none of these makes the schedule better.", width);
  } else if (drawn && std::ranges::none_of(found.best, surely)) {
    text += Wrapped("Of none of these do the draws tell that it makes the schedule better.", width);
  }
  return text + ValuesText("what", scenario, unit, found.base, rows, drawn, width);
}

std::string FasterText(const Explanation& explanation, const TimeUnit& unit, std::size_t width) {
  const Report& before = explanation.policy.report;
  if (explanation.faster.empty()) return "";
  const Scenario& scenario = explanation.policy.run.problem->scenario();
  const bool drawn = before.draws.has_value();
  std::vector<ValuedRow> rows;
  const auto valued = [&](const Report& report) {
    const auto objective = DrawnOf(report, scenario.objective);
    return Valued{report.makespan, ObjectiveValue(report, scenario.objective).value_or(0),
                  report.draws ? std::optional(report.draws->makespan) : std::nullopt, objective};
  };
  for (const FasterPart& part : explanation.faster) {
    rows.push_back({part.name + (part.is_link ? " (link)" : ""), valued(part.report), part.change_drawn});
  }
  std::string text = "\nWhat a faster part would bring:\n" +
                     ValuesText("twice as fast", scenario, unit, valued(before), rows, drawn, width);
  if (explanation.keeps_plan) {
    text += Wrapped("There " + before.label + " keeps to what it has decided; searching anew may gain more.",
                    width);
  }
  return text;
}

// "20.643..21.342, their median 21.040".
std::string DrawnText(const Report& report, Objective objective, const TimeUnit& unit) {
  const auto drawn = DrawnOf(report, objective);
  if (!drawn) return "-";
  const auto text = [&](double value) { return ObjectiveCell(value, objective, unit); };
  return text(drawn->low) + ".." + text(drawn->high) + ", their median " + text(drawn->median);
}

std::string HeadText(const ExplainedRun& run, const TimeUnit& unit, std::size_t width) {
  const Report& report = run.report;
  std::string text = report.label + ", engine " + report.engine + ": makespan " + unit.Text(report.makespan) +
                     " " + std::string(unit.name);
  if (report.objective != Objective::kMakespan) {
    const auto value = ObjectiveValue(report, report.objective);
    const bool time = ObjectiveUnit(report.objective) == "ns" && value.has_value();
    text += ", " + Words(NameOf(kObjectiveNames, report.objective)) + " " +
            (time ? unit.Text(Nanos{static_cast<std::int64_t>(*value)}) + " " + std::string(unit.name)
                  : Short(value) + " " + std::string(ObjectiveUnit(report.objective)));
  }
  if (report.draws) {
    text += ", " + PercentInTenths(report.draws->probability) + " of the draws of its makespan in " +
            DrawnText(report, Objective::kMakespan, unit);
    if (report.objective != Objective::kMakespan && report.draws->objective) {
      text += ", of its " + Words(NameOf(kObjectiveNames, report.objective)) + " in " +
              DrawnText(report, report.objective, unit);
    }
  }
  if (report.bound) text += ", no schedule is below " + unit.Text(*report.bound);
  return Wrapped(text, width);
}

// Of each run what it was without what is supposed.
std::string UnchangedText(const Explanation& explanation, const TimeUnit& unit, std::size_t width) {
  std::string text;
  for (const ExplainedRun* run : {&explanation.policy, explanation.versus ? &*explanation.versus : nullptr}) {
    if (run == nullptr || !run->report.unchanged) continue;
    const Report& before = *run->report.unchanged->report;
    text += Wrapped("without what is supposed: " + before.label + " " + unit.Text(before.makespan) + " " +
                        std::string(unit.name) + "; it changes the makespan by " +
                        ChangeText(Number(before.makespan), Number(run->report.makespan)),
                    width);
  }
  return text;
}

// How the runs stand to each other, and what their intervals are.
std::vector<std::string> NotesOf(const Explanation& explanation) {
  std::vector<Report> reports = {explanation.policy.report};
  if (explanation.versus) reports.push_back(explanation.versus->report);
  const Objective objective = reports[0].objective;
  std::vector<std::string> notes = {explanation.chosen ? explanation.chosen->text : "",
                                    TakenText(reports, RankReports(reports, objective), objective)};
  for (std::string& text : IntervalTexts(reports)) notes.push_back(std::move(text));
  notes.push_back(ArrivalText({reports[0]}));
  return notes;
}

}  // namespace

std::string ExplanationText(const Explanation& explanation, const Scenario& scenario, std::size_t width) {
  const ExplainedRun& run = explanation.policy;
  Nanos longest = run.report.makespan;
  if (explanation.versus) longest = std::max(longest, explanation.versus->report.makespan);
  const TimeUnit unit = UnitFor(longest);
  std::string text =
      Wrapped(scenario.name, width) + WhatIfText(scenario.what_if, width) + HeadText(run, unit, width);
  if (explanation.versus) text += HeadText(*explanation.versus, unit, width);
  text += UnchangedText(explanation, unit, width);
  for (const std::string& note : NotesOf(explanation)) {
    if (!note.empty()) text += Wrapped(note, width);
  }
  std::vector<Report> reports = {run.report};
  if (explanation.versus) reports.push_back(explanation.versus->report);
  for (const std::string& sentence :
       SentencesOfTimes(EstimatedOf(reports), run.report.profiles, HowTold(reports))) {
    text += Wrapped(sentence, width);
  }
  text += "\n" + PathTitle(run, unit, width) + PathText(run, unit, width);
  if (!run.path.empty()) text += "\n" + CausesText(run, unit, width);
  text += "\n" + Wrapped("Where the units' time goes under " + run.report.label + ":", width) +
          StoryTable(run.story, width) + "\n" + DecisionsText(explanation, unit, width) +
          FasterText(explanation, unit, width);
  if (!explanation.versus) return text;
  const ExplainedRun& other = *explanation.versus;
  return text + "\n" + PathTitle(other, unit, width) + PathText(other, unit, width) + "\nBoth paths:\n" +
         BothCausesText(run, other, unit, width) + "\n" +
         Wrapped("What " + other.report.label + " does otherwise:", width) +
         DifferenceTable(run.story, other.story, width);
}

}  // namespace tandem
