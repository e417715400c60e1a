// Why a policy wins or loses: where the time of each unit goes, and which models it works on.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "policies/problem/problem.h"
#include "profiles/base/fields.h"
#include "scenarios/trace/time_by_cause.h"

namespace tandem {

struct ModelShare {
  std::string model;
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

// A key per name, "working_ns".
template <const auto& kNames>
auto TimesFields() {
  using EachTime = std::array<Nanos, kNames.size()>;
  static const auto keys = [] {
    std::array<std::string, kNames.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::string(kNames[i]) + "_ns";
    return all;
  }();
  Fields<EachTime> fields;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    fields.Says(keys[i], as::WholeNanos(), [i](const EachTime& times) { return times[i]; });
  }
  return fields;
}

// The object of a unit: nanoseconds per cause, and its models.
const Fields<UnitStory>& UnitStoryFields();

// Milliseconds per unit and cause.
std::string StoryTable(const std::vector<UnitStory>& story, std::size_t width);

// The same of `other` beside `story`: what it has more, and the models that its units work on for another
// time.
std::string DifferenceTable(const std::vector<UnitStory>& story, const std::vector<UnitStory>& other,
                            std::size_t width);

}  // namespace tandem
