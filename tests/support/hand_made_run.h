// A scenario and an outcome with figures that are easy to check by hand, for the tests of reports.
#pragma once

#include "scenarios/report/report.h"

namespace tandem {

struct HandMadeRun {
  Scenario scenario;
  Outcome outcome;
  PolicySpec policy;
  RunFacts facts;

  Report MakeReport() const { return tandem::MakeReport(scenario, policy, facts, outcome); }
};

// Two streams on three units. "a": batch 4, 10 requests released at 0, completed after 1..10 ms. "b":
// deadline 2 ms, released from 1 ms on, two completed after 1 and 3 ms, the last at 21 ms, one dropped. Busy:
// 10, 5 and 0 ms.
HandMadeRun MakeRun(const std::string& members = "");

}  // namespace tandem
