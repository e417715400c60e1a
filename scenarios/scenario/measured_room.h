// The room that models take on units, as profiles measured it or else estimated, against what there is: does
// it fit, before anything runs?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// What a unit takes of its memory at most: the models that it may hold at once, and beside them what one of
// them takes while it is made ready or runs.
struct RoomOfUnit {
  std::string unit;
  std::int64_t models = 0;   // that it may run
  std::int64_t at_once = 0;  // of those
  // Nobody says how many: as many as their weights leave room for, and the policy chooses.
  bool in_turns = false;
  std::int64_t needed_bytes = 0;
};

// Of one memory with a capacity, all of its units together.
struct MeasuredRoom {
  std::string memory;
  std::int64_t capacity_bytes = 0;
  std::int64_t needed_bytes = 0;  // what the units take together at most
  // What they take in any case: of what nobody measured weights alone, and one model at a time made ready.
  std::int64_t least_bytes = 0;
  bool measured = false;                    // anything of it
  std::vector<std::string> estimated = {};  // "model on unit" of which no profile measured it
  std::vector<RoomOfUnit> units = {};       // that may run any model
  bool Fits() const { return needed_bytes <= capacity_bytes; }
  bool CannotFit() const { return least_bytes > capacity_bytes; }
};

// The whole models that streams may run on the unit, held there or loaded. Needs costs.
std::vector<ModelId> ModelsOn(const Scenario& scenario, UnitId unit);

// A unit that holds fewer models than it runs counts with those that take most together. None without costs.
std::vector<MeasuredRoom> MeasuredRooms(const Scenario& scenario);
// Those of them that do not fit, or may not.
std::vector<MeasuredRoom> RoomsInDoubt(const Scenario& scenario);

// A sentence: how much of how much, whether that fits and, where not, what helps.
std::string RoomSentence(const MeasuredRoom& room);
// One for each memory in doubt: for above a table of results. Empty: none is.
std::string RoomsInDoubtText(const Scenario& scenario, std::size_t width);

const Fields<MeasuredRoom>& MeasuredRoomFields();

}  // namespace tandem
