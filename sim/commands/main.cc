// tandem: which placement and scheduling policy wins on this board, and can you trust the answer?
#include "profiles/program/command_line.h"
#include "profiles/program/version.h"
#include "sim/engine/simgrid_runner.h"

int main(int argc, char** argv) {
  return tandem::RunProgram(
      {.name = "tandem",
       .summary = "Which placement and scheduling policy wins on this board, and can you trust the answer?",
       .version = std::string(tandem::Version()),
       .footer = "Examples:\n  tandem scenarios list\n  tandem simulate study-003\n"
                 "  tandem validate mine.scenario.json",
       .runs_with = [] { return "SimGrid " + tandem::SimGridVersion(); }},
      argc, argv);
}
