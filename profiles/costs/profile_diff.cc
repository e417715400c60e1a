#include "profiles/costs/profile_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profiles/base/joined.h"
#include "profiles/base/rank_test.h"

namespace tandem {
namespace {

using RowKey = std::tuple<std::string, std::string, std::string>;  // kind, unit, what
using TimesByKey = std::map<RowKey, Timing>;

std::string ShortLayers(const std::vector<std::string>& layers) {
  if (layers.empty()) return "";
  if (layers.size() < 4) return ", " + Joined(layers, " ");
  return ", " + layers.front() + " to " + layers.back() + " (" + std::to_string(layers.size()) + " layers)";
}

std::string WorkText(const std::string& model, const std::vector<std::string>& layers, std::int64_t batch,
                     const Variant& variant) {
  std::string text = model + ShortLayers(layers);
  if (batch != 1) text += ", batch " + std::to_string(batch);
  return text + (variant == Variant() ? "" : ", " + variant.Text());
}

// Two lists of layers may begin and end alike: the second such row says all of its layers.
void PutTime(TimesByKey& times, RowKey key, const std::vector<std::string>& layers, const Timing& time) {
  if (times.count(key) != 0) std::get<2>(key) += ": " + Joined(layers, " ");
  times.emplace(std::move(key), time);
}

TimesByKey TimesOf(const Profile& profile) {
  TimesByKey times;
  for (const CostEntry& e : profile.entries) {
    PutTime(times,
            {"entry", e.unit, WorkText(e.model, e.layers, e.batch, e.variant) + (e.mapped ? ", mapped" : "")},
            e.layers, e.time);
  }
  for (const PartEntry& e : profile.parts) {
    const std::string axis = e.axis == SplitAxis::kChannels ? " channels" : " rows";
    PutTime(times,
            {"part", e.unit,
             WorkText(e.model, e.layers, e.batch, e.variant) + ", " + std::to_string(e.size) + axis},
            e.layers, e.time);
  }
  for (const TransferEntry& e : profile.transfers) {
    PutTime(times, {"transfer", e.from + " to " + e.to, std::to_string(e.bytes) + " bytes"}, {}, e.time);
  }
  for (const LoadEntry& e : profile.loads) {
    PutTime(times, {"load", e.unit, WorkText(e.model, {}, 1, e.variant)}, {}, e.time);
  }
  for (const DispatchEntry& e : profile.dispatch) {
    PutTime(times, {"dispatch", e.unit, e.split ? "a part of a layer" : "a task"}, {}, e.time);
  }
  return times;
}

ProfileDiffRow RowOf(const RowKey& key, const Timing* before, const Timing* after) {
  ProfileDiffRow row;
  std::tie(row.kind, row.unit, row.what) = key;
  if (before) row.before = *before;
  if (after) row.after = *after;
  if (!after) row.move = TimeMove::kGone;
  if (!before) row.move = TimeMove::kNew;
  if (!before || !after) return row;
  if (!before->samples.empty() && !after->samples.empty()) {
    row.p = ShiftTest(before->samples, after->samples);
  } else if (before->median != after->median) {
    row.move = TimeMove::kUntested;
  }
  return row;
}

std::vector<ProfileDiffRow> RowsOf(const TimesByKey& before, const TimesByKey& after) {
  std::vector<ProfileDiffRow> rows;
  for (const auto& [key, time] : before) {
    const auto found = after.find(key);
    rows.push_back(RowOf(key, &time, found == after.end() ? nullptr : &found->second));
  }
  for (const auto& [key, time] : after) {
    if (before.count(key) == 0) rows.push_back(RowOf(key, nullptr, &time));
  }
  return rows;
}

// Of all rows that were tested, together.
void JudgeTested(std::vector<ProfileDiffRow>& rows) {
  std::vector<double> p;
  for (const ProfileDiffRow& row : rows) {
    if (row.p) p.push_back(*row.p);
  }
  const std::vector<double> rates = FalseDiscoveryRates(p);
  std::size_t tested = 0;
  for (ProfileDiffRow& row : rows) {
    if (!row.p) continue;
    row.rate = rates[tested++];
    if (*row.rate > kMostFalseDiscoveries || row.before->median == row.after->median) continue;
    row.move = row.after->median > row.before->median ? TimeMove::kSlower : TimeMove::kFaster;
  }
}

}  // namespace

std::optional<double> ProfileDiffRow::Change() const {
  if (!before || !after || before->median <= Nanos{0}) return std::nullopt;
  return static_cast<double>(after->median.count()) / static_cast<double>(before->median.count()) - 1;
}

std::vector<ProfileDiffRow> DiffProfiles(const Profile& before, const Profile& after, double least) {
  std::vector<ProfileDiffRow> rows = RowsOf(TimesOf(before), TimesOf(after));
  JudgeTested(rows);
  for (ProfileDiffRow& row : rows) {
    if (const auto change = row.Change(); change && std::abs(*change) < least) row.move = TimeMove::kSame;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileDiffRow& a, const ProfileDiffRow& b) {
    if (a.move != b.move) return a.move < b.move;
    return std::abs(a.Change().value_or(0)) > std::abs(b.Change().value_or(0));
  });
  return rows;
}

}  // namespace tandem
