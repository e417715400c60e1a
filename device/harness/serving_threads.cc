#include "device/harness/serving_threads.h"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

#include "policies/engine/exclusion.h"

namespace tandem {
namespace {

// Finds the next task before it is put to sleep, as long as it takes another unit to hand it over.
constexpr Nanos kSpin{50'000};
// And where models are cut: as long as another unit is at work on what comes before.
constexpr Nanos kSpinForParts{1'000'000};

bool SomeAreCut(const Problem& problem) {
  const auto& cuts = problem.cuts();
  return std::any_of(cuts.begin(), cuts.end(), [](const Cut& cut) { return cut.segments > 1; });
}

}  // namespace

ServingThreads::ServingThreads(DeviceRunner& runner, HarnessWork& work, HarnessUnits& units)
    : runner_(&runner), units_(&units) {
  try {
    Start(work);
  } catch (...) {
    End();
    throw;
  }
}

ServingThreads::~ServingThreads() { End(); }

void ServingThreads::Start(HarnessWork& work) {
  std::size_t count = units_->engines();
  for (std::size_t e = 0; e < units_->engines(); ++e) {
    units_->engine_thread(e).Begin([this, e] { runner_->Serve(units_->places() + e); });
  }
  for (std::size_t p = 0; p < units_->places(); ++p) {
    if (!units_->thread(p)) continue;
    units_->thread(p)->Begin([this, &work, p](Processor& processor) {
      work.Enter(p, processor);
      runner_->Serve(p);
    });
    ++count;
  }
  while (runner_->serving() < count) std::this_thread::yield();
}

void ServingThreads::End() {
  runner_->Dismiss();
  for (std::size_t p = 0; p < units_->places(); ++p) {
    if (units_->thread(p)) units_->thread(p)->Wait();
  }
  for (std::size_t e = 0; e < units_->engines(); ++e) units_->engine_thread(e).Wait();
}

// Only who has its cores to itself may spin on them.
Nanos SpinOf(const Problem& problem, UnitId id) {
  if (id.index() >= problem.units()) return Nanos{0};
  const Unit& unit = problem.platform().unit(id);
  const bool shared = !ExcludedUnits(problem.platform())[id.index()].empty();
  if (unit.cores.empty() || unit.slots > 1 || unit.time_shared || shared) return Nanos{0};
  return SomeAreCut(problem) ? kSpinForParts : kSpin;
}

std::string WhatOf(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "memory ran out";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown failure";
  }
}

}  // namespace tandem
