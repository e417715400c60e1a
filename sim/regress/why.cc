#include "sim/regress/why.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// Something that took another time than it did: how much more, and how that is said.
struct Part {
  Nanos more{0};
  std::string text;
  Nanos size() const { return std::chrono::abs(more); }
};

// The part that moved the most; of equals the first.
std::optional<Part> Largest(const std::vector<Part>& parts) {
  const auto less = [](const Part& a, const Part& b) { return a.size() < b.size(); };
  const auto found = std::max_element(parts.begin(), parts.end(), less);
  if (found == parts.end() || found->more == Nanos{0}) return std::nullopt;
  return *found;
}

std::string LongerOrShorter(Nanos more) {
  return ExactMillis(std::chrono::abs(more)) + (more > Nanos{0} ? " ms longer" : " ms shorter");
}

std::vector<Part> StreamParts(const BaselineCase& before, const PolicyRun& after) {
  std::vector<Part> parts;
  const std::map<std::string, Nanos> now = StreamLatencies(after.report);
  for (const auto& [stream, latency] : before.stream_latency) {
    const auto found = now.find(stream);
    if (found == now.end()) continue;
    const Nanos more = found->second - latency;
    parts.push_back(
        {more, "stream " + Quoted(stream) + " takes " + LongerOrShorter(more) + " a request (" +
                   Beyond(static_cast<double>(found->second.count()), static_cast<double>(latency.count())) +
                   ")"});
  }
  return parts;
}

const UnitWork* UnitNow(const PolicyRun& run, const std::string& unit) {
  for (const UnitWork& work : run.work) {
    if (work.unit == unit) return &work;
  }
  return nullptr;
}

std::string ModelText(const std::string& unit, const std::string& model, const ModelWork& then,
                      const ModelWork& now) {
  const Nanos more = now.working - then.working;
  if (then.tasks == now.tasks) {
    return unit + " works " + LongerOrShorter(more) + " on the same " + Counted(now.tasks, "task") + " of " +
           model;
  }
  return unit + " has " + Counted(now.tasks, "task") + " of " + model + " instead of " +
         std::to_string(then.tasks) + ", and works " + LongerOrShorter(more) + " on them";
}

void AddModels(const UnitWork& then, const UnitWork& now, std::vector<Part>& parts) {
  std::set<std::string> models;
  for (const UnitWork* work : {&then, &now}) {
    for (const auto& [model, share] : work->models) models.insert(model);
  }
  const auto share = [](const UnitWork& work, const std::string& model) {
    const auto found = work.models.find(model);
    return found == work.models.end() ? ModelWork{} : found->second;
  };
  for (const std::string& model : models) {
    const ModelWork before = share(then, model), after = share(now, model);
    parts.push_back({after.working - before.working, ModelText(then.unit, model, before, after)});
  }
}

std::vector<Part> ModelParts(const BaselineCase& before, const PolicyRun& after) {
  std::vector<Part> parts;
  for (const UnitWork& then : before.work) {
    if (const UnitWork* const now = UnitNow(after, then.unit)) AddModels(then, *now, parts);
  }
  return parts;
}

// What a unit does for so much longer, as it is said; work is told by its models.
constexpr std::array<std::string_view, kCauses> kDoes = {
    "works",
    "copies and loads",
    "waits for inputs",
    "is kept idle by the policy beside tasks that it could run",
    "stands idle while requests are at other units",
    "has nothing to do",
    "works on what it loses",
    "is away"};

std::vector<Part> CauseParts(const BaselineCase& before, const PolicyRun& after) {
  std::vector<Part> parts;
  for (const UnitWork& then : before.work) {
    const UnitWork* const now = UnitNow(after, then.unit);
    if (!now) continue;
    for (std::size_t c = 1; c < kCauses; ++c) {
      const Nanos more = now->time.of[c] - then.time.of[c];
      parts.push_back({more, then.unit + " " + std::string(kDoes[c]) + " for " + LongerOrShorter(more)});
    }
  }
  return parts;
}

}  // namespace

std::string WhyMoved(const BaselineCase& before, const PolicyRun& after) {
  if (!after.report.failed.empty()) return "the policy cannot run it any more: " + after.report.failed;
  if (before.work.empty()) return "the baseline does not keep where the time went; --update adds it";
  std::vector<std::string> sentences;
  for (const auto& parts :
       {StreamParts(before, after), ModelParts(before, after), CauseParts(before, after)}) {
    if (const auto part = Largest(parts)) sentences.push_back(part->text);
  }
  if (sentences.empty()) return "units and streams do what they did: what it is compared with has moved";
  return Joined(sentences, "; ");
}

}  // namespace tandem
