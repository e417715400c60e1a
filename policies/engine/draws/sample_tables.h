// What all draws of a problem share: of what entries times are made, and what is known of these.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/engine/drawn_moves.h"
#include "policies/engine/draws/drawn_slowdowns.h"
#include "policies/engine/draws/luck.h"
#include "policies/engine/draws/machine_courses.h"
#include "policies/engine/draws/sample_list.h"
#include "policies/problem/problem.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

// Of what entries' times one is made.
struct SampleTime {
  struct Use {
    std::size_t entry = 0;
    double share = 1;  // of the entry's time
  };
  std::vector<Use> uses;
  Nanos fixed{0};
  bool estimated = false;  // a part of layers that takes its share of them
  double scale = 1;        // of a batch whose size lies between: to the size that it varies as
};

struct SampleTables {
  struct Entry {
    Nanos median{0};
    std::optional<DrawnSamples> samples;  // nothing: the median alone
    bool one_sample = false;              // of which that is made
    // How far that sample, or a median of which nobody says of how many it is, may lie off: as the unit's
    // others scatter.
    std::optional<DrawnSamples::Scatter> like_others;
    std::size_t place = 0, profile = 0;
    UnitId unit;
    ModelId model;
  };
  using Use = SampleTime::Use;
  using Time = SampleTime;

  explicit SampleTables(const Problem& of);
  std::vector<Time> Read(bool mapped);
  Time ReadOne(SegmentId id, UnitId unit, bool mapped);
  Time TimeOf(const SegmentSamples& samples, UnitId unit, ModelId model, bool part);
  void ReadBatches();
  // Times of few samples of which nobody knows how far they scatter do as the unit's others.
  void ScatterFewLikeOthers();
  bool IsMeasured(const Entry& entry) const;
  std::vector<Time> BatchesOf(const Stream& stream, UnitId unit, bool mapped);
  std::size_t EntryOf(const SegmentSamples::Source& source, UnitId unit, ModelId model, bool part);
  void CheckParts();
  const Time& At(SegmentId segment, UnitId unit, bool through_mapping) const {
    const std::size_t at = segment.index() * problem->units() + unit.index();
    return through_mapping && !mapped.empty() ? mapped[at] : plain[at];
  }
  // Of so many requests of a stream that are begun together; null: they vary as one of them does.
  const Time* OfBatch(StreamId stream, UnitId unit, std::int64_t size, bool through_mapping) const;
  std::string Unknown(const Time& time) const;
  std::string WhyNotSure(const Entry& entry) const;
  // The same for a part in whatever cut it is.
  std::uint64_t PartHash(SegmentId segment, UnitId unit) const;

  const Problem* problem;
  std::vector<Entry> entries;
  std::map<std::size_t, std::size_t> by_place;
  std::vector<Time> plain, mapped;  // per segment and unit; mapped is empty without zero-copy
  // Per stream and unit, by size; without uses: as one inference varies. Empty where no requests go together.
  std::vector<std::vector<Time>> batches_plain, batches_mapped;
  std::vector<std::optional<double>> profile_error;
  std::vector<char> in_order_of_time;  // per profile: do its samples stand so for sure?
  std::optional<double> part_error;  // how far off shares were of parts that were measured, root mean square
  bool parts_estimated = false;
  std::vector<std::uint64_t> stream_hash, unit_hash;  // of their names
  // Medians with what lasts of each, per profile and entry.
  struct Lasting {
    std::uint64_t of = 0;  // what luck is asked for
    std::vector<std::vector<std::optional<DrawnSamples>>> samples;
    bool vary = false;  // from draw to draw
  };
  template <class Listed>
  Lasting LastingOf(std::vector<Listed> Profile::*list, std::uint64_t of) const;
  double FactorOf(const Lasting& lasting, std::size_t profile, std::size_t entry, const Luck& luck) const;
  std::shared_ptr<const HandOvers> DrawHandOvers(const Luck& luck) const;
  std::shared_ptr<const DrawnMoves> DrawMoves(const Luck& luck) const;
  std::vector<double> DrawDispatch(const Luck& luck) const;
  Lasting hand_overs, transfers, loads, dispatch;
  DrawnSlowdowns slowdowns;
  MachineCourses machine;
};

// What luck is asked for.
inline constexpr std::uint64_t kOfProfile = MixBits(11), kOfMean = MixBits(12), kOfParts = MixBits(13),
                               kOfSample = MixBits(14), kOfTail = MixBits(15), kOfMachine = MixBits(16),
                               kOfHandOver = MixBits(17), kOfTransfer = MixBits(18), kOfLoad = MixBits(19),
                               kOfDispatch = MixBits(20);

inline std::uint64_t Mixed(std::uint64_t a, std::uint64_t b) { return MixBits(a ^ MixBits(b)); }

inline Nanos DrawnTime(Nanos median, double factor) {
  const double drawn = static_cast<double>(median.count()) * factor;
  return Nanos{std::llround(std::min(drawn, static_cast<double>(kLongestTime.count())))};
}

}  // namespace tandem
