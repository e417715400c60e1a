// Why a run takes as long as it does, what single decisions would have changed, and what a faster part of the
// board would bring. File kind "explanation/1".
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policies/explain/alternatives.h"
#include "policies/explain/critical_path.h"
#include "scenarios/scenario/faster_scenario.h"
#include "sim/study/draws.h"
#include "sim/study/one_run.h"
#include "sim/study/where_time_goes.h"

namespace tandem {

// Whose path is walked: the run's makespan, or a request's latency; by default the request's where the
// arrivals set the makespan, of which nothing but waiting for them could be said.
enum class Followed : std::uint8_t { kWhatTells, kRun, kRequest };

struct ExplainedRun {
  PreparedRun run;
  Report report;
  // The request whose path it is, as WorstRequest() has it; nothing: the run's.
  std::optional<RequestEnd> follows;
  std::vector<PathPiece> path;
  std::vector<UnitStory> story;
  std::vector<Decision> taken;  // empty where there are too many
};

// The stream on whose request it hangs in the end and from whose release it is counted; nothing: from its
// own.
std::optional<StreamId> CountedSince(const Scenario& scenario, const RequestEnd& follows);

// One part of the board twice as fast.
struct FasterPart {
  std::string name;
  bool is_link = false;
  Report report;
  std::optional<Interval> change_drawn;  // of the objective, as ChangeOverDraws
};

// How sure it is who is the best of several.
struct Choice {
  std::string best, taken;                // labels; the simplest of those that cannot be told apart is taken
  std::optional<double> win_probability;  // of the best
  std::vector<std::string> not_told_apart;  // the best one first; none where the draws tell
  std::string text;  // the same in words, with whom it was tied; empty where there is nothing to say
};
std::optional<Choice> ChoiceAmong(const std::vector<Report>& reports);  // nothing where nobody wins

struct Explanation {
  ExplainedRun policy;
  std::optional<ExplainedRun> versus;
  std::optional<Choice> chosen;  // where it is the winner among several
  Alternatives alternatives;
  std::vector<FasterPart> faster;
  bool keeps_plan = false;  // the faster runs do what the policy has decided beforehand
};

// `progress` as in RunOptions; where it cuts the run short, the result's report says so and there is no path.
ExplainedRun RunAndExplain(const Scenario& scenario, const PolicySpec& policy, Engine engine,
                           const std::function<bool(std::int64_t)>& progress,
                           Followed followed = Followed::kWhatTells);

// Each unit that has times, and the links that the run's path copies over, in virtual time, with draws where
// the run has some. `go_on` is asked before each, `draws_go_on` before each draw. `same` is the run's
// scenario once more.
std::vector<FasterPart> TryFasterParts(const ExplainedRun& run, Scenario same,
                                       const std::function<bool()>& go_on, const GoesOn& draws_go_on);

std::string ExplanationText(const Explanation& explanation, const Scenario& scenario, std::size_t width);
std::string ExplanationJson(const Explanation& explanation);

}  // namespace tandem
