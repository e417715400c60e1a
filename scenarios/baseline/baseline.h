// The figures of runs that somebody looked at and took for right, kept to be held against later ones. File
// kind "baseline/1"; a figure stands on a line of its own, so that a change reads well in a diff.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/baseline/figure.h"
#include "scenarios/baseline/tolerance.h"
#include "scenarios/trace/time_by_cause.h"

namespace tandem {

struct KeptFigure {
  FigureValue value;
  Tolerance tolerance;
};
using KeptFigures = std::vector<std::pair<std::string, KeptFigure>>;  // in the order of the file

struct ModelWork {
  std::int64_t tasks = 0;
  Nanos working{0};
};

// Where a unit's time went. It is not judged: it tells why a figure moved.
struct UnitWork {
  std::string unit;
  UnitTime time;
  std::map<std::string, ModelWork> models;
};

// A scenario under one policy.
struct BaselineCase {
  std::string scenario;  // a shipped name, or a path relative to the baseline
  std::string inputs;    // "sha256:..." over all that the scenario reads
  std::string engine = "virtual";
  std::uint64_t seed = 1;
  std::string policy;  // its label
  KeptFigures figures;
  std::map<std::string, Nanos> stream_latency;  // mean; not judged
  std::vector<UnitWork> work;                   // in the order of the units; empty: not kept
  std::string place;                            // "file:/cases/0", for messages; not part of the file

  const KeptFigure* Find(std::string_view figure) const;
};

struct Baseline {
  std::string file;  // what messages call it, and what paths in it are relative to
  std::string name;
  std::string version;  // of tandem, which wrote it
  std::string note;
  std::vector<std::string> figures;  // what each case is to have; empty: what others of its scenario have
  std::vector<BaselineCase> cases;
};

// Throws InputError.
Baseline ReadBaseline(const JsonReader& root);
Baseline ReadBaselineFile(const std::filesystem::path& path);
std::string BaselineJson(const Baseline& baseline);

}  // namespace tandem
