#include "device/harness/device_runner.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "device/threads/futex.h"

namespace tandem {
namespace {

constexpr std::size_t kMostGaps = 1 << 14;  // per place; enough for a median
constexpr std::chrono::milliseconds kBetweenLooks{100};

}  // namespace

DeviceRunner::DeviceRunner(const Dispatcher& dispatcher, SlotWork& work, DeviceRunnerOptions options)
    : work_(&work), options_(std::move(options)) {
  const Places& places = dispatcher.places();
  mailboxes_ = std::vector<Mailbox>(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (options_.spin) mailboxes_[p].spin = options_.spin(places.UnitOf(PlaceId(p)));
    mailboxes_[p].gaps.reserve(kMostGaps);
  }
  ended_.reserve(places.size());
}

// Looks for new work a while, then leaves word in the box that it sleeps: whoever posts wakes it then.
int DeviceRunner::WaitForMail(Mailbox& box) const {
  const auto begin = Clock::now();
  for (;;) {
    constexpr int kLooks = 64;  // between two looks at the clock
    for (int i = 0; i < kLooks; ++i) {
      const int mail = box.mail.load(std::memory_order_acquire);
      if (mail != kNothing) return mail;
      SpinPause();
    }
    if (Clock::now() - begin >= box.spin) break;
  }
  int expected = kNothing;
  box.mail.compare_exchange_strong(expected, kAsleep, std::memory_order_acq_rel);
  int mail = 0;
  while ((mail = box.mail.load(std::memory_order_acquire)) == kAsleep) FutexWait(box.mail, kAsleep);
  return mail;
}

void DeviceRunner::Post(Mailbox& box, int mail) {
  if (box.mail.exchange(mail, std::memory_order_acq_rel) == kAsleep) FutexWakeAll(box.mail);
}

void DeviceRunner::Serve(std::size_t place) {
  SleepPrecisely();
  Mailbox& box = mailboxes_[place];
  serving_.fetch_add(1, std::memory_order_release);
  while (WaitForMail(box) == kWork) {
    box.mail.store(kNothing, std::memory_order_relaxed);
    if (box.at_once && box.gaps.size() < kMostGaps) box.gaps.push_back(Clock::now() - box.last_end);
    try {
      work_->Do(place);
    } catch (...) {
      box.failure = std::current_exception();
    }
    box.last_end = Clock::now();
    box.ended.store(true, std::memory_order_release);
    Attend();
  }
}

// The count falls by what an instant has seen to; who came meanwhile keeps it above nought for one more.
void DeviceRunner::Attend() {
  int mine = 1;
  if (attention_.fetch_add(mine, std::memory_order_acq_rel) != 0) return;
  do {
    Instant();
    const int before = attention_.fetch_sub(mine, std::memory_order_acq_rel);
    mine = before - mine;  // what came meanwhile
  } while (mine != 0);
}

void DeviceRunner::CollectEnded() {
  ended_.clear();
  for (std::size_t place = 0; place < mailboxes_.size(); ++place) {
    Mailbox& box = mailboxes_[place];
    if (!box.working || !box.ended.load(std::memory_order_acquire)) continue;
    box.ended.store(false, std::memory_order_relaxed);
    box.working = false;
    --working_;
    if (box.failure) {
      Stop(std::exchange(box.failure, nullptr));
      continue;
    }
    work_->Ended(place);
    box.just_ended = true;
    ended_.push_back({PlaceId(place), 0});
  }
}

void DeviceRunner::Instant() {
  if (done_.load(std::memory_order_relaxed) != 0) return;
  CollectEnded();
  const bool rang = rang_.exchange(false, std::memory_order_acq_rel);
  if (stop_asked_.load(std::memory_order_acquire)) Stop(nullptr);
  if ((!ended_.empty() || rang || last_ < Nanos{0}) && !broken_) {
    // Read after the ends: none of them lies behind it. Instants are never at the same date.
    const Nanos now = last_ < Nanos{0} ? Nanos{0} : std::max(last_ + Nanos{1}, Nanos(Clock::now() - zero_));
    last_ = now;
    try {
      if (options_.arrivals && !stopping_) options_.arrivals(now);
      dispatcher_->OnInstant(*this, now, ended_);
    } catch (...) {
      broken_ = true;
      Stop(std::current_exception());
    }
    ended_requests_.store(dispatcher_->ended_requests(), std::memory_order_release);
  }
  for (const Ended& e : ended_) mailboxes_[e.place.index()].just_ended = false;
  const bool more = wake_up_ != kNever || (options_.open && options_.open());
  if (working_ > 0 || (more && !stopping_)) return;
  done_.store(1, std::memory_order_release);
  FutexWakeAll(done_);
}

void DeviceRunner::Stop(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
  stopping_ = true;
  dispatcher_->CutShort();
}

void DeviceRunner::Start(const Occupation& slot, Nanos work) {
  if (stopping_) return;
  const std::size_t place = slot.place.index();
  Mailbox& box = mailboxes_[place];
  work_->Begin(place, slot, work);
  box.working = true;
  ++working_;
  box.at_once = box.just_ended;
  Post(box, kWork);
}

void DeviceRunner::WakeAt(Nanos date) {
  wake_up_ = date;
  due_.store(date.count());
  timer_word_.fetch_add(1);
  if (date.count() < asleep_until_.load()) FutexWakeAll(timer_word_);
}

// The timer's thread: sleeps until the date that is due or a nearer one is set. It rings once for a date, as
// it rings only where it was itself that took the date away.
void DeviceRunner::Tick() {
  SleepPrecisely();
  RunAtOnce();
  while (done_.load(std::memory_order_acquire) == 0) {
    const int word = timer_word_.load();
    std::int64_t due = due_.load();
    if (due == kNever.count()) {
      asleep_until_.store(due);
      FutexWait(timer_word_, word);
    } else if (Clock::now() - zero_ < Nanos{due}) {
      asleep_until_.store(due);
      FutexWaitUntil(timer_word_, word, zero_ + Nanos{due});
    } else if (due_.compare_exchange_strong(due, kNever.count())) {
      asleep_until_.store(0);
      rang_.store(true, std::memory_order_release);
      Attend();
    }
  }
}

void DeviceRunner::Ring() {
  rang_.store(true, std::memory_order_release);
  Attend();
}

void DeviceRunner::AskToStop() {
  stop_asked_.store(true, std::memory_order_release);
  Attend();
}

void DeviceRunner::WaitForEnd() {
  while (done_.load(std::memory_order_acquire) == 0) {
    FutexWaitUntil(done_, 0, Clock::now() + kBetweenLooks);
    if (!options_.keep_going || stop_asked_.load(std::memory_order_relaxed)) continue;
    if (options_.keep_going(ended_requests())) continue;
    AskToStop();
  }
}

void DeviceRunner::Run(Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  zero_ = Clock::now();
  std::thread timer([this] { Tick(); });
  Attend();
  WaitForEnd();
  timer_word_.fetch_add(1);
  FutexWakeAll(timer_word_);
  timer.join();
  Dismiss();
}

void DeviceRunner::Dismiss() {
  for (Mailbox& box : mailboxes_) Post(box, kGoHome);
}

std::vector<Nanos> DeviceRunner::gaps() const {
  std::vector<Nanos> all;
  for (const Mailbox& box : mailboxes_) all.insert(all.end(), box.gaps.begin(), box.gaps.end());
  return all;
}

}  // namespace tandem
