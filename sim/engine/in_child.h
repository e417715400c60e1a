// A simulation in a process of its own: what cannot be done twice in one process, or might crash, harms
// nobody there.
#pragma once

#include <functional>

#include "policies/engine/dispatcher.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

// Runs `body` in a forked child and hands on what it returns. Its spans and progress come to `options` here,
// in order and as they happen; InputError, EnvironmentError and std::bad_alloc that it throws are thrown
// here, and a child that dies is an EnvironmentError. The child shares nothing else with this process:
// whatever `body` changes is lost.
Outcome RunInChild(const RunOptions& options, const std::function<Outcome(const RunOptions&)>& body);

}  // namespace tandem
