// Room profiles/program: what both programs do alike: command lines, exit statuses, progress, versions,
// what is shipped.
//
// What both programs do alike: their exit statuses, their error messages and their writing to standard
// output.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace tandem {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNo = 1;             // the answer is no: a check or a comparison failed
inline constexpr int kExitBadInput = 2;       // the input is wrong, usage errors too
inline constexpr int kExitFailed = 3;         // the device or the environment failed
inline constexpr int kExitInterrupted = 130;  // Ctrl-C or another signal ended it, as shells have it

// Runs `body`, writes what it throws as "PROGRAM: MESSAGE" to standard error and returns the exit status. A
// signal that ends it leaves no file half-written. Nothing is opened in the place of a standard stream that
// was closed: there reading and writing fail.
int RunGuarded(std::string_view program, const std::function<int()>& body);

// All that these programs write to a terminal goes through one of these two, which write out what a terminal
// would obey or hide (profiles/base/printable.h): names come from anybody's files. JSON stays what it is.
//
// Writes a result. A reader that closed its end (`| head`) has seen enough: nothing more is written and
// nothing is said. Throws EnvironmentError where writing fails otherwise (a full disk).
void WriteOutput(std::string_view text);
// The same byte for byte, for a program that reads it; on a terminal there is none.
void WriteBytes(std::string_view bytes);

void WriteError(std::string_view text);  // to standard error

// The same of what is good to know and no error: nothing where --quiet asks for that.
void WriteNote(std::string_view text);
bool BeQuiet(bool quiet);  // returns what was so before; at first it is not
bool IsQuiet();

// Columns that a table on standard output may fill: the terminal's, else $COLUMNS, else 80.
std::size_t OutputWidth();
// Do lines end somewhere: is it a terminal, or does $COLUMNS say so? Else they may be as long as they are.
bool OutputIsNarrow();

}  // namespace tandem
