// What scenarios and plans can say that a target of --emit may be unable to: one table, with how to see that
// a plan says it. Each target answers for each feature; what it leaves out is said from here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/emit/deployment.h"

namespace tandem {

// Where a plan uses a feature, as a sentence about it begins: "stream \"camera\": priority 2".
struct FeatureUse {
  std::string what;
  StreamId stream = {};  // whose it is; invalid: of no single one
};

struct Feature {
  std::string_view name;                 // "keep_latest"
  std::string_view summary;              // in docs/emit.md
  std::vector<std::string_view> fields;  // of schemas, as they say it: "stream.keep_latest"
  std::string_view lost;                 // what follows from leaving it out; '*' is the target
  std::vector<FeatureUse> (*uses)(const Deployment& deployment) = nullptr;
};

// In the order in which sentences are said.
const std::vector<Feature>& Features();

// Parts of the table, by what they are of.
std::vector<Feature> PlanFeatures();
std::vector<Feature> UnitFeatures();
std::vector<Feature> StreamFeatures();

enum class Expressed : std::uint8_t {
  kYes,
  kPartly,  // what is lost of it the answer says, or, where that has no words, the target itself as it writes
  kNo,
};

struct FeatureAnswer {
  std::string_view feature;
  Expressed expressed = Expressed::kNo;
  std::string_view words = {};  // in place of the feature's own `lost`
};
using FeatureAnswers = std::vector<FeatureAnswer>;

}  // namespace tandem
