// A load on a card, as long as it is there.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "device/backends/cuda/card/burner.h"
#include "device/host/nvml_library.h"
#include "device/processor/running_load.h"
#include "profiles/costs/platform.h"

namespace tandem::gpu {

// Of the card's time, lately, in which something ran there; nothing where nobody tells.
using BusyShare = std::function<std::optional<double>()>;

// So many of a burner's blocks keep all adders of a multiprocessor busy and leave room for a load's one.
inline constexpr int kFilling = 4;

class CardLoad final : public RunningLoad {
 public:
  // Takes `load_pct` (1..99) percent of the card's time from now on: so much of every 10 ms its
  // multiprocessors add, one block on each, so that what else is there finds room beside it. Throws
  // EnvironmentError, std::bad_alloc.
  // `filling`: of a burner of kFilling blocks on each.
  CardLoad(Card& card, std::int64_t load_pct, const BurstRate& rate, BusyShare told = nullptr,
           const BurstRate& filling = {});
  ~CardLoad() override;
  CardLoad(const CardLoad&) = delete;
  CardLoad& operator=(const CardLoad&) = delete;

  Nanos elapsed() const override;
  // Of the work that it did, by the time that it takes alone.
  double Share() const override;
  std::optional<double> BusyAsTold() const override;
  std::optional<double> SlowdownOfKnown() override;
  std::string Trouble() const override;

 private:
  void Work();
  void WorkUntilStopped();

  Card& card_;
  double share_;
  BurstRate rate_;  // from here on of the thread
  BurstRate filling_;
  Burner burner_;
  BusyShare told_;
  Nanos begin_;
  std::atomic<std::int64_t> used_{0};
  std::atomic<bool> stop_{false};
  mutable std::mutex telling_;
  std::string trouble_;
  std::thread thread_;
};

// As NVML tells it of the card at that address; null where there is no NVML or no such card.
BusyShare BusyByNvml(std::shared_ptr<const NvmlLibrary> nvml, const std::string& bus_address);

// On the card of the unit; its speed is found out the first time. Throws EnvironmentError, std::bad_alloc.
std::unique_ptr<RunningLoad> OpenCardLoad(const Unit& unit, std::int64_t load_pct);

}  // namespace tandem::gpu
