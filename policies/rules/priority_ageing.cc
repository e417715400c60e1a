// Priority with ageing: an idle unit takes the task with the greatest urgency, which is the "priority" of its
// stream plus one for every age_us_per_level that its request has been there, fractions included. A request
// thus overtakes one of the next higher priority once it has waited that much longer, and none waits for
// ever. Tie-break: task order. Source: the ageing of operating systems' schedulers.
#include <algorithm>
#include <cstdlib>

#include "policies/kinds/list_policy.h"
#include "profiles/base/decimal.h"

namespace tandem {
namespace {

constexpr Nanos kMostRaised{std::int64_t{1} << 62};  // a release can still be added
constexpr Nanos kUsualAge = std::chrono::milliseconds{100};

struct AgeingParameters : PolicyParameters {
  Nanos age_per_level = kUsualAge;
};

std::shared_ptr<const PolicyParameters> Read(const JsonReader& value, const Scenario& scenario) {
  auto parameters = std::make_shared<AgeingParameters>();
  const auto age = value.Find("age_us_per_level");
  if (!age) return parameters;
  parameters->age_per_level = age->Micros(Nanos{1});
  for (const Stream& stream : scenario.streams) {
    const Nanos most = kMostRaised / std::max<std::int64_t>(std::abs(stream.priority), 1);
    if (parameters->age_per_level <= most) continue;
    age->Fail("at most " + DecimalText(most.count(), 3) + " us is possible at priority " +
              std::to_string(stream.priority) + " of stream " + Quoted(stream.name));
  }
  return parameters;
}

void Write(const PolicyParameters& parameters, const Scenario&, JsonObject& into) {
  const Nanos age = static_cast<const AgeingParameters&>(parameters).age_per_level;
  into.Add("age_us_per_level", DecimalText(age.count(), 3));
}

// Urgency orders as release - priority x age does, whatever the time is.
std::unique_ptr<Policy> Make(const PolicySpec& spec, Problem& problem) {
  const Nanos age = spec.As<AgeingParameters>().age_per_level;
  return std::make_unique<ListPolicy>(problem, [&](UnitId, StreamId stream, SegmentId) {
    return LaneRule{.takes = true, .offset = -age * problem.scenario().streams[stream.index()].priority};
  });
}

const PolicyRegistration kPriorityAgeing{
    {.name = "priority_ageing",
     .summary = "an idle unit takes the task of the greatest urgency: the priority of its stream + one for "
                "each so many microseconds since its release",
     .waiting = Waiting::kShared,
     .keys = {"age_us_per_level"},
     .read = Read,
     .write = Write,
     .make = Make}};

}  // namespace
}  // namespace tandem
