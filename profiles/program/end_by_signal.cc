#include "profiles/program/end_by_signal.h"

#include <signal.h>

#include "profiles/base/files.h"

namespace tandem {

SignalHandler HandlerOf(int signal) {
  struct sigaction now {};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

void HandleSignal(int signal, SignalHandler handler, int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

// Not blocked meanwhile, so that it ends the program right here.
void EndBySignal(int signal) {
  RemoveUnfinishedFiles();
  HandleSignal(signal, SIG_DFL);
  sigset_t raised;
  sigemptyset(&raised);
  sigaddset(&raised, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &raised, nullptr);
  ::raise(signal);
}

void EndCleanlyBySignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ}) {
    if (HandlerOf(signal) == SIG_DFL) HandleSignal(signal, EndBySignal);
  }
}

void LeaveEndingToParent() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) HandleSignal(signal, SIG_IGN);
}

}  // namespace tandem
