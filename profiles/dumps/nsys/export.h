// What an export of Nsight Systems holds of the work on cards: what ran there, which calls launched it, and
// the NVTX ranges that the program was in. Times are nanoseconds since the session began.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/dumps/nsys/database.h"

namespace tandem::nsys {

// A process as the export numbers it: what a thread's number and a process's have in common.
enum class Process : std::uint64_t {};
inline Process ProcessOf(std::uint64_t global) { return Process(global >> 24); }

using Name = std::size_t;  // among Export::names

struct Span {
  std::int64_t start = 0, end = 0;
};

struct Range {
  Span span;
  std::uint64_t thread = 0;
  Name name = 0;
};
// One that did not end, or not on its own thread.
struct BrokenRange {
  std::uint64_t thread = 0;
  Name name = 0;
};

// Both are called the same by the two sides of a launch.
struct Launch {
  Process process{};
  std::int64_t correlation = 0;
  auto operator<=>(const Launch&) const = default;
};
struct Call {
  Launch launch;
  Span span;
  std::uint64_t thread = 0;
};

enum class WorkKind : std::uint8_t { kKernel, kCopyOnCard, kSet, kHostCopy, kGraph };
struct Work {
  WorkKind kind = WorkKind::kKernel;
  Span span;
  std::int64_t device = 0;
  Launch launch;
  Name name = 0;
  bool in_graph = false;  // a node of one
};

struct Export {
  std::string schema;              // "3.15.1"
  std::vector<std::string> names;  // of ranges and kernels, each once
  std::vector<Range> ranges;
  std::vector<BrokenRange> broken;
  std::vector<Call> calls;  // in order of their launches
  std::vector<Work> works;

  std::optional<Name> Find(const std::string& name) const;
};

// Throws InputError where the export is of a schema that tandem does not know, or has no kernels, no
// launching calls or no NVTX ranges.
Export ReadExport(const Database& database, const std::string& file);

// What the export calls the card; empty where that is not certain.
std::string CardName(const Database& database, Process process, std::int64_t device);

}  // namespace tandem::nsys
