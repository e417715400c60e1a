/* Where an inference begins and ends, for whoever counts or times it. */
#ifndef TANDEM_TESTS_BENCH_MARKS_H
#define TANDEM_TESTS_BENCH_MARKS_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Stops a program that is traced (count_native.c), just before its last run and just after it. */
static inline void Mark(void) {
  if (getenv("TANDEM_MARKS") != NULL) raise(SIGUSR1);
}

static inline double MicrosecondsNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int CompareTimes(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

/* Sorts them. */
static inline void TellMedian(double* times, size_t count) {
  if (count == 0) return;
  qsort(times, count, sizeof *times, CompareTimes);
  fprintf(stderr, "median of %zu runs: %.3f us\n", count, times[(count - 1) / 2]);
}

#endif
