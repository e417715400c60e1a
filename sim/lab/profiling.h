// Profiles the boards of a lab side by side: each by a thread of its own that asks, waits, and asks again
// where the board was lost. What came is in the store before the next question.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/base/time.h"
#include "profiles/costs/board_profile.h"
#include "sim/lab/boards.h"

namespace tandem {

struct LabOrder {
  std::filesystem::path request;  // a request, scenario or plan
  std::int64_t retries = 2;       // after the first time
  Nanos wait{0};                  // before each of them
  Nanos timeout{0};               // of an answer; 0: as long as it takes
  Nanos budget{0};                // of measuring; 0: the request's
  bool again = false;             // what the store has, too
  bool install = false;           // tandem-device, on boards that ssh reaches and that lack it
  bool allow_commands = false;    // boards start the programs that the request names
};

enum class LabEnd : std::uint8_t { kMeasured, kKnown, kLost, kRefused, kInterrupted };
inline constexpr std::array<Named<LabEnd>, 5> kLabEndNames = {{{"measured", LabEnd::kMeasured},
                                                               {"known", LabEnd::kKnown},
                                                               {"lost", LabEnd::kLost},
                                                               {"refused", LabEnd::kRefused},
                                                               {"interrupted", LabEnd::kInterrupted}}};

// What became of a board in a state.
struct LabRow {
  std::string board, state;
  LabEnd end = LabEnd::kInterrupted;
  std::int64_t attempts = 0;
  std::int64_t models = 0;     // measured now
  std::int64_t entries = 0;    // that the store has of it
  std::int64_t new_parts = 0;  // written to the store
  std::string message;         // why it was lost or refused
};

// Who looks on. All are called by one thread at a time.
struct LabOnlooker {
  std::function<bool()> go_on;
  std::function<void(const std::string& sentence)> say;
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// In the order of the boards and their states. Throws InputError where the request is wrong whatever the
// board, or names programs to be started and none may be.
std::vector<LabRow> ProfileLab(const Lab& lab, const LabOrder& order, const ProfileStore& store,
                               const LabOnlooker& onlooker);

}  // namespace tandem
