#include "device/backends/cuda/card/load.h"

#include <exception>
#include <map>
#include <system_error>
#include <utility>

#include "device/backends/cuda/card/facts.h"
#include "device/host/clock.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {

CardLoad::CardLoad(Card& card, std::int64_t load_pct, const BurstRate& rate, BusyShare told)
    : share_(static_cast<double>(load_pct) / 100),
      rate_(rate),
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
  static std::map<int, BurstRate> rates;  // by device
  const std::lock_guard<std::mutex> lock(mutex);
  const int device = static_cast<int>(unit.device.value_or(0));
  Card& card = RealCard(device);
  BurstRate& rate = rates[device];
  if (!rate.known()) {
    Burner burner(card);
    rate = RateOf(burner);
  }
  return std::make_unique<CardLoad>(card, load_pct, rate, BusyByNvml(FindNvmlLibrary(), BusAddress(device)));
}

}  // namespace tandem::gpu
