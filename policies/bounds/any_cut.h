// A lower bound for every way to cut: whatever groups of layers a policy makes tasks of, and where layers may
// be shared out over units, however it splits them. Weaker than the bound of one granularity, which knows its
// tasks.
#pragma once

#include "policies/bounds/bound.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// `splits`: a layer may be worked on by several slots and units at once, by each so much of its time there as
// it has of the layer; what reads the layer waits for all of it.
//
// The larger of two. All work: of every certain request each layer is covered by entries of the profile, in
// part by one and in part by another if need be, on units whose slots share the load (a linear program, whose
// dual values are proved in integers as LowerBound's are). The longest chain: every layer takes what it has
// of the cheapest entry that holds it, where an entry's time is divided over its layers in one way for all.
// Copies count nothing.
Bound FreeCutBound(const Scenario& scenario, bool splits);

// Has any part of a model a time of its own, named by its layers? Else there is one way to cut.
bool MayBeCut(const Scenario& scenario);

}  // namespace tandem
