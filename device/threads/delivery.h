// A thread that does what it is handed, one thing after the other: an application's callbacks never hold up
// those who hand them over.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tandem {

class Delivery {
 public:
  Delivery();
  ~Delivery();  // does what is left first
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  void Post(std::function<void()> job);  // that throws nothing
  bool IsThisThread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> jobs_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace tandem
