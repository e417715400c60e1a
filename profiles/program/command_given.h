// The program that runs and the line that it was given: what CommandAsGiven, ThisProgram, ThisVersion and
// WhereProgramLies tell.
#pragma once

#include "profiles/program/command_facts.h"
#include "profiles/program/command_line.h"

namespace tandem {

void NoteCommand(const ProgramFacts& program, int argc, const char* const* argv);
void NoteCommands(CommandFacts program);

}  // namespace tandem
