// Layers whose times are known, with what they ask of a processor and what it could do at best: what an
// estimate is fitted to, and held against.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "profiles/estimate/efficiency_fit.h"
#include "profiles/estimate/spec.h"

namespace tandem {

// Builds every model once per batch and input.
class ModelShelf {
 public:
  // `input`: of one inference; empty is the model's usual one.
  const Model& Get(const std::string& name, const std::filesystem::path& from, std::int64_t batch,
                   const Shape& input = {});

 private:
  std::map<std::tuple<std::string, std::int64_t, Shape>, Model> models_;
};

struct KnownModel {
  std::string name;
  std::int64_t batch = 1;
  std::vector<KnownTime> layers;  // those that compute; fused groups count as one
  double total_seconds = 0;       // of `layers`
};

// One unit of a board in one variant.
struct KnownUnit {
  std::string board;
  std::string unit;
  Variant variant;
  UnitKind kind = UnitKind::kCpu;
  Rates peak;
  std::vector<KnownModel> models;
  std::string Text() const;  // "jetson-tx1/gpu/cudnn/fp32"
};

// The platform and the profiles that an estimate/1 file speaks of.
Platform PlatformOf(const EstimateSpec& spec);
std::vector<Profile> ProfilesOf(const EstimateSpec& spec);

// What the file alone cannot tell: the platform and its units, the profiles of known layers, the models.
// Throws InputError.
void CheckEstimateSpec(const EstimateSpec& spec);

// What the unit can do at best; the peak rate is 0 where the spec leaves it out.
Rates PeakOf(const EstimateSpec& spec, std::size_t unit, const Platform& platform);

// All units of the board of `spec` whose layers are known, in order of unit and variant. Entries of a board
// that name whole models are left out.
std::vector<KnownUnit> KnownUnitsOf(const EstimateSpec& spec, ModelShelf& shelf);

// The shipped boards with known layers: those with an estimate/1 file that lists no models.
std::vector<EstimateSpec> ShippedKnownBoards();

bool Matches(const KnownUnitRef& wanted, const Variant& variant);

}  // namespace tandem
