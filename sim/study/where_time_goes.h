// Why a policy wins or loses: where the time of each unit goes, and which models it works on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "policies/problem/problem.h"
#include "scenarios/trace/time_by_cause.h"

namespace tandem {

struct ModelShare {
  Nanos working{0};
  std::int64_t tasks = 0;
};

struct UnitStory {
  std::string unit;
  UnitTime time;
  std::vector<ModelShare> models;  // per model of the scenario
};

// Gathers it from a run.
class StoryOfRun final : public SpanSink {
 public:
  // `problem` outlives it.
  explicit StoryOfRun(const Problem& problem);

  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override { time_.Ended(end); }

  std::vector<UnitStory> Result(const Outcome& outcome) const;

 private:
  const Problem* problem_;
  TimeByCause time_;
  std::vector<std::vector<ModelShare>> models_;  // per unit
};

// A list with an object per unit: nanoseconds per cause, and its models.
nlohmann::ordered_json StoryJson(const std::vector<UnitStory>& story, const Scenario& scenario);

// Milliseconds per unit and cause.
std::string StoryTable(const std::vector<UnitStory>& story, std::size_t width);

// The same of `other` beside `story`: what it has more, and the models that its units work on for another
// time.
std::string DifferenceTable(const std::vector<UnitStory>& story, const std::vector<UnitStory>& other,
                            const Scenario& scenario, std::size_t width);

}  // namespace tandem
