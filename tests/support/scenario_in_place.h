// A scenario of one board, with its profile in place, for tests that draw.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

struct InPlace {
  std::string units = R"({"name": "cpu", "kind": "cpu", "memory": "m"})";
  std::string origin =
      R"("kind": "measured", "host": "h", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {}, "cache_mode": "warm")";
  std::string profile;  // members beside platform and origin: "entries", "co_running", ...
  std::string streams = R"({"name": "a", "model": "alexnet", "count": 20, "arrival": {"type": "offline"}})";
  std::string members;  // of the scenario, each behind a comma
  std::uint64_t seed = 1;

  std::string Text() const {
    return R"({"tandem": "scenario/1", "name": "s", "transfer": "none", "platform": {"tandem": "platform/1", "name": "b",
            "memories": [{"name": "m"}, {"name": "n"}], "units": [)" +
           units + R"(]}, "profiles": [{"tandem": "profile/1", "platform": "b", "origin": {)" + origin +
           "}, " + profile + R"(}], "seed": )" + std::to_string(seed) + R"(, "streams": [)" + streams + "]" +
           members + "}";
  }
  Scenario Read() const { return ReadScenario(JsonDocument::Parse(Text(), "s.json").root()); }
};

// Of alexnet as a whole on a unit.
inline std::string EntryOf(const std::string& unit, const std::string& time) {
  return R"({"model": "alexnet", "unit": ")" + unit + R"(", "layers": "*", )" + time + "}";
}
inline std::string SamplesText(const std::vector<double>& micros) {
  std::string text;
  for (const double each : micros) {
    const auto nanos = static_cast<std::int64_t>(each * 1000);
    const std::string rest = std::to_string(nanos % 1000);
    text += (text.empty() ? "" : ", ") + std::to_string(nanos / 1000) + "." +
            std::string(3 - rest.size(), '0') + rest;
  }
  return R"("samples_us": [)" + text + "]";
}

}  // namespace tandem
