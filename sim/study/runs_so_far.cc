#include "sim/study/runs_so_far.h"

#include "profiles/base/decimal.h"
#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/statistics.h"

namespace tandem {

RunsSoFar::RunsSoFar(const std::vector<Prediction>& plans, std::int64_t repeats)
    : wanted_(static_cast<std::int64_t>(plans.size()) * repeats) {
  for (const Prediction& plan : plans) {
    plans_.push_back({plan.report.label, plan.report.makespan, {}});
    expected_ += plan.report.makespan * repeats;
  }
}

std::chrono::seconds RunsSoFar::expected() const {
  return std::chrono::duration_cast<std::chrono::seconds>(expected_);
}

void RunsSoFar::Take(const RunAnswer& told) {
  for (const DeviceRun& run : told.runs) {
    ++done_;
    if (run.plan < plans_.size() && run.complete) plans_[run.plan].measured.push_back(run.makespan);
  }
}

std::vector<std::string> RunsSoFar::Lines() const {
  std::vector<std::string> lines;
  for (const Plan& plan : plans_) {
    std::string line = plan.label + ": predicted " + kMillis.Text(plan.predicted) + " ms";
    if (!plan.measured.empty()) {
      const Nanos median = LowerMedian(plan.measured);
      line += ", measured " + kMillis.Text(median) + " ms of " +
              Counted(static_cast<std::int64_t>(plan.measured.size()), "run");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tandem
