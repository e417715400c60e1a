#include "scenarios/scenario/profile_used.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "profiles/base/figures.h"
#include "profiles/base/files.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

// A line of its own in a log could say anything, in the name of whoever runs this.
std::string OnOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

// Methods and sources may go on for long; a report in JSON has all of them.
std::string FirstSentence(const std::string& text) {
  const std::size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end);
}

std::string FromWhere(const Origin& origin) {
  const std::string from = !origin.method.empty()   ? FirstSentence(OnOneLine(origin.method))
                           : !origin.source.empty() ? FirstSentence(OnOneLine(origin.source))
                                                    : OnOneLine(origin.host);
  const std::string date = OnOneLine(origin.date.substr(0, origin.date.find('T')));
  if (from.empty() || date.empty()) return from + date;
  return from + ", " + date;
}

// Samples tell how sure a measured time is, but for what all drift by; of others nothing but their error
// does. Draws take the one as one number of all, the other as one of each unit and model.
std::string HowSure(const Origin& origin, ToldBy by) {
  if (origin.error) {
    const std::string off = ", +-" + PercentInTenths(*origin.error);
    if (by == ToldBy::kRuns) return off + " that all share: a margin inside that is no win";
    return off + (origin.kind == OriginKind::kMeasured ? " that all share" : " of each unit and model") +
           ": every draw has its own";
  }
  if (origin.kind == OriginKind::kMeasured) return ", drift not measured";
  return ": how far off they are is not known";
}

// Nothing: they say nothing of it, as few that are all alike, who may agree by chance.
std::optional<double> UnknownOfSamples(const Timing& time) {
  const auto median = static_cast<double>(time.median.count());
  if (time.samples.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(time.samples.begin(), time.samples.end());
  if (time.samples.size() < Timing::kFewSamples && *least == *most) return std::nullopt;
  std::vector<double> times;
  for (const Nanos sample : time.samples) times.push_back(static_cast<double>(sample.count()) / median);
  return std::abs(Mean(times) - 1) + StandardErrorOfMean(times);
}

std::optional<double> UnknownOf(const Timing& time, OriginKind kind, const std::optional<double>& error) {
  if (const auto of_samples = UnknownOfSamples(time)) return error.value_or(0) + *of_samples;
  // What was measured shares its error, as an error of 0 is shared: it says nothing of how times vary.
  const bool shared = kind == OriginKind::kMeasured || error == 0;
  if (shared && !time.samples.empty()) return std::nullopt;
  return error;
}

}  // namespace

std::vector<ProfileUsed> ProfilesUsed(const Scenario& scenario) {
  std::vector<ProfileUsed> used;
  for (const Profile& profile : scenario.profiles) {
    const Origin& all = profile.origin;
    Origin origin;
    origin.kind = all.kind;
    origin.method = all.method;
    origin.source = all.source;
    origin.host = all.host;
    origin.date = all.date;
    origin.error = ErrorOfAll(all);
    used.push_back({profile.inside.empty() ? BaseName(profile.file) : "in place", std::move(origin)});
  }
  return used;
}

void AddProfilesUsed(const Scenario& scenario, std::vector<ProfileUsed>& used) {
  for (ProfileUsed& profile : ProfilesUsed(scenario)) {
    if (std::find(used.begin(), used.end(), profile) == used.end()) used.push_back(std::move(profile));
  }
}

bool MayHaveDriftedApart(const std::vector<ProfileUsed>& used) {
  const auto drifts = [](const ProfileUsed& profile) { return !profile.DriftIsMeasured(); };
  return used.size() > 1 && std::any_of(used.begin(), used.end(), drifts);
}

std::optional<double> UnknownShare(const Scenario& scenario) {
  if (MayHaveDriftedApart(ProfilesUsed(scenario))) return std::nullopt;
  std::set<std::string> keys;
  for (const Stream& stream : scenario.streams) keys.insert(scenario.model(stream.model).key);
  std::optional<double> most;
  for (const Profile& profile : scenario.profiles) {
    const auto error = ErrorOfAll(profile.origin);
    ModelKeys names(profile.file);
    for (const CostEntry& entry : profile.entries) {
      if (entry.time.median == Nanos{0} || !keys.contains(names.Of(entry.model))) continue;
      const auto of_entry = UnknownOf(entry.time, profile.origin.kind, error);
      if (!of_entry) return std::nullopt;
      most = std::max(most.value_or(0), *of_entry);
    }
  }
  return most;
}

std::vector<std::string> OriginSentences(const std::vector<ProfileUsed>& profiles, ToldBy by) {
  std::vector<std::string> sentences;
  for (const ProfileUsed& profile : profiles) {
    const std::string where = FromWhere(profile.origin);
    std::string sentence = profile.name + ": times " +
                           std::string(NameOf(kOriginKindNames, profile.origin.kind)) +
                           (where.empty() ? "" : " (" + where + ")") + HowSure(profile.origin, by);
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
      sentences.push_back(std::move(sentence));
    }
  }
  return sentences;
}

std::vector<std::string> SentencesOfTimes(const std::vector<std::string>& estimated,
                                          const std::vector<ProfileUsed>& profiles, ToldBy by) {
  std::vector<std::string> sentences;
  for (const std::string& sentence : estimated) sentences.push_back("estimated: " + sentence);
  for (std::string& sentence : OriginSentences(profiles, by)) sentences.push_back(std::move(sentence));
  return sentences;
}

const Fields<Origin>& OriginOfTimesFields() {
  static const auto fields =
      Fields<Origin>()
          .Optional("origin", &Origin::kind, as::OneOf(kOriginKindNames, "origin"))
          .Always()
          .Optional("method", &Origin::method, as::Words(), "Of what was estimated.")
          .Optional("source", &Origin::source, as::Words(), "Of what was published.")
          .Optional("host", &Origin::host, as::Words(), "Of what was measured, as the date.")
          .Optional("date", &Origin::date, as::Text())
          .Optional("error", &Origin::error, as::Number(0),
                    "Relative standard error that all its times may share; absent: not known.");
  return fields;
}

CodecOf<std::vector<ProfileUsed>> UsedProfiles() {
  static const auto fields = Fields<ProfileUsed>("used_profile", "Where times come from.")
                                 .Needed("profile", &ProfileUsed::name, as::Text())
                                 .Part(&ProfileUsed::origin, OriginOfTimesFields());
  return as::ListOf(as::ObjectOf(fields));
}

}  // namespace tandem
