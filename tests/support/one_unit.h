// A scenario of boards with one time each, whose answers can be worked out by hand.
#pragma once

#include <string>

namespace tandem {

struct OneUnit {
  std::string times = R"("median_us": 10000)";  // of alexnet on "cpu"
  std::string streams =
      R"({"name": "camera", "model": "alexnet", "count": 50, "arrival": {"type": "periodic", "period_ms": 20},
          "deadline_ms": 10})";
  std::string of_unit, of_platform;  // members behind a comma
  std::string entries;               // more of the profile's, behind a comma
  std::string lists;                 // of the profile, behind a comma
  std::string policies = R"("fcfs")";
  std::string members;  // of the scenario, behind a comma
  std::string transfer = "none";

  std::string Text() const {
    return R"({"tandem": "scenario/1", "name": "one unit", "transfer": ")" + transfer +
           R"(", "platform": {"tandem": "platform/1", "name": "b",
        "memories": [{"name": "m", "capacity_bytes": 4000000000}, {"name": "n"}],
        "links": [{"from": "m", "to": "n", "latency_us": 10, "bandwidth_bytes_per_s": 1000000}],
        "units": [{"name": "cpu", "kind": "cpu", "memory": "m")" +
           of_unit + "}]" + of_platform +
           R"(}, "profiles": [{"tandem": "profile/1", "platform": "b",
        "origin": {"kind": "measured", "host": "h", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {},
                   "cache_mode": "warm"},
        "entries": [{"model": "alexnet", "unit": "cpu", "layers": "*", )" +
           times + "}" + entries + "]" + lists + R"(}], "streams": [)" + streams + R"(], "policies": [)" +
           policies + "]" + members + "}";
  }
};

}  // namespace tandem
