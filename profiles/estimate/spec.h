// What is known of a board whose layers are to be estimated: peak rates, and times of whole models where they
// are known. A board whose layers are known has such a file too, without models: its peak rates turn its
// layers into efficiencies. File kind "estimate/1".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/costs/platform.h"
#include "profiles/costs/profile.h"

namespace tandem {

// Layers that are known: of a unit of a board, in one variant.
struct KnownUnitRef {
  std::string board;  // has an estimate/1 file with its peak rates
  std::string unit;
  std::optional<std::string> variant;  // "cudnn/fp32" or "cudnn"; absent: all variants of the unit
  std::string Text() const;            // "jetson-tx1/gpu/cudnn"
};

struct UnitEstimate {
  std::vector<std::string> units;  // several that are alike
  std::optional<Variant> variant;  // of a board with known layers: the figures are for this variant alone
  std::optional<double> peak_macs_per_s;        // absent: found from the whole-model times
  std::optional<double> bandwidth_bytes_per_s;  // absent: the memory's
  std::int64_t gemm_threads = 1;                // see Rates
  std::vector<KnownUnitRef> like;               // whose efficiencies; empty: all known units of the same kind
  std::optional<KnownUnitRef> layers_of;  // a unit of the same make: its known times are taken as they are
  std::map<std::string, Nanos> whole_models;
  std::string note;
};

struct EstimateSpec {
  std::string file;
  std::string platform;
  std::string note;
  std::vector<std::string>
      profiles;  // where the known layers are; default: the profile of the platform's name
  std::vector<UnitEstimate> units;
  std::vector<std::string> models;
  std::int64_t batch = 1;
};

EstimateSpec ReadEstimateSpec(const JsonReader& value);
EstimateSpec ReadEstimateSpecFile(const std::filesystem::path& path);

}  // namespace tandem
