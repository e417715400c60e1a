#include "device/backends/cuda/card/load.h"

#include <exception>
#include <map>
#include <system_error>
#include <utility>

#include "device/backends/cuda/card/facts.h"
#include "device/host/clock.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

constexpr Nanos kKnownWork = 5 * kLoadPeriod;

BurstRate RateOfBurner(Card& card, int blocks_on_each) {
  Burner burner(card, blocks_on_each);
  return RateOf(burner);
}

}  // namespace

CardLoad::CardLoad(Card& card, std::int64_t load_pct, const BurstRate& rate, BusyShare told,
                   const BurstRate& filling)
    : card_(card),
      share_(static_cast<double>(load_pct) / 100),
      rate_(rate),
      filling_(filling),
      burner_(card),
      told_(std::move(told)),
      begin_(SteadyNow()) {
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error& error) {
    throw EnvironmentError(std::string("no thread for a load can be had: ") + error.what());
  }
}

CardLoad::~CardLoad() {
  stop_.store(true);
  thread_.join();
}

void CardLoad::Work() {
  std::string trouble;
  try {
    WorkUntilStopped();
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  const std::lock_guard<std::mutex> lock(telling_);
  trouble_ = trouble;
}

void CardLoad::WorkUntilStopped() {
  BurstDuty duty(share_, kLoadPeriod, begin_);
  while (!stop_.load(std::memory_order_relaxed)) {
    const Nanos now = SteadyNow();
    if (const auto until = duty.SleepUntil(now)) {
      std::this_thread::sleep_for(*until - now);
      continue;
    }
    const std::int64_t rounds = duty.Rounds(rate_);
    rate_.Took(rounds, burner_.Burst(rounds, rate_.Alone(rounds)));
    duty.Did();
    used_.store(duty.used().count(), std::memory_order_relaxed);
  }
}

Nanos CardLoad::elapsed() const { return SteadyNow() - begin_; }

double CardLoad::Share() const {
  const auto all = static_cast<double>(elapsed().count());
  return all > 0 ? static_cast<double>(used_.load(std::memory_order_relaxed)) / all : 0;
}

std::optional<double> CardLoad::BusyAsTold() const { return told_ ? told_() : std::nullopt; }

std::optional<double> CardLoad::SlowdownOfKnown() {
  if (!filling_.known()) return std::nullopt;
  Burner filling(card_, kFilling);
  const std::int64_t rounds = filling_.RoundsFor(kKnownWork);
  const Nanos alone = filling_.Alone(rounds), took = filling.Burst(rounds, alone);
  return static_cast<double>(took.count()) / static_cast<double>(alone.count());
}

std::string CardLoad::Trouble() const {
  const std::lock_guard<std::mutex> lock(telling_);
  return trouble_;
}

BusyShare BusyByNvml(std::shared_ptr<const NvmlLibrary> nvml, const std::string& bus_address) {
  if (!nvml) return nullptr;
  try {
    return [nvml, device = nvml->AtBus(bus_address)] { return nvml->BusyShare(device); };
  } catch (const EnvironmentError&) {  // an old driver
    return nullptr;
  }
}

std::unique_ptr<RunningLoad> OpenCardLoad(const Unit& unit, std::int64_t load_pct) {
  static std::mutex mutex;
  struct Rates {
    BurstRate load, filling;
  };
  static std::map<int, Rates> rates;  // by device
  const std::lock_guard<std::mutex> lock(mutex);
  const int device = static_cast<int>(unit.device.value_or(0));
  Card& card = RealCard(device);
  Rates& known = rates[device];
  if (!known.load.known()) known = {RateOfBurner(card, 1), RateOfBurner(card, kFilling)};
  return std::make_unique<CardLoad>(card, load_pct, known.load,
                                    BusyByNvml(FindNvmlLibrary(), BusAddress(device)), known.filling);
}

}  // namespace tandem::gpu
