// Entries of profiles that speak of what slows work down, in which models, layers and units are names: whose
// work each of them is about, and the tables and curves that they make.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "policies/problem/cuts.h"

namespace tandem {

// Whose work an entry speaks of.
struct EntryWork {
  ModelId model;               // invalid: any
  std::vector<char> segments;  // empty: any; else per segment
  int weight() const { return (model.valid() ? 1 : 0) + (segments.empty() ? 0 : 1); }
  bool Covers(SegmentId segment, ModelId of) const {
    return (!model.valid() || model == of) && (segments.empty() || segments[segment.index()]);
  }
  friend bool operator==(const EntryWork&, const EntryWork&) = default;
};

// By traffic, pause or number of tasks: the slowdown; ascending.
using SlowdownPoints = std::vector<std::pair<double, double>>;
void AddPoint(SlowdownPoints& points, double at, double slowdown);
// Linear between the points, from 1 at 0 on, constant beyond the last one.
double OnLine(const SlowdownPoints& points, double at);

// Of one profile.
class EntryReader {
 public:
  // All of it outlives it. `model_of`: per segment.
  EntryReader(const Cuts& cuts, const std::vector<ModelId>& model_of, const Profile& profile)
      : cuts_(cuts), model_of_(model_of), profile_(profile), keys_(profile.file), units_(cuts.platform()) {}

  const Cuts& cuts() const { return cuts_; }
  const std::vector<ModelId>& model_of() const { return model_of_; }
  const Profile& profile() const { return profile_; }
  UnitId FindUnit(const std::string& name) const { return units_.Find(name); }  // invalid: there is none

  // Layers match a segment where all of the segment's are among them; a whole model has no layers to match.
  EntryWork WorkOf(const std::string& model, const std::vector<std::string>& layers);
  // Those of exactly these layers, in whatever batch.
  std::vector<std::size_t> SegmentsOf(const std::string& model, const std::vector<std::string>& layers);

  // In a table per segment and unit, where the work covers a segment and none more particular did. `weights`:
  // how particular the entries are that count so far, of this profile or another. `standard`: of those that
  // no entry is about.
  void Set(std::vector<double>& table, std::vector<int>& weights, UnitId unit, const EntryWork& work,
           double value, double standard) const;

 private:
  // Of one that the scenario has not: the id behind the last, which no task's model equals.
  ModelId ModelNamed(const std::string& model);

  const Cuts& cuts_;
  const std::vector<ModelId>& model_of_;
  const Profile& profile_;
  ModelKeys keys_;
  UnitNames units_;
};

}  // namespace tandem
