// Programs that a file wants started on the device. Files come from anybody: these start only where whoever
// has tandem-device started says that files may name some.
#pragma once

#include <string>
#include <vector>

#include "scenarios/exchange/profile_order.h"
#include "scenarios/exchange/run_order.h"

namespace tandem {

struct NamedProgram {
  std::string where;  // unit "npu"
  std::string words;  // the program and its arguments, or what a shell is to run
  friend bool operator==(const NamedProgram&, const NamedProgram&) = default;
};

std::vector<NamedProgram> ProgramsOf(const Unit& unit);
std::vector<NamedProgram> ProgramsOf(const Platform& platform);
std::vector<NamedProgram> ProgramsOf(const Scenario& scenario);   // its units', and those that run beside
std::vector<NamedProgram> ProgramsOf(const ProfileOrder& order);  // its units', and those of its clock states
std::vector<NamedProgram> ProgramsOf(const RunOrder& order);

// Throws InputError, `file` first, where there are some and they are not allowed; `means` would allow them.
void CheckAllowed(const std::string& file, const std::vector<NamedProgram>& programs, bool allowed,
                  const std::string& means = "--allow-commands");

}  // namespace tandem
