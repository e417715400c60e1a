#include "profiles/costs/profile.h"

#include <algorithm>

#include "profiles/base/check.h"
#include "profiles/base/hash.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

// Names hold no control characters, so this keeps the parts of a key apart.
constexpr char kSeparator = '\x1f';

std::string KeyOf(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key += part;
    key += kSeparator;
  }
  return key;
}

// Groups are sets: the order in which a file lists their layers does not make them different.
std::string KeyOfLayers(const std::vector<std::string>& layers) {
  if (layers.size() == 1) return layers[0];
  std::vector<std::string_view> sorted(layers.begin(), layers.end());
  std::sort(sorted.begin(), sorted.end());
  std::string key;
  for (const std::string_view layer : sorted) key += KeyOf({layer});
  return key;
}

std::string KeyOfEntry(const CostEntry& entry, ModelKeys& models) {
  return KeyOf({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision,
                std::to_string(entry.batch), entry.mapped ? "mapped" : "", KeyOfLayers(entry.layers)});
}
std::string KeyOfEntry(const PartEntry& entry, ModelKeys& models) {
  return KeyOf({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision,
                std::to_string(entry.batch), NameOf(kSplitAxisNames, entry.axis), std::to_string(entry.size),
                KeyOfLayers(entry.layers)});
}
std::string KeyOfEntry(const TransferEntry& entry, ModelKeys&) {
  return KeyOf({entry.from, entry.to, std::to_string(entry.bytes)});
}
std::string KeyOfEntry(const LoadEntry& entry, ModelKeys& models) {
  return KeyOf({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision});
}
std::string KeyOfEntry(const DispatchEntry& entry, ModelKeys&) {
  return KeyOf({entry.unit, entry.split ? "split" : ""});
}
std::string KeyOfEntry(const CoRunningEntry& entry, ModelKeys& models) {
  const auto& traffic = entry.beside_traffic_bytes_per_s;
  return KeyOf({entry.unit, models.Of(entry.model), KeyOfLayers(entry.layers), entry.beside,
                models.Of(entry.beside_model), KeyOfLayers(entry.beside_layers),
                traffic ? std::to_string(*traffic) : ""});
}
std::string KeyOfEntry(const TrafficEntry& entry, ModelKeys& models) {
  return KeyOf({models.Of(entry.model), KeyOfLayers(entry.layers), entry.unit});
}
std::string KeyOfEntry(const BackgroundEntry& entry, ModelKeys& models) {
  return KeyOf(
      {entry.unit, std::to_string(entry.load_pct), models.Of(entry.model), KeyOfLayers(entry.layers)});
}

// Where an entry stands. Keys are long and equal ones rare, so hashes are compared first.
struct HashedEntry {
  std::uint64_t hash = 0;
  std::size_t profile = 0, index = 0;
  friend auto operator<=>(const HashedEntry&, const HashedEntry&) = default;
};

template <class Entry>
void CheckListTogether(const std::vector<const Profile*>& profiles, const char* list,
                       const std::vector<Entry> Profile::*member) {
  std::vector<ModelKeys> models;
  std::vector<HashedEntry> hashed;
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    models.emplace_back(profiles[p]->file);
    const auto& entries = profiles[p]->*member;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      hashed.push_back({Fnv1a64(KeyOfEntry(entries[i], models[p])), p, i});
    }
  }
  std::sort(hashed.begin(), hashed.end());
  const auto key = [&](const HashedEntry& at) {
    return KeyOfEntry((profiles[at.profile]->*member)[at.index], models[at.profile]);
  };
  const auto place = [&](const HashedEntry& at) {
    return profiles[at.profile]->At("/") + list + "/" + std::to_string(at.index);
  };
  const HashedEntry* first_twice = nullptr;  // in the order of the files
  for (std::size_t i = 1; i < hashed.size(); ++i) {
    if (hashed[i - 1].hash != hashed[i].hash || key(hashed[i - 1]) != key(hashed[i])) continue;
    const auto order = [](const HashedEntry& at) { return std::pair(at.profile, at.index); };
    if (first_twice == nullptr || order(hashed[i]) < order(*first_twice)) first_twice = &hashed[i];
  }
  if (first_twice != nullptr) {
    throw InputError(place(*first_twice) + ": is the same entry as " + place(*(first_twice - 1)));
  }
}

}  // namespace

Timing Timing::OfSamples(std::vector<Nanos> samples) {
  TANDEM_CHECK(!samples.empty(), "a median needs at least one sample");
  const Nanos median = LowerMedian(samples);
  return Timing{median, std::move(samples)};
}

std::string Variant::Text() const { return name.empty() ? precision : name + "/" + precision; }

void CheckTogether(const std::vector<const Profile*>& profiles) {
  CheckListTogether(profiles, "entries", &Profile::entries);
  CheckListTogether(profiles, "parts", &Profile::parts);
  CheckListTogether(profiles, "transfers", &Profile::transfers);
  CheckListTogether(profiles, "loads", &Profile::loads);
  CheckListTogether(profiles, "dispatch", &Profile::dispatch);
  CheckListTogether(profiles, "co_running", &Profile::co_running);
  CheckListTogether(profiles, "traffic", &Profile::traffic);
  CheckListTogether(profiles, "background", &Profile::background);
}

}  // namespace tandem
