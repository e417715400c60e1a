// tandem profiles measure REQUEST --boards FILE -o STORE
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/program.h"
#include "sim/lab/profiling.h"

namespace tandem::profiles_measure {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostSeconds = 1e6;
constexpr double kUsualWait = 5;  // seconds

struct MeasureArguments {
  std::string request, boards, store;
  std::vector<std::string> only, states;
  std::int64_t retries = 2;
  double wait_s = kUsualWait, timeout_s = 0, budget_s = 0;
  bool install = false, force = false, allow_commands = false, json = false;
};

// `names` alone, where there are some.
template <class Element>
void Choose(const std::string& option, const std::vector<std::string>& names, std::vector<Element>& from) {
  const auto is_asked = [&](const Element& element) {
    return names.empty() || std::find(names.begin(), names.end(), element.name) != names.end();
  };
  std::vector<std::string> known;
  for (const Element& element : from) known.push_back(element.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw InputError(option + ": the lab has no " + option.substr(2) + " " + Quoted(name) +
                     Suggestion(name, known));
  }
  std::erase_if(from, [&](const Element& element) { return !is_asked(element); });
}

// A state may be one of some boards alone; the others have nothing to do then.
void ChooseStates(const std::vector<std::string>& names, Lab& lab) {
  if (names.empty()) return;
  std::vector<LabState> all;
  for (const LabBoard& board : lab.boards) all.insert(all.end(), board.states.begin(), board.states.end());
  Choose("--state", names, all);
  for (LabBoard& board : lab.boards) {
    std::erase_if(board.states, [&](const LabState& state) {
      return std::find(names.begin(), names.end(), state.name) == names.end();
    });
  }
  std::erase_if(lab.boards, [](const LabBoard& board) { return board.states.empty(); });
}

Nanos OfSeconds(double seconds) { return Nanos{std::llround(seconds * 1e9)}; }

LabOrder OrderOf(const MeasureArguments& arguments) {
  LabOrder order;
  order.request = arguments.request;
  order.retries = arguments.retries;
  order.wait = OfSeconds(arguments.wait_s);
  order.timeout = OfSeconds(arguments.timeout_s);
  order.budget = OfSeconds(arguments.budget_s);
  order.again = arguments.force;
  order.install = arguments.install;
  order.allow_commands = arguments.allow_commands;
  return order;
}

std::string RowsJson(const std::vector<LabRow>& rows) {
  Json json = Json::array();
  for (const LabRow& row : rows) {
    json.push_back({{"board", row.board},
                    {"state", row.state},
                    {"end", NameOf(kLabEndNames, row.end)},
                    {"attempts", row.attempts},
                    {"models", row.models},
                    {"entries", row.entries},
                    {"new_parts", row.new_parts},
                    {"message", row.message}});
  }
  return JsonOutput(json);
}

std::string RowsText(const std::vector<LabRow>& rows, std::size_t width) {
  Table table({{"board"},
               {"state"},
               {"end"},
               {"attempts", true},
               {"models", true},
               {"entries", true},
               {"why", false, false, true}});
  for (const LabRow& row : rows) {
    table.Add({row.board, row.state.empty() ? "-" : row.state, std::string(NameOf(kLabEndNames, row.end)),
               std::to_string(row.attempts), std::to_string(row.models), std::to_string(row.entries),
               row.message});
  }
  return table.Text(width);
}

int StatusOf(const std::vector<LabRow>& rows, const LongRun& watch) {
  const auto some = [&](LabEnd end) {
    return std::any_of(rows.begin(), rows.end(), [&](const LabRow& row) { return row.end == end; });
  };
  if (watch.interrupted()) {
    WriteError("tandem: interrupted; the same command goes on with what is missing\n");
    return kExitInterrupted;
  }
  if (some(LabEnd::kLost)) return kExitFailed;
  return some(LabEnd::kRefused) ? kExitBadInput : kExitDone;
}

int Measure(const MeasureArguments& arguments) {
  Lab lab = ReadLabFile(arguments.boards);
  Choose("--board", arguments.only, lab.boards);
  ChooseStates(arguments.states, lab);
  LongRun watch;
  LabOnlooker onlooker;
  onlooker.go_on = [&] { return !watch.interrupted(); };
  onlooker.say = [&](const std::string& sentence) {
    watch.Clear();
    WriteNote("tandem: " + sentence + "\n");
  };
  const std::string what = "profiling " + Counted(static_cast<std::int64_t>(lab.boards.size()), "board");
  onlooker.progress = [&](std::int64_t done, std::int64_t total) { watch.Progress(what, done, total); };
  const std::vector<LabRow> rows =
      ProfileLab(lab, OrderOf(arguments), ProfileStore(arguments.store), onlooker);
  watch.Clear();
  WriteOutput(arguments.json ? RowsJson(rows) : RowsText(rows, OutputWidth()));
  return StatusOf(rows, watch);
}

void Declare(Command& command, MeasureArguments& arguments) {
  command
      .Add("REQUEST", &arguments.request,
           "what is measured on each: a profile request, scenario or plan; - is standard input")
      .Required();
  command.Add("--boards", &arguments.boards, "the boards of the lab and how each is reached: a boards/1 file")
      .Required()
      .Shown("FILE");
  command.Add("-o,--output", &arguments.store, "the store: a folder that keeps what was measured")
      .Required()
      .Shown("STORE");
  command.Add("--board", &arguments.only, "these boards alone").Separated(',');
  command.Add("--state", &arguments.states, "in these states alone").Separated(',');
  command.Add("--retries", &arguments.retries, "how often a lost board is tried again (2)").Range(0, 1000);
  command.Add("--wait", &arguments.wait_s, "seconds before that (5)").RealRange(0, kMostSeconds);
  command
      .Add("--timeout", &arguments.timeout_s,
           "seconds after which a board that does not answer is lost; else only the connection tells")
      .Positive(kMostSeconds);
  command.Add("--budget", &arguments.budget_s, "seconds that measuring may take on each, in each state")
      .Positive(kMostSeconds);
  command.Flag(
      "--install", &arguments.install,
      "where tandem-device cannot be started on a board that ssh reaches, install it there and go on");
  command.Flag("--force", &arguments.force, "measure what the store has, too, and replace it");
  command.AllowCommands(&arguments.allow_commands);
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "All boards are measured side by side, their states one after the other. What the store has of a "
      "board\n"
      "is not asked again; what a lost board has measured it keeps, and goes on with that. Files of yours\n"
      "that the request names are sent. What a board says is in STORE/logs.\n"
      "Exit status 3 where a board was lost, 2 where one refused the request; the others' profiles are "
      "there.\n"
      "Examples:\n"
      "  tandem profiles measure mine.scenario.json --boards lab.boards.json -o lab-store\n"
      "  tandem profiles measure request.json --boards lab.boards.json -o lab-store --board nano --force\n"
      "  tandem profiles list lab-store");
}

const CommandRegistration kProfilesMeasure{
    {.name = "profiles measure",
     .summary = "measure on all boards of a lab side by side, into a store",
     .order = 15},
    Declare,
    Measure};

}  // namespace
}  // namespace tandem::profiles_measure
