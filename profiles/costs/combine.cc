#include "profiles/costs/combine.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/clock_text.h"
#include "profiles/costs/entry_keys.h"
#include "profiles/costs/model_identity.h"

namespace tandem {
namespace {

// Of entries that are the same; names of models are relative to their files, layers in any order.
template <class Entry>
bool SayTheSame(const Entry& a, Entry b) {
  if constexpr (requires { b.model; }) b.model = a.model;
  if constexpr (requires { b.layers; }) b.layers = a.layers;
  if constexpr (requires { b.beside_model; }) b.beside_model = a.beside_model;
  if constexpr (requires { b.beside_layers; }) b.beside_layers = a.beside_layers;
  return a == b;
}

std::string NameOfProfile(const Profile& profile) {
  return profile.inside.empty() ? profile.file : profile.At("");
}

class Combination {
 public:
  Combination(const std::vector<Profile*>& profiles, Prefer prefer) : profiles_(profiles), prefer_(prefer) {}

  // Before single entries: a point that two curves share must not be taken out of the one that stays.
  void SettleCurves() {
    const auto key = [](const CoRunningEntry& entry, ModelKeys& models) { return KeyOfCurve(entry, models); };
    std::set<EntryPlace> gone;
    for (const auto& points : SameEntries(Read(), &Profile::co_running, key)) {
      if (SameCurve(points)) continue;
      const auto winner = WinnerOf(points);
      if (!winner) continue;
      for (const EntryPlace& point : points) {
        if (*winner == point.profile) continue;
        gone.insert(point);
        ++passed_over_[{"co_running", point.profile, *winner}];
      }
    }
    Erase(&Profile::co_running, gone);
  }

  template <class Entry>
  void Settle(const char* list, std::vector<Entry> Profile::*member) {
    std::set<EntryPlace> gone;
    for (const auto& same : SameEntries(Read(), member)) {
      EntryPlace best = same.front();
      for (std::size_t i = 1; i < same.size(); ++i) {
        const EntryPlace& other = same[i];
        if (best.profile == other.profile) continue;
        if (SayTheSame(At(best, member), At(other, member))) {
          gone.insert(other);
          continue;
        }
        const auto winner = Winner(best.profile, other.profile);
        if (!winner) continue;
        const EntryPlace loser = *winner == best.profile ? other : best;
        gone.insert(loser);
        ++passed_over_[{list, loser.profile, *winner}];
        if (*winner == other.profile) best = other;
      }
    }
    Erase(member, gone);
  }

  std::vector<std::string> Notes() const {
    std::vector<std::string> notes;
    for (const auto& [what, count] : passed_over_) {
      const auto& [list, loser, winner] = what;
      notes.push_back(list + ": " + Counted(count, "entry", "entries") + " of " + Named(loser) +
                      (count == 1 ? " is" : " are") + " passed over for " + Named(winner));
    }
    return notes;
  }

 private:
  std::vector<const Profile*> Read() const { return {profiles_.begin(), profiles_.end()}; }

  template <class Entry>
  const Entry& At(const EntryPlace& place, std::vector<Entry> Profile::*member) const {
    return (profiles_[place.profile]->*member)[place.index];
  }

  // Nothing: neither can be preferred.
  std::optional<std::size_t> Winner(std::size_t first, std::size_t last) const {
    if (prefer_ != Prefer::kNewer) return prefer_ == Prefer::kFirst ? first : last;
    const Origin &a = profiles_[first]->origin, &b = profiles_[last]->origin;
    const bool measured = a.kind == OriginKind::kMeasured && b.kind == OriginKind::kMeasured;
    if (!measured || a.date == b.date) return std::nullopt;
    return a.date < b.date ? last : first;
  }

  std::optional<std::size_t> WinnerOf(const std::vector<EntryPlace>& points) const {
    std::optional<std::size_t> best = points.front().profile;
    for (const EntryPlace& point : points) {
      if (best && *best != point.profile) best = Winner(*best, point.profile);
    }
    return best;
  }

  // The same points with the same slowdowns in the profiles that have some of them.
  bool SameCurve(const std::vector<EntryPlace>& points) const {
    std::map<std::size_t, std::set<std::pair<double, double>>> of_profile;
    for (const EntryPlace& point : points) {
      const CoRunningEntry& entry = At(point, &Profile::co_running);
      of_profile[point.profile].emplace(entry.beside_traffic_bytes_per_s.value_or(0), entry.slowdown);
    }
    return std::all_of(of_profile.begin(), of_profile.end(),
                       [&](const auto& of) { return of.second == of_profile.begin()->second; });
  }

  template <class Entry>
  void Erase(std::vector<Entry> Profile::*member, const std::set<EntryPlace>& gone) {
    for (auto at = gone.rbegin(); at != gone.rend(); ++at) {  // from the end, so that places stay right
      Profile& profile = *profiles_[at->profile];
      if (!profile.hash_as_read) profile.hash_as_read = ProfileHash(profile);
      auto& entries = profile.*member;
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at->index));
    }
  }

  std::string Named(std::size_t profile) const {
    const Origin& origin = profiles_[profile]->origin;
    return Quoted(NameOfProfile(*profiles_[profile])) + (origin.date.empty() ? "" : " of " + origin.date);
  }

  std::vector<Profile*> profiles_;
  Prefer prefer_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, std::int64_t> passed_over_;
};

// What one or the other says, or both where they differ.
std::string Both(const std::string& a, const std::string& b) {
  if (a.empty() || a.find(b) != std::string::npos) return a.empty() ? b : a;
  return a + "; " + b;
}

void Join(std::map<std::string, std::string>& into, const std::map<std::string, std::string>& more) {
  for (const auto& [key, text] : more) into[key] = Both(into[key], text);
}

class OriginOfAll {
 public:
  explicit OriginOfAll(const Profile& first) : origin_(first.origin), first_(&first) { List(first.origin); }

  void Add(const Profile& profile) {
    const Origin& more = profile.origin;
    if (more.kind != origin_.kind) {
      Refuse(profile, "kind",
             "is " + std::string(NameOf(kOriginKindNames, origin_.kind)) +
                 ": a profile has one kind of origin, a scenario may name both");
    }
    if (more.cache_mode != origin_.cache_mode) Refuse(profile, "cache_mode", "was measured in another mode");
    for (const auto& [unit, cores] : more.threads) {
      const auto [known, is_new] = origin_.threads.emplace(unit, cores);
      if (known->second != cores) Refuse(profile, "threads", "has unit " + Quoted(unit) + " on other cores");
    }
    List(more);
    origin_.source = Both(origin_.source, more.source);
    origin_.method = Both(origin_.method, more.method);
    origin_.host = Both(origin_.host, more.host);
    origin_.date = std::min(origin_.date, more.date);
    for (const auto& [of, state] : more.clocks) RefuseOtherSetting(profile, of, state);
    Join(origin_.clocks, more.clocks);
    Join(origin_.libraries, more.libraries);
    for (const auto& [unit, time] : more.yardsticks) {  // the later one, which may be of other rows
      origin_.yardsticks[unit] = time;
      origin_.yardstick_rows.erase(unit);
    }
    for (const auto& [unit, rows] : more.yardstick_rows) origin_.yardstick_rows[unit] = rows;
    for (const auto& [unit, time] : more.yardsticks_at_once) origin_.yardsticks_at_once[unit] = time;
    for (const auto& [unit, course] : more.machine) origin_.machine[unit] = course;
    if (more.error) origin_.error = std::max(origin_.error.value_or(0), *more.error);
    origin_.note = Both(origin_.note, more.note);
  }

  Origin Whole() const {
    Origin whole = origin_;
    if (all_.size() > 1) whole.merged = all_;
    return whole;
  }

 private:
  // Clocks move by themselves; what they are set to does not, and times of two settings are not of one board.
  void RefuseOtherSetting(const Profile& profile, const std::string& of, const std::string& state) const {
    const auto known = origin_.clocks.find(of);
    if (known == origin_.clocks.end() || SameClockSettings(known->second, state) ||
        !(of == "state" || of.ends_with(" set to")))
      return;
    Refuse(profile, "clocks",
           "was measured with " + of + " " + Quoted(known->second) + ", this with " + Quoted(state));
  }

  [[noreturn]] void Refuse(const Profile& profile, const std::string& key, const std::string& what) const {
    throw InputError(profile.At("/origin/") + key + ": " + Quoted(NameOfProfile(*first_)) + " " + what);
  }

  void List(const Origin& origin) {
    const std::vector<Origin> own = origin.merged.empty() ? std::vector{origin} : origin.merged;
    for (const Origin& each : own) {
      if (std::find(all_.begin(), all_.end(), each) == all_.end()) all_.push_back(each);
    }
  }

  Origin origin_;
  const Profile* first_;
  std::vector<Origin> all_;
};

std::string PlatformNameOf(const Profile& profile) {
  const auto platform = FindProfilePlatform(profile);
  return platform ? platform->name : profile.platform;
}

void CheckPlatforms(const std::vector<Profile>& profiles) {
  const std::string first = PlatformNameOf(profiles.front());
  for (const Profile& profile : profiles) {
    const std::string name = PlatformNameOf(profile);
    if (name == first) continue;
    throw InputError(profile.At("/platform: ") + "is " + Quoted(name) + ", " +
                     Quoted(NameOfProfile(profiles.front())) + " is a profile of " + Quoted(first));
  }
}

void Append(const Profile& from, Profile& to) {
  ForEachList([&](const char*, auto member) {
    (to.*member).insert((to.*member).end(), (from.*member).begin(), (from.*member).end());
  });
  for (const ModelStructure& known : from.models) {
    const auto same = [&](const ModelStructure& other) { return other.model == known.model; };
    const auto found = std::find_if(to.models.begin(), to.models.end(), same);
    if (found == to.models.end()) {
      to.models.push_back(known);
    } else if (found->structure != known.structure) {
      throw InputError(from.At("/models: ") + Quoted(known.model) + " is another network here than in " +
                       Quoted(NameOfProfile(to)));
    }
  }
  to.note = Both(to.note, from.note);
}

}  // namespace

std::vector<std::string> CombineProfiles(const std::vector<Profile*>& profiles, Prefer prefer) {
  if (profiles.size() < 2) return {};
  Combination combination(profiles, prefer);
  combination.SettleCurves();
  ForEachList([&](const char* list, auto member) { combination.Settle(list, member); });
  return combination.Notes();
}

MergedProfile MergeProfiles(std::vector<Profile> profiles, const std::filesystem::path& file, Prefer prefer) {
  CheckPlatforms(profiles);
  std::vector<Profile*> all;
  for (Profile& profile : profiles) all.push_back(&profile);
  MergedProfile merged;
  merged.notes = CombineProfiles(all, prefer);
  CheckTogether({all.begin(), all.end()});
  OriginOfAll origin(profiles.front());
  for (std::size_t i = 1; i < profiles.size(); ++i) origin.Add(profiles[i]);
  for (Profile& profile : profiles) {
    const std::string name = NameOfProfile(profile);
    MoveProfile(profile, file);
    profile.file = name;  // for what is said of it
  }
  merged.profile = std::move(profiles.front());
  for (std::size_t i = 1; i < profiles.size(); ++i) Append(profiles[i], merged.profile);
  merged.profile.origin = origin.Whole();
  merged.profile.file = file.string();
  merged.profile.inside.clear();
  merged.profile.hash_as_read.reset();
  return merged;
}

}  // namespace tandem
