#include "profiles/model/zoo.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {
namespace {

// A function's static, so that it is there before the first registration whatever the order of files.
std::vector<ZooEntry>& Entries() {
  static std::vector<ZooEntry> entries;
  return entries;
}

bool NameBefore(const ZooEntry& entry, std::string_view name) { return entry.name < name; }

auto Place(std::string_view name) {
  return std::lower_bound(Entries().begin(), Entries().end(), name, NameBefore);
}

}  // namespace

const std::vector<ZooEntry>& Zoo() { return Entries(); }

const ZooEntry* FindInZoo(std::string_view name) {
  const auto found = Place(name);
  return found != Entries().end() && found->name == name ? &*found : nullptr;
}

ZooRegistration::ZooRegistration(ZooEntry entry) {
  TANDEM_CHECK(FindInZoo(entry.name) == nullptr, "every model of the zoo has a name of its own");
  const auto place = Place(entry.name);
  Entries().insert(place, std::move(entry));
}

}  // namespace tandem
