// The threads of the slots while a runner serves them.
#pragma once

#include <exception>
#include <string>

#include "device/harness/device_runner.h"
#include "device/harness/units.h"
#include "device/harness/work.h"

namespace tandem {

// In the runner's loop once this is there; back from it when it goes.
class ServingThreads {
 public:
  // All outlive it.
  ServingThreads(DeviceRunner& runner, HarnessWork& work, HarnessUnits& units);
  ~ServingThreads();
  ServingThreads(const ServingThreads&) = delete;
  ServingThreads& operator=(const ServingThreads&) = delete;

 private:
  void Start(HarnessWork& work);
  void End();

  DeviceRunner* runner_;
  HarnessUnits* units_;
};

// How long a slot of the unit looks for new work before it sleeps.
Nanos SpinOf(const Problem& problem, UnitId unit);

// What a failure of a run says.
std::string WhatOf(const std::exception_ptr& failure);

}  // namespace tandem
