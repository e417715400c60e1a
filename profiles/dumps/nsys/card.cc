#include "profiles/dumps/nsys/card.h"

#include <map>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"

namespace tandem::nsys {
namespace {

bool IsKernel(const Work& work) { return work.kind == WorkKind::kKernel || work.kind == WorkKind::kGraph; }

template <class Key, class Text>
std::string Counts(const std::map<Key, std::size_t>& kernels, Text text) {
  std::vector<std::string> counts;
  for (const auto& [key, count] : kernels) {
    counts.push_back(text(key) + " (" + std::to_string(count) + (count == 1 ? " kernel)" : " kernels)"));
  }
  return Joined(counts);
}

std::string PidText(Process process) {
  return "process " + std::to_string(static_cast<std::uint64_t>(process) & 0xffffff);
}

}  // namespace

Card CardOf(const Export& read, std::optional<std::int64_t> device, const std::string& file) {
  std::map<std::int64_t, std::size_t> devices;
  for (const Work& work : read.works) {
    if (IsKernel(work)) ++devices[work.device];
  }
  const auto counts = [&] {
    return Counts(devices, [](std::int64_t number) { return std::to_string(number); });
  };
  if (device && !devices.contains(*device)) {
    throw InputError(file + ": no kernel ran on device " + std::to_string(*device) + "; they ran on " +
                     counts());
  }
  if (!device && devices.size() > 1) {
    throw InputError(file + ": kernels ran on several devices: " + counts() +
                     "; say which one with --device");
  }
  Card card{device.value_or(devices.begin()->first), {}};
  std::map<Process, std::size_t> processes;
  for (const Work& work : read.works) {
    if (IsKernel(work) && work.device == card.device) ++processes[work.launch.process];
  }
  if (processes.size() > 1) {
    throw InputError(file + ": several processes ran kernels on a device " + std::to_string(card.device) +
                     ": " + Counts(processes, PidText) + "; profile one alone");
  }
  card.process = processes.begin()->first;
  return card;
}

}  // namespace tandem::nsys
