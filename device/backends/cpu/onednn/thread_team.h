// The threads of one CPU unit: the thread that opened it and OpenMP's workers of that thread, as many as it
// has cores. Each is pinned to one of them; where others work there at the same time (`shared`), the
// operating system moves them among these cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem {

class ThreadTeam {
 public:
  // Throws InputError, `unit` first, where this process may not use one of the cores, or none is named;
  // EnvironmentError where pinning fails.
  ThreadTeam(std::string unit, std::vector<std::int64_t> cores, bool shared = false);
  // The thread that it leads may use every core again.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Makes the calling thread the team's first. Cheap where it is so already; a thread that serves several
  // units moves from one team to the other.
  void Enter() const;
  std::size_t size() const { return cores_.size(); }

 private:
  std::string unit_;
  std::vector<std::int64_t> cores_;
  bool shared_;
  std::uint64_t id_;
};

// While it lives, numbers too small for full precision count as zero on this thread (the workers do so
// always): such numbers cost a hundred times the time and carry nothing that the tolerance would see.
class FlushToZero {
 public:
  FlushToZero();
  ~FlushToZero();
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace tandem
