// What signals do to these programs where nobody answers them: nothing that was begun is left half-written.
#pragma once

namespace tandem {

using SignalHandler = void (*)(int);

SignalHandler HandlerOf(int signal);
void HandleSignal(int signal, SignalHandler handler, int flags = 0);  // flags: SA_RESTART and the like

// A handler: removes the files that this process has begun (profiles/base/files.h), then the signal does what
// it does to any program.
void EndBySignal(int signal);

// From here on EndBySignal answers every signal that usually ends a program, but for those that are answered
// or ignored already (nohup, a shell's background job).
void EndCleanlyBySignals();

// Of a forked process whose parent is asked to end, and lets it finish what it does.
void LeaveEndingToParent();

}  // namespace tandem
