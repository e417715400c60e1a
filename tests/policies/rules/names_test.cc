// Does nobody but a policy's own file know its name? What others have to know of it stands in its
// declaration.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "profiles/base/files.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Words that mean something else there: keys of files, and the name of random numbers.
const std::set<std::pair<std::string, std::string>> kOtherMeanings = {
    {"profiles/costs/entry_keys.cc", "split"},
    {"profiles/costs/profile_fields.cc", "split"},
    {"profiles/importers/onnx/ops_move.cc", "split"},
    {"scenarios/scenario/stream_fields.cc", "priority"},
    {"sim/study/scenario_summary.cc", "priority"},
    {"scenarios/report/json.cc", "best"},
    {"sim/study/explanation_json.cc", "best"},
    {"sim/questions/capacity_json.cc", "best"},
    {"policies/search/search.cc", "best"},
    {"scenarios/baseline/figure.h", "eft"},
    {"sim/sweep/sweep.h", "random"},
    {"sim/study/begin_platform.cc", "hailo"},  // a chip
    {"sim/emit/deepstream.cc", "width"},       // of a picture
    {"sim/commands/new_scenario.cc", "fcfs"},  // what a new scenario begins with
    {"sim/commands/new_scenario.cc", "sjf"},
    {"sim/commands/new_scenario.cc", "eft"},
    {"sim/commands/new_scenario.cc", "best"},
    {"sim/emit/onnxruntime.cc", "priority"},
    {"sim/emit/triton_config.cc", "priority"},
    {"sim/emit/triton.cc", "triton"},
    {"sim/sweep/results_files.cc", "best"},
    {"sim/regress/json.cc", "best"},
    {"device/backends/cuda/gpu/product_choice.cc", "split"},
};

std::set<std::string> PoliciesNamedIn(const std::string& code) {
  std::set<std::string> names;
  for (const PolicyDeclaration& policy : Policies()) {
    const std::string name(policy.name);
    if (code.find('"' + name + '"') != std::string::npos) names.insert(name);
  }
  return names;
}

TEST(PolicyNames, AreFoundInCode) {
  EXPECT_EQ(PoliciesNamedIn(R"(if (name == "fcfs" || name == "heft_like") // best)"),
            (std::set<std::string>{"fcfs"}));
}

TEST(PolicyNames, StandInThePoliciesOwnFilesAlone) {
  const fs::path root = fs::path(TANDEM_TEST_DIR).parent_path();
  int files = 0;
  for (const char* folder : {"profiles", "scenarios", "policies", "sim", "device"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = fs::relative(entry.path(), root).generic_string();
      const bool code = entry.path().extension() == ".cc" || entry.path().extension() == ".h";
      if (!code || file.starts_with("policies/rules/")) continue;
      ++files;
      for (const std::string& name : PoliciesNamedIn(ReadTextFile(entry.path()))) {
        EXPECT_TRUE(kOtherMeanings.contains({file, name}))
            << file << " knows policy \"" << name
            << "\" by its name; let PolicyDeclaration say what it wants to know of it";
      }
    }
  }
  EXPECT_GT(files, 400);
}

}  // namespace
}  // namespace tandem
