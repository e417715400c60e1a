#include "sim/lab/profiling.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/costs/combine.h"
#include "profiles/program/shipped.h"
#include "scenarios/exchange/named_programs.h"
#include "scenarios/scenario/plan.h"
#include "sim/board/device_client.h"
#include "sim/board/install_offer.h"
#include "sim/lab/asked.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr Nanos kForInfo = std::chrono::seconds{60};  // it measures nothing
constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::size_t kMostSaid = 200;

std::string InSeconds(Nanos time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

// How long an answer may take.
class Deadline {
 public:
  void Begin(Nanos allowed) {
    allowed_ = allowed;
    begin_ = steady_clock::now();
  }
  Nanos allowed() const { return allowed_; }
  bool over() const { return allowed_ > Nanos{0} && steady_clock::now() - begin_ >= allowed_; }
  std::string Text() const { return "no answer within " + InSeconds(allowed_); }

 private:
  Nanos allowed_{0};
  steady_clock::time_point begin_;
};

// What a board says on standard error, in a file of its own: several at once would be a muddle.
class Saying {
 public:
  explicit Saying(fs::path file) : file_(std::move(file)) {}

  const fs::path& file() const { return file_; }
  void Begin() { begin_ = Size(); }
  // The last line since then.
  std::string Last() const {
    if (Size() <= begin_) return "";
    std::string text;
    try {
      text = ReadTextFile(file_).substr(begin_);
    } catch (const InputError&) {
      return "";
    }
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1).substr(0, kMostSaid);
  }

 private:
  std::size_t Size() const {
    std::error_code error;
    const auto size = fs::file_size(file_, error);
    return error ? 0 : static_cast<std::size_t>(size);
  }

  fs::path file_;
  std::size_t begin_ = 0;
};

// An answer that can be read may still be nonsense.
void CheckAnswered(const ProfileOrder& asked, const Profile& answer) {
  const auto refuse = [](const std::string& what) {
    throw EnvironmentError("the device's answer is not understood: " + what);
  };
  if (answer.platform != asked.platform.name) {
    refuse("it is of platform " + Quoted(answer.platform) + ", not " + Quoted(asked.platform.name));
  }
  if (answer.origin.kind != OriginKind::kMeasured) refuse("it was not measured");
  try {
    CheckUnits(answer, asked.platform);
  } catch (const InputError& error) {
    refuse(error.what());
  }
  for (const ProfiledModel& wish : asked.models) {
    const auto is_of = [&](const CostEntry& entry) {
      return entry.model == wish.model && entry.batch == wish.batch;
    };
    const bool some = std::any_of(answer.entries.begin(), answer.entries.end(), is_of);
    // A file may have another path there.
    if (!some && IsShippedName(wish.model)) refuse("it has no time of " + Quoted(wish.model));
  }
}

class LabRun {
 public:
  LabRun(const Lab& lab, const LabOrder& order, const ProfileStore& store, const LabOnlooker& onlooker)
      : lab_(lab),
        order_(order),
        store_(store),
        onlooker_(onlooker),
        request_(JsonDocument::ReadFile(order.request)) {
    JudgeRequest();
    MakeLogs();
    for (const LabBoard& board : lab_.boards) {
      rows_.emplace_back(board.states.size());
      states_ += static_cast<std::int64_t>(board.states.size());
    }
  }

  std::vector<LabRow> Run() {
    {
      std::vector<std::jthread> threads;  // joined at their end
      for (std::size_t b = 0; b < lab_.boards.size(); ++b) threads.emplace_back([this, b] { WorkOn(b); });
      while (ended_ < states_) {
        {
          const std::lock_guard lock(mutex_);
          onlooker_.progress(ended_, states_);
        }
        std::this_thread::sleep_for(kBetweenLooks);
      }
    }
    std::vector<LabRow> all;
    for (const auto& rows : rows_) all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }

 private:
  // What is wrong with it on any board, and what nobody allowed it to start, is said before one is asked or
  // brought into a state. A request of a scenario needs the board's platform.
  void JudgeRequest() const {
    const JsonReader root = request_.root();
    const std::string_view kind = FileKind(root);
    const bool scenario = kind.starts_with("scenario/") || kind.starts_with("plan/");
    ScenarioOptions options;
    options.profiles = NamedProfiles::kNone;  // they name no programs that a board starts to measure
    CheckAllowed(
        request_.name(),
        scenario ? ProgramsOf(ReadScenarioOrPlan(root, options)) : ProgramsOf(ReadProfileOrderFrom(root)),
        order_.allow_commands);
  }

  void MakeLogs() const {
    std::error_code error;
    fs::create_directories(LogOf("").parent_path(), error);
    if (error) throw EnvironmentError(LogOf("").parent_path().string() + ": " + error.message());
    for (const LabBoard& board : lab_.boards) fs::remove(LogOf(board.name), error);
  }
  fs::path LogOf(const std::string& board) const {
    return fs::absolute(store_.folder()) / "logs" / (board + ".txt");
  }

  void WorkOn(std::size_t b) {
    const LabBoard& board = lab_.boards[b];
    for (std::size_t s = 0; s < board.states.size(); ++s) {
      LabRow& row = rows_[b][s];
      row.board = board.name;
      row.state = board.states[s].name;
      MeasureState(board, board.states[s], row);
      ++ended_;
    }
  }

  void MeasureState(const LabBoard& board, const LabState& state, LabRow& row) {
    Saying saying(LogOf(board.name));
    while (onlooker_.go_on()) {
      ++row.attempts;
      saying.Begin();
      if (Try(board, state, saying, row)) return;
      if (!onlooker_.go_on()) break;
      row.end = LabEnd::kLost;
      const bool again = row.attempts <= order_.retries;
      Say(row, "is lost: " + row.message +
                   (again ? "; tried again in " + InSeconds(order_.wait) + " (" +
                                std::to_string(row.attempts) + " of " + std::to_string(order_.retries) + ")"
                          : ""));
      if (!again) return;
      Wait();
    }
    row.end = LabEnd::kInterrupted;
  }

  // False: it was lost, and may be there again later.
  bool Try(const LabBoard& board, const LabState& state, const Saying& saying, LabRow& row) {
    Deadline deadline;
    const auto said = [&] { return saying.Last().empty() ? "" : "; it said: " + saying.Last(); };
    try {
      Ask(board, state, saying, deadline, row);
      row.message.clear();
      return true;
    } catch (const InputError& error) {
      row.end = LabEnd::kRefused;
      row.message = error.what() + said();
      Say(row, "is passed over: " + row.message);
      return true;
    } catch (const EnvironmentError& error) {
      row.message = (deadline.over() ? deadline.Text() : error.what()) + said();
    } catch (const std::exception& error) {
      row.message = error.what();
    }
    return false;
  }

  void Ask(const LabBoard& board, const LabState& state, const Saying& saying, Deadline& deadline,
           LabRow& row) {
    const auto go_on = [&] { return onlooker_.go_on() && !deadline.over(); };
    const DeviceProgramPlace place{lab_.folder, saying.file()};
    deadline.Begin(AskedWithin());
    if (!state.before.empty()) BringInto(state, place, go_on);
    const DeviceClient device(
        DeviceProgram(board.command, place), KeptFiles(std::nullopt),
        {go_on,
         [](const std::string&, std::int64_t, std::int64_t) {},
         {},
         [&](const std::string& warning) { Say(row, "is of another release: " + warning); },
         [&](const DeviceProgram& program) { return Install(program, deadline, row); }});
    const Platform platform = device.AskPlatform(1);
    std::vector<std::string> hashes;
    const ProfileOrder missing = WhatToAsk(state, platform, row, hashes);
    if (missing.models.empty()) return;
    deadline.Begin(order_.timeout);
    const bool resume = !order_.again || row.attempts > 1;
    std::vector<std::string> arguments = state.arguments;
    if (order_.allow_commands) arguments.emplace_back("--allow-commands");
    Profile answer = device.AskProfile(missing, resume, arguments);
    CheckAnswered(missing, answer);
    Keep(hashes, std::move(answer), missing, row);
  }

  // That takes as long as an archive takes to be sent; what is asked then has its own time again.
  std::optional<std::string> Install(const DeviceProgram& program, Deadline& deadline, const LabRow& row) {
    if (!order_.install) return std::nullopt;
    const Nanos allowed = deadline.allowed();
    deadline.Begin(order_.timeout);
    const auto go_on = [&] { return onlooker_.go_on() && !deadline.over(); };
    const auto say = [&](const std::string& sentence) { Say(row, "had no program: " + sentence); };
    const auto command = InstallWhereMissing(program, {true, go_on, {}, say});
    deadline.Begin(allowed);
    return command;
  }

  // Of a question for what is there.
  Nanos AskedWithin() const {
    return order_.timeout > Nanos{0} ? std::min(order_.timeout, kForInfo) : kForInfo;
  }

  static void BringInto(const LabState& state, const DeviceProgramPlace& place,
                        const std::function<bool()>& go_on) {
    const DeviceAnswer answer = DeviceProgram(state.before, place).Run({}, {}, go_on);
    if (answer.status == 0) return;
    throw EnvironmentError(state.before + ": ended with status " + std::to_string(answer.status));
  }

  // Reading is for one thread at a time: it loads models.
  ProfileOrder WhatToAsk(const LabState& state, const Platform& platform, LabRow& row,
                         std::vector<std::string>& hashes) {
    const std::lock_guard lock(mutex_);
    const std::optional<BoardProfile> kept = store_.Find(row.board, row.state);
    ScenarioOptions options;
    options.device = platform;
    ProfileOrder order = ReadProfileOrderFrom(request_.root(), options);
    if (order_.budget > Nanos{0}) order.budget = order_.budget;
    hashes = HashesOfAsked(order, state.arguments);
    if (kept && !order_.again) order = WithoutAnswered(std::move(order), hashes, kept->answers);
    if (!order.models.empty()) return order;
    row.end = LabEnd::kKnown;
    row.entries = static_cast<std::int64_t>(kept->profile.entries.size());
    return order;
  }

  void Keep(const std::vector<std::string>& hashes, Profile answer, const ProfileOrder& asked, LabRow& row) {
    const std::lock_guard lock(mutex_);
    answer.file.clear();  // it names files as it was asked for them, not from a place of its own
    const ProfileStore::Added added =
        store_.Add({row.board, row.state, hashes, std::move(answer), {}}, asked.platform, Prefer::kLast);
    row.models = static_cast<std::int64_t>(asked.models.size());
    row.entries = added.entries;
    row.new_parts = added.new_parts;
    row.end = LabEnd::kMeasured;
  }

  void Say(const LabRow& row, const std::string& what) {
    const std::lock_guard lock(mutex_);
    onlooker_.say(row.board + (row.state.empty() ? "" : " in state " + row.state) + " " + what);
  }

  void Wait() const {
    const auto until = steady_clock::now() + order_.wait;
    while (onlooker_.go_on() && steady_clock::now() < until) std::this_thread::sleep_for(kBetweenLooks);
  }

  const Lab& lab_;
  const LabOrder& order_;
  const ProfileStore& store_;
  const LabOnlooker& onlooker_;
  const JsonDocument request_;
  std::vector<std::vector<LabRow>> rows_;  // by board and state: each thread has its own
  std::int64_t states_ = 0;
  std::atomic<std::int64_t> ended_ = 0;
  std::mutex mutex_;  // of the store, of reading, and of what the onlooker is told
};

}  // namespace

std::vector<LabRow> ProfileLab(const Lab& lab, const LabOrder& order, const ProfileStore& store,
                               const LabOnlooker& onlooker) {
  return LabRun(lab, order, store, onlooker).Run();
}

}  // namespace tandem
