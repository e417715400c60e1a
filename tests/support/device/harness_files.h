// Small plans as files in a folder of the test's own, and a processor that does to them what a test wants.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "device/harness/harness.h"
#include "scenarios/scenario/plan.h"
#include "tests/support/temp_folder.h"

namespace tandem {

// Runs the reference kernels, then what the test adds to them.
struct FakeKernels {
  std::atomic<int> runs{0}, compiles{0};
  bool computes = true;
  // Called after every run with its number, from 1; may throw, may spoil the outputs.
  std::function<void(int run, std::span<float* const> outputs)> after;
  std::function<std::string(int run)> hash;  // with one the outputs are not written
  // Not empty: it chooses a kernel of this library for each convolution, "fast" or, where that is to be
  // taken, "slow".
  std::string library;
  std::atomic<int> chosen_anew{0}, slow{0};  // convolutions
  // Per model as how urgent it ran last; -1: nobody had said.
  std::map<std::string, int> urgency;
  std::multiset<std::int64_t> slots;  // that were opened
  std::mutex mutex;                   // of these
};

class FakeBackend final : public DeviceBackend {
 public:
  FakeBackend(const DeviceBackend& kernels, FakeKernels& fake) : kernels_(&kernels), fake_(&fake) {}
  const BackendDeclaration& about() const override { return DeclaredBackend("reference"); }
  BackendState Look(const HostInfo&, Platform&) const override { return {}; }
  std::unique_ptr<Processor> Open(const OpenRequest& request) const override;

 private:
  const DeviceBackend* kernels_;
  FakeKernels* fake_;
};

// The runs' trace obeys the rules of every schedule.
void ExpectLawful(const RunOrder& request, const RunAnswer& result, const std::string& what = "");

inline constexpr const char* kOneFake =
    R"([{"name": "fake", "kind": "cpu", "memory": "dram", "backend": "reference"}])";

class HarnessFiles : public testing::Test {
 protected:
  HarnessFiles();

  void Write(const std::string& name, const std::string& kind, const std::string& members) const;
  // The plan of that policy (a JSON string or object) for the scenario of these files, as a file and as read.
  std::string WritePlan(const std::string& policy) const;
  PlanFile Plan(const std::string& policy) const;
  RunOrder Request(const std::vector<std::string>& policies) const;
  // A place like this one, where units "fake" have `fake`'s kernels.
  HarnessHost Place(FakeKernels* fake = nullptr);

  std::string memories, links;  // of the platform
  std::string units;
  std::string streams;                            // of the scenario
  std::string more;                               // members of the scenario: ", ..."
  std::map<std::string, std::string> precisions;  // of units that have another one than fp32
  std::string loads;                              // members of the profile: ", ..."
  std::vector<std::string> batches = {"1", "2"};  // that the profile has times of
  std::set<std::string> stages;                   // units without times of m0 and m1
  std::string times;                              // of other models, entries of the profile: ", {...}"
  std::string origin;                             // of the profile
  TempFolder folder;

 private:
  std::filesystem::path WriteScenario() const;
  std::unique_ptr<FakeBackend> backend_;
};

}  // namespace tandem
