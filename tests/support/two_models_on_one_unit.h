// Two models of 6000 and 8000 numbers, 24000 and 32000 bytes of weights, on one unit of a memory with a
// capacity, for tests of what fits.
#pragma once

#include <string>

#include "tests/support/json_scenario.h"

namespace tandem {

inline std::string MemoryOfModel(int model, int peak, int held, const std::string& unit = "npu") {
  return R"({"model": "m)" + std::to_string(model) + R"(.json", "unit": ")" + unit + R"(", "peak_bytes": )" +
         std::to_string(peak) + R"(, "held_bytes": )" + std::to_string(held) + "}";
}
inline std::string BothMeasured() {
  return MemoryOfModel(0, 50000, 30000) + ", " + MemoryOfModel(1, 45000, 40000);
}

struct TwoModelsOnOneUnit {
  int capacity = 1000000;
  std::string of_unit = {};      // members of the unit: ", ..."
  std::string more_units = {};   // ", {...}"
  std::string memory = {};       // entries
  std::string entries = {};      // of other units: ", {...}"
  std::string of_profile = {};   // ", ..."
  std::string of_scenario = {};  // "..., "
  std::string origin = R"({"kind": "published", "source": "a paper"})";

  Scenario Read() const {
    const auto model = [](int params) {
      return R"([{"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "opaque",
                 "inputs": ["in"], "shape": [1, 4], "params": )" +
             std::to_string(params) + "}]";
    };
    return JsonScenario{R"("memories": [{"name": "dram", "capacity_bytes": )" + std::to_string(capacity) +
                            R"(}], "units": [{"name": "npu", "kind": "npu", "memory": "dram")" + of_unit +
                            "}" + more_units + "]",
                        R"("entries": [{"model": "m0.json", "unit": "npu", "layers": "*", "median_us": 100},
                       {"model": "m1.json", "unit": "npu", "layers": "*", "median_us": 100})" +
                            entries + "]" + of_profile +
                            (memory.empty() ? "" : R"(, "memory": [)" + memory + "]"),
                        {model(6000), model(8000)},
                        of_scenario + R"("transfer": "none", "streams": [
           {"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
           {"name": "y", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])",
                        origin}
        .Read();
  }
};

}  // namespace tandem
