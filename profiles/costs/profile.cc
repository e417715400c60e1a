#include "profiles/costs/profile.h"

#include <algorithm>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "profiles/costs/entry_keys.h"

namespace tandem {
namespace {

template <class Entry>
void CheckListTogether(const std::vector<const Profile*>& profiles, const char* list,
                       std::vector<Entry> Profile::*member) {
  const auto all = SameEntries(profiles, member);
  const auto before = [](const auto& a, const auto& b) { return a[1] < b[1]; };
  const auto first = std::min_element(all.begin(), all.end(), before);  // in the order of the files
  if (first == all.end()) return;
  const auto place = [&](const EntryPlace& at) {
    return profiles[at.profile]->At("/") + list + "/" + std::to_string(at.index);
  };
  throw InputError(place((*first)[1]) + ": is the same entry as " + place((*first)[0]));
}

}  // namespace

Timing Timing::OfSamples(std::vector<Nanos> samples) {
  TANDEM_CHECK(!samples.empty(), "a median needs at least one sample");
  const Nanos median = LowerMedian(samples);
  return Timing{median, std::move(samples)};
}

std::optional<double> ErrorOfAll(const Origin& origin) {
  std::optional<double> error = origin.error;
  for (const Origin& part : origin.merged) {
    if (const auto of_part = ErrorOfAll(part); of_part && !origin.error) {
      error = std::max(error.value_or(0), *of_part);
    }
  }
  return error;
}

std::int64_t BytesOfPrecision(std::string_view precision) {
  if (precision.find("64") != std::string_view::npos) return 8;
  if (precision.find("16") != std::string_view::npos) return 2;
  if (precision.find('8') != std::string_view::npos) return 1;
  return 4;
}

std::string Variant::Text() const { return name.empty() ? precision : name + "/" + precision; }

void CheckTogether(const std::vector<const Profile*>& profiles) {
  ForEachList([&](const char* list, auto member) { CheckListTogether(profiles, list, member); });
}

}  // namespace tandem
