// Threads for what does not depend on each other. What comes out is the same with any number of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tandem {

class Threads {
 public:
  // So many at a time, the caller among them; fewer where the system lets the process have no more.
  explicit Threads(std::size_t threads);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t threads() const { return others_.size() + 1; }
  // Calls `work` for 0 .. count - 1, each once, and returns when all have ended. Throws what the first of
  // them by number has thrown.
  void Run(std::size_t count, const std::function<void(std::size_t)>& work);
  // The same in portions; before each `goes_on` is asked, with how many are done. False: it said no.
  bool Run(std::size_t count, const std::function<void(std::size_t)>& work,
           const std::function<bool(std::size_t)>& goes_on);

 private:
  void Help();
  void TakeAll(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t next_ = 0, count_ = 0, left_ = 0;  // to be begun, in all, and not ended
  bool over_ = false;
  std::vector<std::exception_ptr> thrown_;
  std::vector<std::jthread> others_;  // the last, so that nothing is gone before they are
};

}  // namespace tandem
