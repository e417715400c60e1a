#include "device/host/core_kinds.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "device/host/core_files.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

using Designs = std::map<std::int64_t, std::string>;
using Capacities = std::map<std::int64_t, std::int64_t>;

constexpr std::int64_t kFastest = 1024;
constexpr std::int64_t kMostMegahertz = 1'000'000;  // whatever a file says

// "0xd07"
std::optional<std::uint64_t> Hexadecimal(std::string_view text, bool marked = true) {
  if (marked && !text.starts_with("0x")) return std::nullopt;
  if (marked) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string DesignText(std::uint64_t implementer, std::uint64_t part) {
  char text[40];
  std::snprintf(text, sizeof text, "0x%02llx 0x%03llx", static_cast<unsigned long long>(implementer),
                static_cast<unsigned long long>(part));
  return text;
}

// Old kernels tell once for all processors which they are: what is told of one core alone says nothing of
// others.
Designs DesignsOfCpuinfo(const fs::path& root) {
  Designs designs;
  std::int64_t core = -1;
  std::uint64_t implementer = 0;
  for (const auto& [key, value] : KeyedLines(root / "proc/cpuinfo")) {
    if (key == "processor") {
      core = NumberIn(value).value_or(-1);
      implementer = 0;
    } else if (key == "CPU implementer") {
      implementer = Hexadecimal(value).value_or(0);
    } else if (key == "CPU part" && core >= 0) {
      if (const auto part = Hexadecimal(value)) designs[core] = DesignText(implementer, *part);
    }
  }
  if (designs.size() == 1) designs.clear();
  return designs;
}

// "0x00000000410fd034": the implementer in bits 24 to 31, the part in bits 4 to 15.
std::string DesignOfRegister(const fs::path& root, std::int64_t core) {
  const auto midr = Hexadecimal(SysfsLine(CoreFolder(root, core) / "regs/identification/midr_el1"));
  return midr ? DesignText(*midr >> 24 & 0xff, *midr >> 4 & 0xfff) : std::string();
}

// A number of the device tree: 4 bytes, the highest first.
std::int64_t Cell(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.size() != 4) return 0;
  std::int64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// "cpu@100" in the order of their addresses, as kernels mostly number them.
std::vector<fs::path> CpuNodes(const fs::path& root) {
  std::vector<std::pair<std::uint64_t, fs::path>> nodes;
  for (const char* tree : {"sys/firmware/devicetree/base", "proc/device-tree"}) {
    if (!nodes.empty()) break;
    for (const fs::path& node : EntriesOf(root / tree / "cpus")) {
      const std::string name = node.filename().string();
      if (!name.starts_with("cpu@")) continue;
      const std::string status = SysfsLine(node / "status");
      const auto address = Hexadecimal(std::string_view(name).substr(4), false);
      if (address && (status.empty() || status.starts_with("ok"))) nodes.emplace_back(*address, node);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<fs::path> paths;
  for (auto& [address, node] : nodes) paths.push_back(std::move(node));
  return paths;
}

// The device tree's: for each core what it does in a megahertz.
Capacities DoneInAMegahertz(const fs::path& root) {
  constexpr const char* kDone = "capacity-dmips-mhz";
  const BoardCores board = ReadBoardCores(root);
  std::vector<std::int64_t> cores = board.online;
  cores.insert(cores.end(), board.offline.begin(), board.offline.end());
  const std::vector<fs::path> nodes = CpuNodes(root);
  Capacities done;
  for (const std::int64_t core : cores) {
    std::int64_t of_core = Cell(CoreFolder(root, core) / "of_node" / kDone);
    const auto place = static_cast<std::size_t>(core);
    if (of_core == 0 && place < nodes.size()) of_core = Cell(nodes[place] / kDone);
    if (of_core > 0) done[core] = of_core;
  }
  if (done.empty()) return {};
  // A board that starts on another core than the first numbers them otherwise: one design would have two.
  std::map<std::string, std::int64_t> of_designs;
  for (const auto& [core, design] : CoreDesigns(cores, root)) {
    const auto told = done.find(core);
    if (told == done.end()) continue;
    if (of_designs.emplace(design, told->second).first->second != told->second) return {};
  }
  return done;
}

// As kernels reckon: by the clocks, where these are known, and the fastest of the board is 1024.
Capacities CapacitiesOfDeviceTree(const fs::path& root) {
  Capacities speeds = DoneInAMegahertz(root), clocks;
  for (const auto& [core, done] : speeds) {
    if (const auto khz = SysfsNumber(ClockFolder(root, core) / "cpuinfo_max_freq")) clocks[core] = *khz;
  }
  std::int64_t fastest = 0;
  for (auto& [core, speed] : speeds) {
    if (clocks.size() == speeds.size())
      speed *= std::clamp<std::int64_t>(clocks.at(core) / 1000, 1, kMostMegahertz);
    fastest = std::max(fastest, speed);
  }
  for (auto& [core, speed] : speeds) speed = std::max<std::int64_t>(speed * kFastest / fastest, 1);
  return speeds;
}

}  // namespace

Designs CoreDesigns(std::span<const std::int64_t> cores, const fs::path& root) {
  const Designs told = DesignsOfCpuinfo(root);
  Designs designs;
  for (const std::int64_t core : cores) {
    const auto found = told.find(core);
    std::string design = found == told.end() ? DesignOfRegister(root, core) : found->second;
    if (!design.empty()) designs.emplace(core, std::move(design));
  }
  return designs;
}

Capacities CoreCapacities(std::span<const std::int64_t> cores, const fs::path& root) {
  Capacities capacities;
  for (const std::int64_t core : cores) {
    const std::int64_t told = SysfsNumber(CoreFolder(root, core) / "cpu_capacity").value_or(0);
    if (told > 0) capacities.emplace(core, told);
  }
  if (capacities.size() < cores.size()) {
    const Capacities others = CapacitiesOfDeviceTree(root);
    for (const std::int64_t core : cores) {
      if (const auto other = others.find(core); other != others.end()) capacities.insert(*other);
    }
  }
  return capacities;
}

}  // namespace tandem
