// A thread that does jobs, one after the other, for what belongs to the thread that made it.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tandem {

class JobThread {
 public:
  JobThread();
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // Runs the job there and waits for its end; throws what it throws.
  void Do(std::function<void()> job);
  // Starts it and comes back; Wait() waits for its end and throws what it throws.
  void Begin(std::function<void()> job);
  void Wait();

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  // the one under way
  bool busy_ = false, stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace tandem
