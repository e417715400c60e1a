#include "sim/workers/crew.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "profiles/base/child.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/program/cores.h"
#include "profiles/program/end_by_signal.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenLooks{200};  // at what a person wants meanwhile
constexpr std::chrono::seconds kToGo{10};

// What a worker says of a run. What could not be written is told in words behind it.
enum class Said : char { kOk, kFailed, kNotWritten };

// False: the other end is gone.
bool SendAll(int socket, const void* bytes, std::size_t size) {
  const char* rest = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::send(socket, rest, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    rest += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool ReceiveAll(int socket, void* bytes, std::size_t size) {
  char* rest = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::recv(socket, rest, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    rest += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string RestOf(int socket) {
  std::string text;
  for (char c = 0; ReceiveAll(socket, &c, 1);) text += c;
  return text;
}

EnvironmentError NoWorker() {
  return EnvironmentError(std::string("no process can be started for a worker: ") + std::strerror(errno));
}

}  // namespace

// One that is not there yet, waits for a run, or works on one.
struct Crew::Worker {
  Child child;
  int socket = -1;
  std::optional<std::size_t> run;
  steady_clock::time_point deadline = steady_clock::time_point::max();

  bool IsThere() const { return socket >= 0; }
  void HangUp() {
    if (socket >= 0) ::close(std::exchange(socket, -1));
  }
};

Crew::Crew(const std::vector<SweepRun>& runs, CrewTask task, CrewOptions options)
    : runs_(runs),
      task_(std::move(task)),
      options_(std::move(options)),
      workers_(std::max<std::size_t>(options_.jobs, 1)),
      rows_(options_.folder) {}

// Who waits for a run goes by itself then; the others are ended.
Crew::~Crew() {
  for (Worker& worker : workers_) worker.HangUp();
  for (Worker& worker : workers_) {
    if (!worker.run) worker.child.End(kToGo);
  }
}

// What a worker does: it ends when nobody is at the other end any more.
void Crew::Serve(int socket) {
  // Who asks the run to come to an end asks the parent, which lets this one finish its row.
  LeaveEndingToParent();
  UseOneCore();  // the other workers have the others
  const auto simulate = task_.simulator();
  RowFile file(options_.folder);
  for (std::size_t run = 0; ReceiveAll(socket, &run, sizeof run);) {
    const SweepRow row = simulate(runs_[run]);
    Said said = row.status == RowStatus::kOk ? Said::kOk : Said::kFailed;
    std::string why;
    try {
      file.Append(RowText(row));
    } catch (const EnvironmentError& error) {
      said = Said::kNotWritten;
      why = error.what();
    }
    if (!SendAll(socket, &said, sizeof said)) ::_exit(1);
    if (said != Said::kNotWritten) continue;
    SendAll(socket, why.data(), why.size());
    ::_exit(1);
  }
  ::_exit(0);
}

void Crew::Hire(Worker& worker) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw NoWorker();
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) throw NoWorker();
  if (pid == 0) {
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it died before that
#endif
    ::close(ends[0]);
    for (Worker& other : workers_) other.HangUp();  // or it would wait for this one, too
    try {
      Serve(ends[1]);
    } catch (...) {
      ::_exit(1);  // nothing of the parent's is written out or torn down twice
    }
  }
  ::close(ends[1]);
  worker.child = Child(pid);
  worker.socket = ends[0];
}

void Crew::Give(Worker& worker, std::size_t run) {
  if (!worker.IsThere()) Hire(worker);
  worker.run = run;
  worker.deadline =
      options_.timeout ? steady_clock::now() + *options_.timeout : steady_clock::time_point::max();
  if (SendAll(worker.socket, &run, sizeof run)) return;
  worker.HangUp();  // it died over nothing: another one
  worker.child.End();
  Hire(worker);
  SendAll(worker.socket, &run, sizeof run);
}

// False: there are no more runs, for any of them.
bool Crew::GiveAll(const Next& next) {
  bool more = true;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    if (workers_[w].run) continue;
    const auto run = next(w);
    more = more && run;
    if (run) Give(workers_[w], *run);
  }
  return more || AnyBusy();
}

bool Crew::AnyBusy() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const Worker& worker) { return worker.run.has_value(); });
}

void Crew::WriteFor(Worker& worker, RowStatus status, std::string message) {
  SweepRow row = task_.blank(runs_[*worker.run]);
  row.status = status;
  row.message = std::move(message);
  rows_.Append(RowText(row));
  worker.run.reset();
  ++count_.done;
  ++count_.failed;
}

void Crew::Hear(Worker& worker) {
  Said said{};
  if (!ReceiveAll(worker.socket, &said, sizeof said)) {
    worker.HangUp();
    worker.child.EndsWithin(std::chrono::seconds(10));
    const std::string end = worker.child.HowItEnded();
    worker.child.End();
    return WriteFor(worker, RowStatus::kFailed, "the process of the simulation " + end);
  }
  if (said == Said::kNotWritten) throw EnvironmentError(RestOf(worker.socket));
  worker.run.reset();
  ++count_.done;
  count_.failed += said == Said::kOk ? 0 : 1;
  if (!options_.isolate) return;
  worker.HangUp();
  worker.child.Wait();
}

void Crew::EndLate(Worker& worker) {
  worker.child.End();
  worker.HangUp();
  const double limit = static_cast<double>(options_.timeout->count()) / 1e3;
  WriteFor(worker, RowStatus::kTimeout, "took longer than " + Short(limit) + " s");
}

// Until one of them has said something, is late, or it is time to look about.
void Crew::Await() {
  std::vector<pollfd> sockets;
  std::vector<Worker*> busy;
  auto until = steady_clock::now() + kBetweenLooks;
  for (Worker& worker : workers_) {
    if (!worker.run) continue;
    sockets.push_back({worker.socket, POLLIN, 0});
    busy.push_back(&worker);
    until = std::min(until, worker.deadline);
  }
  const auto patience = std::chrono::ceil<milliseconds>(until - steady_clock::now()).count();
  ::poll(sockets.data(), sockets.size(), static_cast<int>(std::max<std::int64_t>(patience, 0)));
  const auto now = steady_clock::now();
  for (std::size_t w = 0; w < busy.size(); ++w) {
    if (sockets[w].revents != 0) {
      Hear(*busy[w]);
    } else if (now >= busy[w]->deadline) {
      EndLate(*busy[w]);
    }
  }
}

CrewCount Crew::Work(const Next& next, const std::function<bool(const CrewCount&)>& go_on) {
  for (bool more = true;;) {
    more = more && go_on(count_) && GiveAll(next);
    if (!AnyBusy()) return count_;
    Await();
  }
}

}  // namespace tandem
