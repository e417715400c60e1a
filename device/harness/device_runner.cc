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
    : places_(&dispatcher.places()), work_(&work), options_(std::move(options)) {
  const Places& places = *places_;
  mailboxes_ = std::vector<Mailbox>(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (options_.spin) mailboxes_[p].spin = options_.spin(places.UnitOf(PlaceId(p)));
    mailboxes_[p].watches = p < places.of_units();
    mailboxes_[p].gaps.reserve(kMostGaps);
  }
  ended_.reserve(places.size());
}

// Nothing: it has looked for as long as it spins. Who waits for a date that is near does not sleep before.
int DeviceRunner::LookForMail(Mailbox& box) {
  auto begin = Clock::now();
  for (;;) {
    constexpr int kLooks = 64;  // between two looks at the clock
    for (int i = 0; i < kLooks; ++i) {
      const int mail = box.mail.load(std::memory_order_acquire);
      if (mail != kNothing) return mail;
      SpinPause();
    }
    const auto now = Clock::now();
    if (box.watches && TakeDate()) {
      begin = Clock::now();
      continue;
    }
    if (now - begin < box.spin) continue;
    const std::int64_t due = due_.load();
    if (!box.watches || due == kNever.count() || now - zero_ + box.spin < Nanos{due}) return kNothing;
  }
}

// Is it time for what is due? Of several that see it one calls the dispatcher: who took the date away.
bool DeviceRunner::TakeDate() {
  std::int64_t due = due_.load();
  if (due == kNever.count() || Clock::now() - zero_ < Nanos{due}) return false;
  if (due_.compare_exchange_strong(due, kNever.count())) Ring();
  return true;
}

// Leaves word in the box that it sleeps: whoever posts wakes it then. It looks at the date once more after
// that, and whoever sets a nearer one looks at the boxes after that: so one of the two sees the other.
void DeviceRunner::Sleep(Mailbox& box) const {
  const auto wakes = [&](std::int64_t due) {
    return !box.watches || due == kNever.count() ? kNever.count() : due - box.spin.count();
  };
  const std::int64_t due = due_.load(), until = wakes(due);
  box.until.store(until);
  int expected = kNothing;
  box.mail.compare_exchange_strong(expected, kAsleep);
  while (box.mail.load() == kAsleep) {
    const bool over = until != kNever.count() && Clock::now() - zero_ >= Nanos{until};
    if (over || (box.watches && wakes(due_.load()) < until)) {
      expected = kAsleep;
      box.mail.compare_exchange_strong(expected, kNothing);
    } else if (until == kNever.count()) {
      FutexWait(box.mail, kAsleep);
    } else {
      FutexWaitUntil(box.mail, kAsleep, zero_ + Nanos{until});
    }
  }
  expected = kLookAgain;
  box.mail.compare_exchange_strong(expected, kNothing);
}

int DeviceRunner::WaitForMail(Mailbox& box) {
  for (;;) {
    if (const int mail = LookForMail(box); mail != kNothing) return mail;
    Sleep(box);
  }
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
    ended_.emplace_back(place);
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
  for (const PlaceId place : ended_) mailboxes_[place.index()].just_ended = false;
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

// Where nobody is awake by then who sleeps, one is told. Who is awake sees it before it sleeps.
void DeviceRunner::WakeAt(Nanos date) {
  wake_up_ = date;
  due_.store(date.count());
  Mailbox* sleeper = nullptr;
  for (std::size_t place = 0; date != kNever && place < places_->of_units(); ++place) {
    Mailbox& box = mailboxes_[place];
    if (box.mail.load() != kAsleep) continue;
    if (box.until.load() <= date.count()) return;
    if (!sleeper) sleeper = &box;
  }
  int expected = kAsleep;
  if (sleeper && sleeper->mail.compare_exchange_strong(expected, kLookAgain)) FutexWakeAll(sleeper->mail);
}

bool DeviceRunner::WasIdle(UnitId unit) const {
  const std::size_t first = places_->First(unit).index();
  return std::any_of(mailboxes_.begin() + static_cast<std::ptrdiff_t>(first),
                     mailboxes_.begin() + static_cast<std::ptrdiff_t>(first + places_->slots(unit)),
                     [](const Mailbox& box) { return !box.working && !box.just_ended; });
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
  zero_ = begin_.value_or(Clock::now());
  if (begin_) std::this_thread::sleep_until(*std::exchange(begin_, std::nullopt));
  Attend();
  WaitForEnd();
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
