// Room scenarios/exchange: what the two programs write to each other: orders to the board and its answers.
//
// What `tandem-device run` is asked to do: one plan, or several to be run in turn. File kind "run-request/1";
// a plan file stands for a request with this plan alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/scenario/plan.h"

namespace tandem {

struct RunSettings {
  std::int64_t repeats = 1;  // of every plan
  std::int64_t tries = 1;    // of a run that the machine disturbed; the least disturbed one counts
  std::uint64_t seed = 1;    // of weights, inputs and the order in which plans take turns
  bool check = true;         // outputs against those of one unit alone
  bool trace = false;        // the result carries a trace of every run
  bool force = false;        // run plans of other machines or library versions too
  bool each = false;         // every run is told as soon as it is done: see RunRecords
};
struct RunOrder : RunSettings {
  std::vector<PlanFile> plans;
};
struct RunOrderToWrite : RunSettings {
  std::vector<std::string> plans;  // as WholePlanJson makes them
};

// A request or a plan. Throws InputError. `options.device` stands for the platform "device".
RunOrder ReadRunOrder(const JsonReader& root, const ScenarioOptions& options = {});
std::string RunOrderText(const RunOrderToWrite& order);

}  // namespace tandem
