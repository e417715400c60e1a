// Priority with ageing: an idle unit takes the task with the greatest urgency, which is the "priority" of its
// stream plus one for every age_us_per_level that its request has been there, fractions included. A request
// thus overtakes one of the next higher priority once it has waited that much longer, and none waits for
// ever. Tie-break: task order. Source: the ageing of operating systems' schedulers.
#include <algorithm>
#include <cstdlib>

#include "policies/kinds/list_policy.h"
#include "policies/kinds/named_codecs.h"
#include "profiles/base/decimal.h"

namespace tandem::priority_ageing {
namespace {

constexpr Nanos kMostRaised{std::int64_t{1} << 62};  // a release can still be added
constexpr std::string_view kAge = "age_us_per_level";
constexpr Nanos kUsualAge = std::chrono::milliseconds{100};

struct AgeingParameters : PolicyParameters {
  Nanos age_per_level = kUsualAge;
};

void CheckRaised(const JsonReader& value, const AgeingParameters& parameters, Context context) {
  for (const Stream& stream : context.As<Scenario>().streams) {
    const Nanos most = kMostRaised / std::max<std::int64_t>(std::abs(stream.priority), 1);
    if (parameters.age_per_level <= most) continue;
    value.FindTime(kAge).value_or(value).Fail(
        "at most " + DecimalText(most.count(), 3) + " us is possible at priority " +
        std::to_string(stream.priority) + " of stream " + Quoted(stream.name));
  }
}

const Fields<AgeingParameters>& Keys() {
  static const auto fields = Fields<AgeingParameters>()
                                 .Optional(kAge, &AgeingParameters::age_per_level, as::Micros(Nanos{1}),
                                           "what a level of priority is worth")
                                 .Always()
                                 .Rule(CheckRaised);
  return fields;
}

// Urgency orders as release - priority x age does, whatever the time is.
Prepared Make(const PolicySpec& spec, const Problem& problem) {
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
     .keys = KeysFrom<Keys>(),
     .make = Make}};

}  // namespace
}  // namespace tandem::priority_ageing
