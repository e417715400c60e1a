// A board with memories of its own for two of its units, and plans for it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "device/harness/harness.h"
#include "tests/support/device/distant_backend.h"
#include "tests/support/device/harness_files.h"

namespace tandem {

inline constexpr const char* kDistantUnits =
    R"([{"name": "one", "kind": "cpu", "memory": "dram", "backend": "reference"},
        {"name": "distant", "kind": "gpu", "memory": "vram", "backend": "reference", "slots": 2},
        {"name": "other", "kind": "gpu", "memory": "card", "backend": "reference"}])";
inline constexpr const char* kDistantMemories = R"([{"name": "dram"}, {"name": "vram"}, {"name": "card"}])";

inline std::string LinkText(const char* from, const char* to, bool engine) {
  return std::string(R"({"from": ")") + from + R"(", "to": ")" + to +
         R"(", "bandwidth_bytes_per_s": 1000000000, "engine": )" + (engine ? "true}" : "false}");
}

enum class Wiring { kSlots, kEngines, kMixed, kDirect };

inline std::string LinksOf(Wiring wiring) {
  const bool first = wiring == Wiring::kEngines || wiring == Wiring::kMixed,
             second = wiring == Wiring::kEngines;
  if (wiring == Wiring::kDirect) {
    return "[" + LinkText("dram", "vram", false) + ", " + LinkText("vram", "card", true) + "]";
  }
  return "[" + LinkText("dram", "vram", first) + ", " + LinkText("dram", "card", second) + "]";
}

class Distant : public HarnessFiles {
 protected:
  Distant() {
    memories = kDistantMemories;
    units = kDistantUnits;
    links = LinksOf(Wiring::kSlots);
  }

  HarnessHost DistantHost() {
    HarnessHost place = Place();
    place.backend_of = [this](const Unit& unit, const std::string& where) -> const DeviceBackend& {
      return unit.name == "distant" ? distant : unit.name == "other" ? other : BackendOf(unit, where);
    };
    return place;
  }

  RunAnswer ExpectRight(const RunOrder& request, std::int64_t requests, const std::string& what = "") {
    const RunAnswer result = RunPlans(request, DistantHost());
    EXPECT_EQ(result.runs.size(), request.plans.size() * static_cast<std::size_t>(request.repeats)) << what;
    for (const DeviceRun& run : result.runs) {
      EXPECT_TRUE(run.complete) << what << run.label << ": " << run.failure;
      EXPECT_EQ(run.outputs.checked, requests) << what << run.label;
      EXPECT_EQ(run.outputs.wrong, 0) << what << run.label << ", worst " << run.outputs.worst;
    }
    ExpectLawful(request, result, what);
    return result;
  }

  DistantBackend distant, other;
};

}  // namespace tandem
