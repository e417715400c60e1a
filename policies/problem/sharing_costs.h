// What tasks cost each other that share a unit's time, as profiles tell it: by how many are there at once, by
// which ones where pairs were measured, and by whether each has a program of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "policies/problem/entry_reader.h"

namespace tandem {

class SharingCosts {
 public:
  explicit SharingCosts(std::size_t units) : units_(units) {}

  // How particular the entries are that count so far.
  using Weights = std::array<std::vector<int>, 2>;
  void Read(EntryReader& reader, Weights& weights);

  bool none() const { return points_.empty(); }  // that profiles tell of any unit
  // As Slowdowns has them.
  double Of(SegmentId segment, UnitId unit, std::int64_t at_once, bool apart) const;
  bool by_pairs() const { return !pairs_.empty(); }
  double With(SegmentId segment, UnitId unit, std::span<const SegmentId> others, bool apart) const;
  bool Know(UnitId unit) const;
  // By how much With() is off of groups that nobody measured, per segment and unit.
  void GroupsAreOff(std::vector<double> by) { groups_ = std::move(by); }

 private:
  struct Pair {
    UnitId unit;
    EntryWork work;
    ModelId beside;
    bool apart;
    std::size_t curve;  // of points_
  };
  static double Shared(const SlowdownPoints& points, double at_once);
  const Pair* Find(SegmentId segment, UnitId unit, SegmentId other, bool apart) const;
  bool IsMeasured(SegmentId segment, UnitId unit, std::span<const SegmentId> others, bool apart) const;

  std::size_t units_;
  std::vector<ModelId> model_of_;       // per segment, where there are pairs
  std::vector<SlowdownPoints> points_;  // by tasks at once; of all units and models
  // Per segment and unit: which of them; -1: none. Of threads of one program, and of programs.
  std::array<std::vector<double>, 2> share_;
  std::vector<Pair> pairs_;
  std::vector<double> groups_;  // empty: as With() says
};

}  // namespace tandem
