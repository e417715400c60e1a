// What a person at the terminal sees of a long run, and how they end it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/program/program.h"

namespace tandem {

// While it lives, the first SIGINT, SIGTERM or SIGHUP asks the run to come to an end; a second one ends the
// program at once. So does a second without anybody asking whether the run was interrupted. Files that are
// not complete then are removed.
class LongRun {
 public:
  // Whether the run goes on for somebody who reads standard output: once a pipe's other end is closed, nobody
  // will, and the run comes to its end soon.
  enum class Reader { kNobody, kOfOutput };
  explicit LongRun(Reader reader = Reader::kNobody);
  ~LongRun();
  LongRun(const LongRun&) = delete;
  LongRun& operator=(const LongRun&) = delete;

  bool interrupted() const;
  // Shows how far it is: a bar on standard error, on a terminal alone, from two seconds on. `total` 0:
  // unknown. False: interrupted.
  bool Progress(const std::string& what, std::int64_t done, std::int64_t total);
  // The same of what is waited for, where there is nothing to count.
  bool Waits(const std::string& what);
  // The same with the time left, where what is done since that was first shown took as long as what is to
  // come.
  bool ProgressAndTimeLeft(const std::string& what, std::int64_t done, std::int64_t total);
  // What is known so far: asked for whenever the bar is drawn, and shown below it, of many lines the last.
  void Show(std::function<std::vector<std::string>()> known) { known_ = std::move(known); }
  // How long all of it takes from now on, where that is known beforehand: every bar then says what is left.
  void Expect(std::chrono::seconds takes);
  // A sentence for who waits: on a terminal alone.
  void Say(const std::string& sentence);
  // Takes the bar away, so that a result can be printed.
  void Clear();

 private:
  class ReaderWatch;
  bool IsDue();
  void Draw(const std::string& what, std::int64_t done, std::int64_t total, const std::string& left);
  // `narrow`: where the terminal has no room for the line.
  void DrawLine(const std::string& line, const std::string& narrow);

  bool on_terminal_;
  std::unique_ptr<ReaderWatch> reader_;
  std::function<std::vector<std::string>()> known_;
  bool shown_ = false;
  std::size_t shown_below_ = 0;  // lines
  std::chrono::steady_clock::time_point begin_, last_;
  std::optional<std::chrono::steady_clock::time_point> end_;  // as it is expected
  struct Stage {                                              // of what the time left is told
    std::string what;
    std::chrono::steady_clock::time_point begin, done_at;
    std::int64_t done_before = 0, done = 0;  // when it was first shown, and at `done_at`
  };
  Stage stage_;
};

// Was the run that is under way, if any, asked to come to its end? For loops too deep inside to be told: what
// they have found by then is not used.
bool EndIsAsked();

// "fcfs [#####-----] 50 %", without a bar "fcfs: 50 %", or with a total that is unknown "fcfs: 1,000".
std::string ProgressLine(const std::string& what, std::int64_t done, std::int64_t total,
                         std::int64_t bar = 30);

// ", 1:02:05 left" after so long; nothing where none or all is done.
// `since`: how long ago the last of them was done.
std::string TimeLeft(std::chrono::seconds passed, std::int64_t done, std::int64_t total,
                     std::chrono::seconds since = {});
// The same of what is expected; nothing where that is over.
std::string TimeLeft(std::chrono::seconds left);

}  // namespace tandem
