// What a person at the terminal sees of a long run, and how they end it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tandem {

// Beyond this a program that was stopped by Ctrl-C ends with the shell's usual status for it.
inline constexpr int kExitInterrupted = 130;

// What asks a run to come to an end: a person, or what a batch system sends before it kills.
enum class EndsOn : std::uint8_t { kInterrupt, kInterruptOrTerm };

// While it lives, the first SIGINT asks the run to come to an end; a second one ends the program at once.
class LongRun {
 public:
  explicit LongRun(EndsOn ends = EndsOn::kInterrupt);
  ~LongRun();
  LongRun(const LongRun&) = delete;
  LongRun& operator=(const LongRun&) = delete;

  bool interrupted() const;
  // Shows how far it is: a bar on standard error, on a terminal alone, from two seconds on. `total` 0:
  // unknown. False: interrupted.
  bool Progress(const std::string& what, std::int64_t done, std::int64_t total);
  // The same with the time left, where what is done took as long as what is to come.
  bool ProgressAndTimeLeft(const std::string& what, std::int64_t done, std::int64_t total);
  // Takes the bar away, so that a result can be printed.
  void Clear();

 private:
  bool IsDue();

  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_, last_;
};

// "fcfs [#####-----] 50 %", or with a total that is unknown "fcfs: 1,000".
std::string ProgressLine(const std::string& what, std::int64_t done, std::int64_t total);

// ", 1:02:05 left" after so long; nothing where none or all is done.
std::string TimeLeft(std::chrono::seconds passed, std::int64_t done, std::int64_t total);

}  // namespace tandem
