// Baselines in a folder of the test's own, and `tandem` run there.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {

class BaselineFolder : public testing::Test {
 protected:
  static inline const std::filesystem::path kExamples =
      std::filesystem::path(TANDEM_TEST_DIR).parent_path() / "scenarios" / "examples";

  ProgramResult In(const std::string& arguments) const {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " " + arguments);
  }
  void Make(const std::string& arguments = "study-003 -o b.json") const {
    const ProgramResult made = In("new baseline " + arguments);
    ASSERT_EQ(made.status, 0) << made.errors;
  }
  nlohmann::ordered_json Read(const std::string& name = "b.json") const {
    return nlohmann::ordered_json::parse(ReadTextFile(folder_ / name));
  }
  void Write(const nlohmann::ordered_json& json, const std::string& name = "b.json") const {
    WriteFile(folder_ / name, json.dump(1));
  }
  // A figure of the case of that policy.
  static nlohmann::ordered_json& Figure(nlohmann::ordered_json& baseline, const std::string& policy,
                                        const std::string& figure) {
    for (nlohmann::ordered_json& of : baseline["cases"]) {
      if (of["policy"] == policy) return of["figures"][figure];
    }
    throw std::out_of_range(policy);
  }
  // The makespan of fcfs was shorter then: it is worse now, by about a hundredth.
  void MakeFcfsWorse(double by = 0.99) const {
    nlohmann::ordered_json baseline = Read();
    nlohmann::ordered_json& value = Figure(baseline, "fcfs", "makespan_ns")["value"];
    value = static_cast<std::int64_t>(value.get<double>() * by);
    Write(baseline);
  }

  TempFolder folder_;
};

// What it says where nothing moved, and where the times come from.
inline bool SaysThatAllHolds(const std::string& output) {
  const std::string figures = "30 figures: 30 as they were\n",
                    taken =
                        "estimated: units \"cpu\" and \"rknpu\" share memory \"dram\", and no profile says "
                        "what\n  they cost each other: taken is nothing\n",
                    times = "tinker-edge-r.profile.json: times published (";
  return output.starts_with(figures + taken + times) &&
         output.ends_with("how far off they are is not\n  known\n");
}

}  // namespace tandem
