// Who else is on this machine? On each core in turn a fixed piece of work is timed again and again: how long
// it takes shows the states that the core is in (a neighbour on its other thread or none), how long they
// last, and wall time that the thread did not have is what the host or other processes took.
//
//     g++ -std=c++20 -O2 -march=native -pthread neighbours.cc -o neighbours
//     ./neighbours [SECONDS [--all]]          a line for each core; --all: every reading, as "core ms us
//     taken_us"
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr double kSame = 0.08;  // as in profiles/costs/machine_state.h
constexpr int kRows = 64, kFeatures = 256;

double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Reading {
  double at = 0, takes = 0, taken = 0;  // seconds
};

// As the profiler's yardstick: multiplying and adding what lies in the nearest caches.
float in[kRows][kFeatures], weights[kFeatures][kFeatures], out[kRows][kFeatures];

void Work() {
  for (auto& row : out) std::memset(row, 0, sizeof(row));
  for (int r = 0; r < kRows; r += 4) {
    for (int f = 0; f < kFeatures; ++f) {
      const float a = in[r][f], b = in[r + 1][f], c = in[r + 2][f], d = in[r + 3][f];
      for (int o = 0; o < kFeatures; ++o) {
        const float weight = weights[f][o];
        out[r][o] += a * weight;
        out[r + 1][o] += b * weight;
        out[r + 2][o] += c * weight;
        out[r + 3][o] += d * weight;
      }
    }
  }
}

Reading Read() {
  std::vector<double> times;
  Reading reading{SecondsOf(CLOCK_MONOTONIC)};
  for (int i = 0; i < 9; ++i) {
    const double wall = SecondsOf(CLOCK_MONOTONIC), own = SecondsOf(CLOCK_THREAD_CPUTIME_ID);
    Work();
    const double had = SecondsOf(CLOCK_THREAD_CPUTIME_ID) - own;
    const double took = SecondsOf(CLOCK_MONOTONIC) - wall;
    reading.taken += std::max(took - had - 2e-6, 0.0);  // reading clocks is in it
    if (i >= 2) times.push_back(std::min(took, had));
  }
  std::sort(times.begin(), times.end());
  reading.takes = times[3];
  return reading;
}

void Tell(int core, const std::vector<Reading>& readings) {
  std::vector<double> takes;
  double taken = 0;
  for (const Reading& reading : readings) {
    takes.push_back(reading.takes);
    taken += reading.taken;
  }
  std::sort(takes.begin(), takes.end());
  const auto at = [&](double share) {
    return takes[static_cast<std::size_t>(share * static_cast<double>(takes.size() - 1))];
  };
  const double level = at(0.2);
  int same = 0, flips = 0;
  bool was = true;
  for (const Reading& reading : readings) {
    const bool is = std::abs(reading.takes / level - 1) < kSame;
    same += is;
    flips += is != was;
    was = is;
  }
  const auto count = static_cast<double>(readings.size());
  const double lasted = readings.back().at - readings.front().at;
  double busy = 0;
  for (const double time : takes) busy += 9 * time;
  std::printf(
      "core %d: level %.1f us, %.0f %% of %zu readings within 8 %%, flips %.2f a second; 50th, 90th, 99th "
      "percentile %.2f, %.2f, %.2f of the level; others took %.2f %% of it\n",
      core, level * 1e6, 100 * same / count, readings.size(), flips / lasted, at(0.5) / level,
      at(0.9) / level, at(0.99) / level, 100 * taken / (busy + taken));
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
  const bool all = argc > 2 && std::strcmp(argv[2], "--all") == 0;
  cpu_set_t usable;
  sched_getaffinity(0, sizeof(usable), &usable);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &usable)) cores.push_back(core);
  }
  std::vector<std::vector<Reading>> readings(cores.size());
  const double begin = SecondsOf(CLOCK_MONOTONIC);
  while (SecondsOf(CLOCK_MONOTONIC) - begin < seconds) {
    for (std::size_t c = 0; c < cores.size(); ++c) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cores[c], &one);
      sched_setaffinity(0, sizeof(one), &one);
      for (int i = 0; i < 10; ++i) {
        readings[c].push_back(Read());
        const Reading& last = readings[c].back();
        if (all)
          std::printf("%d %.1f %.2f %.2f\n", cores[c], (last.at - begin) * 1e3, last.takes * 1e6,
                      last.taken * 1e6);
      }
    }
  }
  for (std::size_t c = 0; c < cores.size() && !all; ++c) Tell(cores[c], readings[c]);
}
