// Commands of the user's, which the system's shell runs here.
#pragma once

#include <string>

namespace tandem {

// Runs it to its end; what it writes goes to standard error, so that a result is not mixed with it. Throws
// EnvironmentError, `what` first, where it cannot be started or fails.
void RunInShell(const std::string& command, const std::string& what);

// The same, and gives what it writes to standard output: lines joined by "; ", without blanks at their ends,
// a page at most.
std::string TextFromShell(const std::string& command, const std::string& what);

}  // namespace tandem
