#include "device/profiler/reached_state.h"

#include <chrono>
#include <thread>
#include <utility>

#include "device/host/clock_settings.h"
#include "device/host/shell.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/clock_text.h"

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kUntilLimitsFollow{100};

}  // namespace

ReachedState::ReachedState(ClockState state, std::vector<std::int64_t> cores,
                           std::map<std::string, std::string> others, std::filesystem::path root)
    : state_(std::move(state)), cores_(std::move(cores)), others_(std::move(others)), root_(std::move(root)) {
  if (!state_.before.empty()) RunInShell(state_.before, What());
  reading_ = Read();
  if (reading_.empty()) {
    throw EnvironmentError(What() + (state_.read.empty()
                                         ? "this system tells neither governors nor limits of its cores; "
                                           "\"read\" takes a command that tells the state"
                                         : Quoted(state_.read) + " tells nothing"));
  }
  if (!state_.expect.empty() && reading_.find(state_.expect) == std::string::npos) {
    throw EnvironmentError(What() + "reads " + Quoted(reading_) + ", which has no " + Quoted(state_.expect));
  }
  RefuseAnother(reading_);
}

void ReachedState::RefuseAnother(const std::string& now) const {
  for (const auto& [name, reading] : others_) {
    if (name == state_.name || reading != now) continue;
    throw EnvironmentError(What() + "reads " + Quoted(now) + ", as the state " + Quoted(name) +
                           " does: one of the two was not reached, or this tells too little");
  }
}

std::string ReachedState::What() const { return "clock state " + Quoted(state_.name) + ": "; }

std::string ReachedState::Read() const { return ReadClockState(state_.read, cores_, What(), root_); }

void ReachedState::CheckStill() const {
  std::string now = Read();
  if (state_.read.empty() && !SameClockSettings(now, reading_)) {
    std::this_thread::sleep_for(kUntilLimitsFollow);  // what cooled down is let go a moment later
    now = Read();
  }
  // It may have been reached while clocks were held back, and then read like more states than one.
  if (now != reading_) RefuseAnother(now);
  if (SameClockSettings(now, reading_)) return;
  throw EnvironmentError(What() + "reads " + Quoted(now) + " now and was " + Quoted(reading_) +
                         " before; what was measured meanwhile is of neither and is not kept");
}

void ReachedState::AddTo(Origin& origin) const {
  origin.clocks[kClockState] = state_.name;
  if (!state_.before.empty()) origin.clocks[kClockStateReached] = state_.before;
  if (!state_.read.empty()) origin.clocks[kClockStateRead] = state_.read;
  origin.clocks[kClockStateReading] = reading_;
}

std::string StateOf(const Origin& origin) {
  const auto state = origin.clocks.find(kClockState);
  return state == origin.clocks.end() ? "" : state->second;
}

}  // namespace tandem
