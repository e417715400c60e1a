#include "profiles/costs/entry_keys.h"

namespace tandem {
namespace {

// Names hold no control characters, so this keeps the parts of a key apart.
constexpr char kSeparator = '\x1f';

std::string JoinedKey(std::initializer_list<std::string_view> parts) {
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
  for (const std::string_view layer : sorted) key += JoinedKey({layer});
  return key;
}

}  // namespace

std::string KeyOfEntry(const CostEntry& entry, ModelKeys& models) {
  return JoinedKey({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision,
                    std::to_string(entry.batch), entry.mapped ? "mapped" : "", KeyOfLayers(entry.layers)});
}
std::string KeyOfEntry(const PartEntry& entry, ModelKeys& models) {
  return JoinedKey({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision,
                    std::to_string(entry.batch), NameOf(kSplitAxisNames, entry.axis),
                    std::to_string(entry.size), KeyOfLayers(entry.layers)});
}
std::string KeyOfEntry(const TransferEntry& entry, ModelKeys&) {
  return JoinedKey({entry.from, entry.to, std::to_string(entry.bytes)});
}
std::string KeyOfEntry(const LoadEntry& entry, ModelKeys& models) {
  return JoinedKey({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision});
}
std::string KeyOfEntry(const DispatchEntry& entry, ModelKeys&) {
  return JoinedKey({entry.unit, entry.split ? "split" : ""});
}
std::string KeyOfEntry(const CoRunningEntry& entry, ModelKeys& models) {
  const auto& traffic = entry.beside_traffic_bytes_per_s;
  return JoinedKey({entry.unit, models.Of(entry.model), KeyOfLayers(entry.layers), entry.beside,
                    models.Of(entry.beside_model), KeyOfLayers(entry.beside_layers),
                    traffic ? std::to_string(*traffic) : ""});
}
std::string KeyOfCurve(const CoRunningEntry& entry, ModelKeys& models) {
  if (!entry.beside_traffic_bytes_per_s) return KeyOfEntry(entry, models);
  CoRunningEntry curve = entry;
  curve.beside_traffic_bytes_per_s = -1;
  return KeyOfEntry(curve, models);
}
std::string KeyOfEntry(const TrafficEntry& entry, ModelKeys& models) {
  return JoinedKey({models.Of(entry.model), KeyOfLayers(entry.layers), entry.unit});
}
std::string KeyOfEntry(const BackgroundEntry& entry, ModelKeys& models) {
  return JoinedKey(
      {entry.unit, std::to_string(entry.load_pct), models.Of(entry.model), KeyOfLayers(entry.layers)});
}

std::string KeyOfEntry(const TogetherEntry& entry, ModelKeys& models) {
  return JoinedKey(
      {entry.unit, models.Of(entry.model), KeyOfLayers(entry.layers), KeyOfLayers(entry.beside)});
}
std::string KeyOfEntry(const HandOverEntry& entry, ModelKeys&) {
  return JoinedKey({entry.from, entry.to, std::to_string(entry.bytes)});
}
std::string KeyOfEntry(const AfterIdleEntry& entry, ModelKeys& models) {
  return JoinedKey({entry.unit, models.Of(entry.model), std::to_string(entry.idle.count())});
}
std::string KeyOfEntry(const AfterOtherEntry& entry, ModelKeys& models) {
  return JoinedKey({entry.unit, models.Of(entry.model), KeyOfLayers(entry.layers)});
}
std::string KeyOfEntry(const RepeatedEntry& entry, ModelKeys& models) {
  return JoinedKey(
      {entry.unit, models.Of(entry.model), KeyOfLayers(entry.layers), std::to_string(entry.every.count())});
}
std::string KeyOfEntry(const SharingEntry& entry, ModelKeys& models) {
  return JoinedKey({entry.unit, models.Of(entry.model), models.Of(entry.beside_model),
                    entry.apart ? "apart" : "", std::to_string(entry.at_once)});
}
std::string KeyOfEntry(const MemoryEntry& entry, ModelKeys& models) {
  return JoinedKey({models.Of(entry.model), entry.unit, std::to_string(entry.batch), entry.variant.name,
                    entry.variant.precision});
}
std::string KeyOfEntry(const KernelEntry& entry, ModelKeys& models) {
  return JoinedKey({models.Of(entry.model), entry.unit, entry.variant.name, entry.variant.precision,
                    std::to_string(entry.batch), KeyOfLayers(entry.layers), entry.library});
}

}  // namespace tandem
