// Counts the instructions that a program executes between its marks (marks.h), on this processor, by stopping
// it after each: some millions a minute. What repeats itself (rep movsb) is one.
//   count_native PROGRAM ARGUMENT...
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marks.h"

#if defined(__x86_64__)
#define PLACE offsetof(struct user_regs_struct, rip)
#else
#error "of another processor than x86-64 nobody has said where it keeps its place"
#endif

static void Fail(const char* what) {
  fprintf(stderr, "count_native: %s: %s\n", what, strerror(errno));
  exit(3);
}

// Goes on, with that signal, until it stops again; its signal, or -1 where it has ended.
static int Go(pid_t child, int how, int signal, int* status) {
  if (ptrace(how, child, NULL, (void*)(intptr_t)signal) != 0) Fail("ptrace");
  if (waitpid(child, status, 0) != child) Fail("waitpid");
  return WIFSTOPPED(*status) ? WSTOPSIG(*status) : -1;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: count_native PROGRAM ARGUMENT...\n");
    return 2;
  }
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) {
    setenv("TANDEM_MARKS", "1", 1);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execvp(argv[1], argv + 1);
    Fail(argv[1]);
  }
  int status;
  if (waitpid(child, &status, 0) != child) Fail("waitpid");
  int stopped = SIGTRAP;  // as it became the other program
  while (stopped >= 0 && stopped != SIGUSR1) {
    stopped = Go(child, PTRACE_CONT, stopped == SIGTRAP ? 0 : stopped, &status);
  }
  uint64_t executed = 0;
  long before = 0;
  while (stopped >= 0) {
    stopped = Go(child, PTRACE_SINGLESTEP, stopped == SIGTRAP || stopped == SIGUSR1 ? 0 : stopped, &status);
    if (stopped == SIGUSR1) break;
    const long now = ptrace(PTRACE_PEEKUSER, child, (void*)PLACE, NULL);
    if (now != before) ++executed;
    before = now;
  }
  while (stopped >= 0) stopped = Go(child, PTRACE_CONT, stopped == SIGUSR1 ? 0 : stopped, &status);
  fprintf(stderr, "executed instructions: %llu\n", (unsigned long long)executed);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
