#include "device/threads/job_thread.h"

#include <utility>

#include "profiles/base/check.h"

namespace tandem {

JobThread::JobThread() : thread_([this] { Work(); }) {}

JobThread::~JobThread() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::Do(std::function<void()> job) {
  Begin(std::move(job));
  Wait();
}

void JobThread::Begin(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    TANDEM_CHECK(!busy_, "a thread does one job at a time");
    job_ = std::move(job);
    busy_ = true;
  }
  changed_.notify_all();
}

void JobThread::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void JobThread::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return busy_ || stop_; });
    if (!busy_) return;
    std::function<void()> job = std::exchange(job_, nullptr);
    lock.unlock();
    std::exception_ptr failure;
    try {
      job();
    } catch (...) {
      failure = std::current_exception();
    }
    job = nullptr;
    lock.lock();
    failure_ = failure;
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace tandem
