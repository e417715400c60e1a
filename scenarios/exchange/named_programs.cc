#include "scenarios/exchange/named_programs.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::size_t kMostShown = 4, kMostOfOne = 100;

// Several plans of a request name the same ones.
void AddOnce(const std::vector<NamedProgram>& more, std::vector<NamedProgram>& programs) {
  for (const NamedProgram& program : more) {
    if (std::find(programs.begin(), programs.end(), program) == programs.end()) programs.push_back(program);
  }
}

std::string Shortened(std::string words) {
  if (words.size() > kMostOfOne) words.replace(kMostOfOne, std::string::npos, "...");
  return words;
}

std::string Listed(const std::vector<NamedProgram>& programs) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(programs.size(), kMostShown); ++i) {
    shown.push_back(programs[i].where + ": " + Quoted(Shortened(programs[i].words)));
  }
  if (programs.size() > kMostShown) {
    shown.push_back(std::to_string(programs.size() - kMostShown) + " more");
  }
  return Joined(shown, "; ");
}

}  // namespace

std::vector<NamedProgram> ProgramsOf(const Unit& unit) {
  if (unit.command.empty()) return {};
  return {{"unit " + Quoted(unit.name), Joined(unit.command, " ")}};
}

std::vector<NamedProgram> ProgramsOf(const Platform& platform) {
  std::vector<NamedProgram> programs;
  for (const Unit& unit : platform.units) AddOnce(ProgramsOf(unit), programs);
  return programs;
}

std::vector<NamedProgram> ProgramsOf(const Scenario& scenario) {
  std::vector<NamedProgram> programs;
  if (scenario.platform) programs = ProgramsOf(*scenario.platform);
  for (const std::vector<std::string>& command : scenario.programs) {
    AddOnce({{"background", Joined(command, " ")}}, programs);
  }
  return programs;
}

std::vector<NamedProgram> ProgramsOf(const ProfileOrder& order) {
  std::vector<NamedProgram> programs = ProgramsOf(order.platform);
  for (const ClockState& state : order.clock_states) {
    const std::string where = "clock state " + Quoted(state.name);
    if (!state.before.empty()) AddOnce({{where, state.before}}, programs);
    if (!state.read.empty()) AddOnce({{where, state.read}}, programs);
  }
  return programs;
}

std::vector<NamedProgram> ProgramsOf(const RunOrder& order) {
  std::vector<NamedProgram> programs;
  for (const PlanFile& plan : order.plans) AddOnce(ProgramsOf(plan.scenario), programs);
  return programs;
}

void CheckAllowed(const std::string& file, const std::vector<NamedProgram>& programs, bool allowed,
                  const std::string& means) {
  if (allowed || programs.empty()) return;
  throw InputError(file + ": names " + (programs.size() == 1 ? "a program" : "programs") +
                   " to be started, " + Listed(programs) + "; " + means + " starts what files name");
}

}  // namespace tandem
