// What the rules of trace_check.h find in one run.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "scenarios/check/trace_check.h"

namespace tandem {

class Findings {
 public:
  Findings(const std::string& run, TraceJudgement& judgement, Nanos wake_up = Nanos{0})
      : run_(&run), judgement_(&judgement), wake_up_(wake_up) {}

  void Violation(std::string_view rule, std::string request, Nanos time, std::string what) {
    ++judgement_->violations_total;
    Keep(judgement_->violations, rule, std::move(request), time, std::move(what));
  }
  // What a schedule on a real device may do and a simulated one may not.
  void Unwanted(bool simulated, std::string_view rule, std::string request, Nanos time, std::string what) {
    if (simulated) return Violation(rule, std::move(request), time, std::move(what));
    ++judgement_->gaps_total;
    Keep(judgement_->gaps, rule, std::move(request), time, std::move(what));
  }
  // The same of a time that began to be wasted at `time`: on a device short ones are what waking up takes.
  void Wasted(bool simulated, Nanos length, std::string request, Nanos time, std::string what) {
    if (!simulated && length <= wake_up_) {
      ++judgement_->wake_ups_total;
    } else {
      Unwanted(simulated, "idle", std::move(request), time, std::move(what));
    }
  }

 private:
  static constexpr int kMostPerRule = 100;

  void Keep(std::vector<TraceFinding>& list, std::string_view rule, std::string request, Nanos time,
            std::string what) {
    if (++kept_[std::string(rule)] > kMostPerRule) return;
    list.push_back({*run_, std::string(rule), std::move(request), time, std::move(what)});
  }

  const std::string* run_;
  TraceJudgement* judgement_;
  Nanos wake_up_;
  std::map<std::string, int> kept_;
};

// A time as findings write it: exact, in microseconds.
std::string MicrosText(Nanos time);

}  // namespace tandem
