// A sweep from its text.
#pragma once

#include <string>

#include "sim/sweep/sweep.h"

namespace tandem {

inline Sweep SweepOf(const std::string& text, const std::string& file = "test.sweep.json") {
  const JsonDocument document = JsonDocument::Parse(text, file);
  return ReadSweep(document.root());
}

// With these axes and this design, over study 003.
inline Sweep SweepWith(const std::string& axes, const std::string& design = R"({"type": "grid"})",
                       const std::string& more = R"("policies": ["fcfs", "eft"])") {
  return SweepOf(R"({"tandem": "sweep/1", "name": "test", "scenario": "study-003", "axes": [)" + axes +
                 R"(], "design": )" + design + ", " + more + "}");
}

}  // namespace tandem
