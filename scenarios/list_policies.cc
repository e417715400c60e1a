// The list policies without parameters of their own: an idle unit takes one of the waiting tasks by a rule.
#include "scenarios/policy_spec.h"

namespace tandem {
namespace {

const PolicyRegistration kFcfs{{"fcfs", "an idle unit takes the earliest task that it can run"}};
const PolicyRegistration kSjf{{"sjf", "an idle unit takes the task that is shortest on it"}};
const PolicyRegistration kEft{
    {"eft", "each task goes, at its release, to the unit that would finish it first"}};
const PolicyRegistration kRoundRobin{
    {"round_robin", "requests go to the units that can run them in turn, in request order"}};

}  // namespace
}  // namespace tandem
