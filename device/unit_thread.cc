#include "device/unit_thread.h"

#include <utility>

#include "profiles/check.h"

namespace tandem {

UnitThread::UnitThread(const DeviceBackend& backend, OpenRequest request)
    : thread_([this, &backend, request = std::move(request)] { Work(backend, request); }) {
  try {
    Wait();
  } catch (...) {
    thread_.join();
    throw;
  }
}

UnitThread::~UnitThread() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void UnitThread::Do(const std::function<void(Processor&)>& job) {
  Begin(job);
  Wait();
}

void UnitThread::Begin(std::function<void(Processor&)> job) {
  {
    const std::lock_guard lock(mutex_);
    TANDEM_CHECK(!busy_, "a unit's thread does one job at a time");
    job_ = std::move(job);
    busy_ = true;
  }
  changed_.notify_all();
}

void UnitThread::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void UnitThread::Work(const DeviceBackend& backend, const OpenRequest& request) {
  std::unique_ptr<Processor> processor;
  std::function<void(Processor&)> job = [](Processor&) {};
  for (;;) {
    std::exception_ptr failure;
    try {
      if (!processor) processor = backend.Open(request);
      job(*processor);
    } catch (...) {
      failure = std::current_exception();
    }
    job = nullptr;
    std::unique_lock lock(mutex_);
    failure_ = failure;
    busy_ = false;
    changed_.notify_all();
    if (!processor) return;
    changed_.wait(lock, [this] { return busy_ || stop_; });
    if (stop_) return;
    job = std::exchange(job_, nullptr);
  }
}

}  // namespace tandem
