// Room device/threads: threads that wait and wake cheaply: futexes, jobs, units.
//
// A thread that belongs to one unit: it opens the unit's processor and does all that is done with it, one job
// after the other.
#pragma once

#include <functional>
#include <memory>

#include "device/processor/backend.h"
#include "device/threads/job_thread.h"

namespace tandem {

class UnitThread {
 public:
  // Opens the unit; throws what that throws.
  UnitThread(const DeviceBackend& backend, OpenRequest request);
  ~UnitThread();
  UnitThread(const UnitThread&) = delete;
  UnitThread& operator=(const UnitThread&) = delete;

  // Runs the job there and waits for its end; throws what it throws. What the job makes with the processor is
  // to be destroyed by another job.
  void Do(const std::function<void(Processor&)>& job);
  // Starts it and comes back; Wait() waits for its end and throws what it throws.
  void Begin(std::function<void(Processor&)> job);
  void Wait() { thread_.Wait(); }

 private:
  std::unique_ptr<Processor> processor_;  // the thread's own
  JobThread thread_;
};

}  // namespace tandem
