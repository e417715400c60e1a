#include "device/host/taken_time.h"

#include <time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "device/host/clock.h"

namespace tandem {

Nanos ThreadTimeNow() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

namespace {

constexpr Nanos kTwoTicks{20'000'000};
constexpr int kSteal = 7;  // user nice system idle iowait irq softirq steal ...

// "cpu0 user nice system ...", in ticks: those of the fields that count.
std::optional<Nanos> TimeOf(std::span<const std::int64_t> cores, bool (*counts)(int field),
                            const std::filesystem::path& root) {
  std::ifstream stat(root / "proc/stat");
  const Nanos tick{1'000'000'000 / std::max(sysconf(_SC_CLK_TCK), 1L)};
  std::optional<Nanos> time;
  for (std::string line; std::getline(stat, line);) {
    const bool one_of_them = std::any_of(cores.begin(), cores.end(), [&](std::int64_t core) {
      return line.starts_with("cpu" + std::to_string(core) + " ");
    });
    if (!one_of_them) continue;
    std::istringstream words(line);
    std::string name;
    std::int64_t all = 0;
    words >> name;
    for (int field = 0; field <= kSteal; ++field) {
      std::int64_t ticks = 0;
      words >> ticks;
      if (counts(field)) all += ticks;
    }
    if (words) time = time.value_or(Nanos{0}) + all * tick;
  }
  return time;
}

}  // namespace

std::optional<Nanos> StolenFrom(std::span<const std::int64_t> cores, const std::filesystem::path& root) {
  return TimeOf(
      cores, [](int field) { return field == kSteal; }, root);
}

std::optional<Nanos> BusyOn(std::span<const std::int64_t> cores, const std::filesystem::path& root) {
  return TimeOf(
      cores, [](int field) { return field != 3 && field != 4; }, root);  // not idle
}

std::optional<Nanos> ProcessTime(pid_t process) {
  clockid_t clock;
  timespec now{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &now) != 0) return std::nullopt;
  return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

// "running waiting slices", in nanoseconds.
std::optional<Nanos> WaitedForCore(pid_t thread, const std::filesystem::path& root) {
  std::ifstream file(root / "proc/self/task" / std::to_string(thread) / "schedstat");
  std::int64_t running = 0, waiting = 0;
  if (!(file >> running >> waiting)) return std::nullopt;
  return Nanos{waiting};
}

TakenReading ReadTaken(std::span<const std::int64_t> cores, std::span<const pid_t> threads,
                       const std::filesystem::path& root) {
  TakenReading reading{SteadyNow(), StolenFrom(cores, root), {}};
  for (const pid_t thread : threads) {
    const std::optional<Nanos> waited = WaitedForCore(thread, root);
    if (waited) reading.waited = reading.waited.value_or(Nanos{0}) + *waited;
  }
  const auto busy = BusyOn(cores, root), own = ProcessTime(getpid());
  if (busy && own) reading.others = *busy - *own;
  return reading;
}

std::optional<double> ShareTaken(const TakenReading& before, const TakenReading& after, std::size_t cores) {
  std::optional<Nanos> taken;
  const auto add = [&](const std::optional<Nanos>& from, const std::optional<Nanos>& to) {
    if (from && to) taken = taken.value_or(Nanos{0}) + std::max(*to - *from, Nanos{0});
  };
  add(before.stolen, after.stolen);
  add(before.waited, after.waited);
  if (!taken || cores == 0 || after.at <= before.at) return std::nullopt;
  return static_cast<double>(taken->count()) /
         (static_cast<double>((after.at - before.at).count()) * static_cast<double>(cores));
}

std::optional<double> ShareOfOthers(const TakenReading& before, const TakenReading& after,
                                    std::size_t cores) {
  if (!before.others || !after.others || cores == 0 || after.at <= before.at) return std::nullopt;
  const Nanos all = static_cast<std::int64_t>(cores) * (after.at - before.at);
  return std::max(0.0, std::chrono::duration<double>(*after.others - *before.others - kTwoTicks) / all);
}

}  // namespace tandem
