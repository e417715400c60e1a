#include "policies/search/search_threads.h"

namespace tandem {

SearchThreads::SearchThreads(std::size_t threads) {
  for (std::size_t i = 1; i < threads; ++i) others_.emplace_back([this] { Help(); });
}

SearchThreads::~SearchThreads() {
  const std::scoped_lock lock(mutex_);
  over_ = true;
  begun_.notify_all();
}

void SearchThreads::Help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return over_ || next_ < count_; });
    if (over_) return;
    TakeAll(lock);
  }
}

// As long as something is to be begun; who ends the last tells the caller.
void SearchThreads::TakeAll(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const std::size_t mine = next_++;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      (*work_)(mine);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_[mine] = thrown;
    if (--left_ == 0) ended_.notify_one();
  }
}

void SearchThreads::Run(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  std::unique_lock lock(mutex_);
  work_ = &work;
  thrown_.assign(count, nullptr);
  next_ = 0;
  count_ = left_ = count;
  if (count > 1) begun_.notify_all();
  TakeAll(lock);
  ended_.wait(lock, [this] { return left_ == 0; });
  for (const std::exception_ptr& thrown : thrown_) {
    if (thrown) std::rethrow_exception(thrown);
  }
}

}  // namespace tandem
