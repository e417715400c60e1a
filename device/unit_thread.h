// A thread that belongs to one unit: it opens the unit's processor and does all that is done with it, one job
// after the other.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "device/backend.h"

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
  void Wait();

 private:
  void Work(const DeviceBackend& backend, const OpenRequest& request);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void(Processor&)> job_;  // the one under way
  bool busy_ = true;                     // opening
  bool stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace tandem
