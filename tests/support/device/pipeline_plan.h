// Plans of pipelines for the library: stages that only an application can run, and networks, on two units.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/service/tandem_device.h"
#include "policies/engine/policy.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "tests/support/temp_folder.h"

namespace tandem {

// Three bytes a, b, c become the numbers a, -b, c, 1.
void DecodeBytes(const device::StageCall& call);
// Three bytes as Submit takes them: in one float.
std::vector<std::vector<float>> FrameOf(unsigned char a, unsigned char b = 1, unsigned char c = 2);

// Of the scenario's first policy.
void WritePlanOf(const std::filesystem::path& scenario, const std::filesystem::path& plan);

// Per stream the indices of those that the simulation of its first policy completes.
std::map<std::string, std::set<std::uint64_t>> CompletedInSimulation(const Scenario& scenario);

// In a folder of its own: "./decode.json" makes four numbers of three bytes, "./net.json" doubles those that
// are positive, "./track.json" makes seven bytes of four numbers.
class PipelinePlan {
 public:
  PipelinePlan();

  // `on`: the units that run each model, as the profile has it.
  std::string Write(const std::string& streams,
                    const std::map<std::string, std::vector<std::string>>& on = {
                        {"decode", {"u0", "u1"}}, {"net", {"u0", "u1"}}, {"track", {"u0", "u1"}}});
  const std::filesystem::path& folder() const { return folder_; }
  Scenario Written() const { return ReadScenarioFile(folder_ / "pipe.scenario.json"); }

  std::string backend = "reference";
  std::string median_us = "10";

 private:
  TempFolder folder_;
};

// What became of the requests of a service's streams, by their number.
class Answers {
 public:
  device::PlanService::Callback Note();
  const device::RequestResult& Of(const std::string& stream, std::uint64_t number) const;
  std::set<std::uint64_t> Numbers(const std::string& stream, device::RequestStatus status) const;
  std::size_t size() const;
  // Of the callbacks.
  std::vector<std::pair<std::string, std::uint64_t>> order() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, device::RequestResult> of_;
  std::vector<std::pair<std::string, std::uint64_t>> order_;
};

}  // namespace tandem
