#include "profiles/program/threads.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace tandem {
namespace {

constexpr std::size_t kPortion = 4;  // for each thread: so that none waits long for the last of them

}  // namespace

// Where the system lets this process have no more threads those that there are do all of it. They must not be
// left to be joined by a constructor that throws: nobody would have told them that it is over.
Threads::Threads(std::size_t threads) {
  others_.reserve(std::max<std::size_t>(threads, 1) - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) others_.emplace_back([this] { Help(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

Threads::~Threads() {
  const std::scoped_lock lock(mutex_);
  over_ = true;
  begun_.notify_all();
}

void Threads::Help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return over_ || next_ < count_; });
    if (over_) return;
    TakeAll(lock);
  }
}

// As long as something is to be begun; who ends the last tells the caller.
void Threads::TakeAll(std::unique_lock<std::mutex>& lock) {
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

void Threads::Run(std::size_t count, const std::function<void(std::size_t)>& work) {
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

bool Threads::Run(std::size_t count, const std::function<void(std::size_t)>& work,
                  const std::function<bool(std::size_t)>& goes_on) {
  for (std::size_t done = 0; done < count;) {
    if (!goes_on(done)) return false;
    const std::size_t portion = std::min(kPortion * threads(), count - done);
    Run(portion, [&](std::size_t i) { work(done + i); });
    done += portion;
  }
  return true;
}

}  // namespace tandem
