// What makes two entries of profiles the same, whatever they say.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/base/hash.h"
#include "profiles/costs/profile.h"

namespace tandem {

std::string KeyOfEntry(const CostEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const PartEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const TransferEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const LoadEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const DispatchEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const CoRunningEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const TrafficEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const BackgroundEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const TogetherEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const HandOverEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const AfterIdleEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const AfterOtherEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const RepeatedEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const SharingEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const MemoryEntry& entry, ModelKeys& models);
std::string KeyOfEntry(const KernelEntry& entry, ModelKeys& models);

// Of a point of a curve (one by traffic): what all points of that curve have. Else the entry's own key.
std::string KeyOfCurve(const CoRunningEntry& entry, ModelKeys& models);

// Calls body("entries", &Profile::entries), and so for every list of a profile.
template <class Body>
void ForEachList(Body body) {
  body("entries", &Profile::entries);
  body("parts", &Profile::parts);
  body("transfers", &Profile::transfers);
  body("loads", &Profile::loads);
  body("dispatch", &Profile::dispatch);
  body("co_running", &Profile::co_running);
  body("traffic", &Profile::traffic);
  body("background", &Profile::background);
  body("together", &Profile::together);
  body("hand_overs", &Profile::hand_overs);
  body("after_idle", &Profile::after_idle);
  body("after_other", &Profile::after_other);
  body("repeated", &Profile::repeated);
  body("sharing", &Profile::sharing);
  body("memory", &Profile::memory);
  body("kernels", &Profile::kernels);
}

struct EntryPlace {
  std::size_t profile = 0, index = 0;
  friend auto operator<=>(const EntryPlace&, const EntryPlace&) = default;
};

// Entries that are there more than once by `key_of(entry, models)`: the places of each, ascending.
template <class Entry, class KeyOf>
std::vector<std::vector<EntryPlace>> SameEntries(const std::vector<const Profile*>& profiles,
                                                 std::vector<Entry> Profile::*member, KeyOf key_of) {
  // Keys are long and equal ones rare, so hashes are compared first.
  struct Hashed {
    std::uint64_t hash = 0;
    EntryPlace at;
    auto operator<=>(const Hashed&) const = default;
  };
  std::vector<ModelKeys> models;
  std::vector<Hashed> hashed;
  const auto key = [&](const EntryPlace& at) {
    return key_of((profiles[at.profile]->*member)[at.index], models[at.profile]);
  };
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    models.emplace_back(profiles[p]->file);
    for (std::size_t i = 0; i < (profiles[p]->*member).size(); ++i) {
      hashed.push_back({Fnv1a64(key({p, i})), {p, i}});
    }
  }
  std::sort(hashed.begin(), hashed.end());
  std::vector<std::vector<EntryPlace>> same;
  for (std::size_t i = 1; i < hashed.size(); ++i) {
    const EntryPlace &before = hashed[i - 1].at, &here = hashed[i].at;
    if (hashed[i - 1].hash != hashed[i].hash || key(before) != key(here)) continue;
    if (same.empty() || same.back().back() != before) same.push_back({before});
    same.back().push_back(here);
  }
  return same;
}

template <class Entry>
std::vector<std::vector<EntryPlace>> SameEntries(const std::vector<const Profile*>& profiles,
                                                 std::vector<Entry> Profile::*member) {
  return SameEntries(profiles, member,
                     [](const Entry& entry, ModelKeys& models) { return KeyOfEntry(entry, models); });
}

}  // namespace tandem
