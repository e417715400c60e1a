#include "profiles/profile.h"

#include <algorithm>
#include <unordered_map>

#include "profiles/check.h"
#include "profiles/input_error.h"

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

std::string KeyOfEntry(const CostEntry& entry) {
  return KeyOf({entry.model, entry.unit, entry.variant.name, entry.variant.precision,
                std::to_string(entry.batch), entry.mapped ? "mapped" : "", KeyOfLayers(entry.layers)});
}
std::string KeyOfEntry(const TransferEntry& entry) {
  return KeyOf({entry.from, entry.to, std::to_string(entry.bytes)});
}
std::string KeyOfEntry(const LoadEntry& entry) {
  return KeyOf({entry.model, entry.unit, entry.variant.name, entry.variant.precision});
}
std::string KeyOfEntry(const DispatchEntry& entry) { return entry.unit; }
std::string KeyOfEntry(const CoRunningEntry& entry) {
  const auto& traffic = entry.beside_traffic_bytes_per_s;
  return KeyOf({entry.unit, entry.model, KeyOfLayers(entry.layers), entry.beside, entry.beside_model,
                KeyOfLayers(entry.beside_layers), traffic ? std::to_string(*traffic) : ""});
}
std::string KeyOfEntry(const BackgroundEntry& entry) {
  return KeyOf({entry.unit, std::to_string(entry.load_pct), entry.model, KeyOfLayers(entry.layers)});
}

struct EntryPlace {
  const Profile* profile;
  std::size_t index;
};

template <class Entry>
void CheckListTogether(const std::vector<const Profile*>& profiles, const char* list,
                       const std::vector<Entry> Profile::*member) {
  std::unordered_map<std::string, EntryPlace> seen;
  for (const Profile* profile : profiles) {
    const auto& entries = profile->*member;
    seen.reserve(seen.size() + entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto [first, is_new] = seen.try_emplace(KeyOfEntry(entries[i]), EntryPlace{profile, i});
      if (is_new) continue;
      const std::string pointer = ":/" + std::string(list) + "/";
      throw InputError(profile->file + pointer + std::to_string(i) + ": is the same entry as " +
                       first->second.profile->file + pointer + std::to_string(first->second.index));
    }
  }
}

}  // namespace

Timing Timing::OfSamples(std::vector<Nanos> samples) {
  TANDEM_CHECK(!samples.empty(), "a median needs at least one sample");
  std::vector<Nanos> sorted = samples;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return Timing{*middle, std::move(samples)};
}

std::string Variant::Text() const { return name.empty() ? precision : name + "/" + precision; }

void CheckTogether(const std::vector<const Profile*>& profiles) {
  CheckListTogether(profiles, "entries", &Profile::entries);
  CheckListTogether(profiles, "transfers", &Profile::transfers);
  CheckListTogether(profiles, "loads", &Profile::loads);
  CheckListTogether(profiles, "dispatch", &Profile::dispatch);
  CheckListTogether(profiles, "co_running", &Profile::co_running);
  CheckListTogether(profiles, "background", &Profile::background);
}

}  // namespace tandem
