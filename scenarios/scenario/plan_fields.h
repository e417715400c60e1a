// What stands in a plan/1 file. Of use to the reader and the writer of plans alone.
#pragma once

#include "profiles/base/fields.h"
#include "scenarios/scenario/plan.h"

namespace tandem {

// Read in the context of ScenarioOptions. Written, `scenario` is null: plan_writer.cc puts it in.
const Fields<PlanFile>& PlanFileFields();

// What a plan has decided, in the context of a Scenario that need not be the plan's: the two parts of it
// between which the segments stand.
const Fields<Decisions>& RuleFields();
const Fields<Decisions>& CutFields();
const Fields<ModelPieces>& SegmentsFields();

// A policy with its parameters, which does not follow another plan.
CodecOf<PolicySpec> OwnPolicy();

}  // namespace tandem
