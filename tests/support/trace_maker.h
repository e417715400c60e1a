// Traces made by hand, for tests of what judges them. Times are in microseconds.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "scenarios/check/trace_check.h"

namespace tandem {

class TraceMaker {
 public:
  TraceMaker(const Scenario& scenario, const std::string& policy);

  // The thread of the unit's slot.
  std::int32_t Track(const std::string& unit, std::int32_t slot = 0);
  // A whole model, or the layers named.
  TracedSpan& Task(const std::string& unit, const std::string& stream, std::int64_t index, double release,
                   double start, double end, std::vector<std::string> layers = {});
  // A copy on the same slot, for the task of those layers.
  TracedSpan& Copy(const std::string& unit, const std::string& stream, std::int64_t index,
                   const std::string& tensor, const std::string& from, const std::string& to, double start,
                   double end, std::vector<std::string> layers);
  // Request `index` of the stream goes along with its request `with` until it ends.
  void Join(const std::string& stream, std::int64_t index, std::int64_t with, double release, double end);
  void Drop(const std::string& stream, std::int64_t index, double release, double at);

  TraceJudgement Judge() const;
  std::set<std::string> BrokenRules() const;
  // "rule request @time: what" of the first violation (of that rule); empty where there is none.
  std::string FirstViolation(const std::string& rule = {}) const;

  TracedRun run;

 private:
  std::int32_t Segment(const std::string& stream, std::vector<std::string> layers);

  const Scenario* scenario_;
};

}  // namespace tandem
