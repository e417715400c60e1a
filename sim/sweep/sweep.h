// Room sim/sweep: many runs out of one file: axes, designs, keys, rows, and what the rows say together.
//
// A scenario with values that vary. File kind "sweep/1"; docs/sweep.md says what it means.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/json_reader.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

struct SweepRange {
  double from = 0, to = 0;
  std::optional<double> step;
  std::optional<std::int64_t> points;
  bool log = false;
  std::optional<bool> integer;  // values are rounded to integers; nothing: where all that is said is whole

  bool IsInteger() const;
};

// What varies: the same value at one or several places of the scenario.
struct SweepAxis {
  std::string name;
  std::vector<std::string> pointers;  // "" is the whole scenario, by its name
  bool multiplies = false;            // what stands there, instead of replacing it
  std::vector<std::string> values;    // JSON texts; empty: a range
  std::optional<SweepRange> range;

  bool Is(std::string_view pointer) const { return pointers.size() == 1 && pointers[0] == pointer; }
};

enum class SweepDesignType : std::uint8_t { kGrid, kRandom, kLatinHypercube };
inline constexpr std::array<Named<SweepDesignType>, 3> kSweepDesignNames = {
    {{"grid", SweepDesignType::kGrid},
     {"random", SweepDesignType::kRandom},
     {"latin_hypercube", SweepDesignType::kLatinHypercube}}};

struct SweepDesign {
  SweepDesignType type = SweepDesignType::kGrid;
  std::int64_t points = 0;  // of all but a grid
  std::uint64_t seed = 1;
};

// A run that breaks it is no good answer, however fast it is.
struct SweepRequirement {
  std::string figure;
  std::optional<double> at_most, at_least;
};

struct Sweep {
  std::string file;  // what messages call it, and what the scenario's path is relative to
  std::string name, note;
  std::string scenario;                // a shipped name or a path
  std::vector<std::string> policies;   // by label or name; empty: the scenario's
  std::optional<Objective> objective;  // nothing: the scenario's
  std::vector<SweepAxis> axes;
  SweepDesign design;
  std::vector<SweepRequirement> require;
  bool bound = false;  // rows have bound and gap
  // Percent: so sure their intervals are; nothing: they have none.
  std::optional<double> interval;
};

// Reads and judges what the file alone can tell; throws InputError.
Sweep ReadSweep(const JsonReader& root);

// By its file or its shipped name.
Sweep LoadSweep(const std::string& argument);

}  // namespace tandem
