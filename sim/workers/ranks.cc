#include "sim/workers/ranks.h"

#include "profiles/base/input_error.h"

#ifdef TANDEM_HAVE_MPI
#include <mpi.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

#include "profiles/base/child.h"
#include "profiles/program/end_by_signal.h"
#endif

namespace tandem {

#ifdef TANDEM_HAVE_MPI
namespace ranks {
namespace {

constexpr int kAskTag = 1, kGiveTag = 2, kLeaveTag = 3;
constexpr int kMostGiven = 16;        // positions of one message
constexpr int kShareOfRest = 4;       // a rank gets so small a share of what is left, that all end together
constexpr int kPatienceInMillis = 1;  // of rank 0 between its foreman and the others
constexpr std::int64_t kNoMore = -1;

// The two ends of the line between a rank and its foreman: a byte asks, a position answers.
bool Ask(int socket, std::int64_t& position) {
  const char question = '?';
  return ::send(socket, &question, 1, MSG_NOSIGNAL) == 1 &&
         ::recv(socket, &position, sizeof position, MSG_WAITALL) == sizeof position;
}
bool HearQuestion(int socket) {
  char question = 0;
  ssize_t n = 0;
  do {
    n = ::recv(socket, &question, 1, 0);
  } while (n < 0 && errno == EINTR);
  return n == 1;
}
void Answer(int socket, std::int64_t position) {
  (void)::send(socket, &position, sizeof position, MSG_NOSIGNAL);
}

class Foreman {
 public:
  explicit Foreman(const std::function<int(const NextOfRank&)>& work) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) Fail();
    const pid_t pid = ::fork();
    if (pid < 0) Fail();
    if (pid == 0) {
      ::close(ends[0]);
      ::_exit(Run(work, ends[1]));
    }
    ::close(ends[1]);
    child_ = Child(pid);
    socket_ = ends[0];
  }
  Foreman(const Foreman&) = delete;
  Foreman& operator=(const Foreman&) = delete;
  ~Foreman() { ::close(socket_); }

  int socket() const { return socket_; }
  int Wait() { return child_.Wait(); }

 private:
  [[noreturn]] static void Fail() {
    throw EnvironmentError(std::string("no process can be started beside a rank: ") + std::strerror(errno));
  }
  static int Run(const std::function<int(const NextOfRank&)>& work, int socket) {
    // The rank is asked to end, and lets what runs here finish its row.
    LeaveEndingToParent();
    return work([socket]() -> std::optional<std::size_t> {
      std::int64_t position = kNoMore;
      if (!Ask(socket, position) || position == kNoMore) return std::nullopt;
      return static_cast<std::size_t>(position);
    });
  }

  Child child_;
  int socket_ = -1;
};

// What rank 0 has left to give.
class Stock {
 public:
  Stock(std::vector<std::size_t> positions, int ranks) : positions_(std::move(positions)), ranks_(ranks) {}

  std::vector<std::int64_t> Take() {
    const std::size_t left = positions_.size() - given_;
    const std::size_t share = left / static_cast<std::size_t>(kShareOfRest * ranks_);
    const std::size_t count = std::min(std::clamp<std::size_t>(share, 1, kMostGiven), left);
    const auto begin = positions_.begin() + static_cast<std::ptrdiff_t>(given_);
    given_ += count;
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
  void Drop() { given_ = positions_.size(); }
  std::size_t given() const { return given_; }

 private:
  std::vector<std::size_t> positions_;
  std::size_t given_ = 0;
  int ranks_;
};

// The foreman's questions, answered from what this rank holds. False: it has gone, or been told to.
class Desk {
 public:
  explicit Desk(int socket) : socket_(socket) {}

  template <class Fetch>
  bool Serve(const Fetch& fetch) {
    if (!HearQuestion(socket_)) return false;
    if (held_.empty()) {
      const std::vector<std::int64_t> more = fetch();
      held_.assign(more.begin(), more.end());
    }
    const bool has_more = !held_.empty();
    Answer(socket_, has_more ? held_.front() : kNoMore);
    if (has_more) held_.pop_front();
    return has_more;
  }
  void Drop() { held_.clear(); }

 private:
  int socket_;
  std::deque<std::int64_t> held_;
};

std::vector<std::int64_t> AskRankZero() {
  ::MPI_Send(nullptr, 0, MPI_INT64_T, 0, kAskTag, MPI_COMM_WORLD);
  std::vector<std::int64_t> given(kMostGiven);
  MPI_Status status;
  ::MPI_Recv(given.data(), kMostGiven, MPI_INT64_T, 0, kGiveTag, MPI_COMM_WORLD, &status);
  int count = 0;
  ::MPI_Get_count(&status, MPI_INT64_T, &count);
  given.resize(static_cast<std::size_t>(count));
  return given;
}

// Answers a rank that asks; how many of them have left, or were told that there is nothing more.
int ServeRank(Stock& stock) {
  int waits = 0;
  MPI_Status status;
  ::MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waits, &status);
  if (waits == 0) return 0;
  ::MPI_Recv(nullptr, 0, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (status.MPI_TAG == kLeaveTag) return 1;
  const std::vector<std::int64_t> given = stock.Take();
  ::MPI_Send(given.data(), static_cast<int>(given.size()), MPI_INT64_T, status.MPI_SOURCE, kGiveTag,
             MPI_COMM_WORLD);
  return given.empty() ? 1 : 0;
}

bool IsAsked(int socket, int patience) {
  pollfd ready{socket, POLLIN, 0};
  return ::poll(&ready, 1, patience) > 0;
}

void GiveOut(int socket, Stock stock, int ranks, const std::function<bool(std::size_t)>& go_on) {
  Desk desk(socket);
  int others = ranks - 1;
  for (bool own = true; own || others > 0;) {
    if (!go_on(stock.given())) {
      stock.Drop();
      desk.Drop();
    }
    if (IsAsked(socket, own ? kPatienceInMillis : 0)) own = own && desk.Serve([&] { return stock.Take(); });
    if (!own) ::poll(nullptr, 0, kPatienceInMillis);
    others -= ServeRank(stock);
  }
}

void WorkForRankZero(int socket) {
  Desk desk(socket);
  bool told = false;
  while (desk.Serve([&] {
    std::vector<std::int64_t> given = AskRankZero();
    told = given.empty();
    return given;
  })) {
  }
  // The foreman died: what it was given is missing, and for the next time.
  if (!told) ::MPI_Send(nullptr, 0, MPI_INT64_T, 0, kLeaveTag, MPI_COMM_WORLD);
}

}  // namespace
}  // namespace ranks

bool KnowsRanks() { return true; }

RankOutcome WorkInRanks(std::int64_t expected, const std::function<int(const NextOfRank&)>& work,
                        const std::function<std::vector<std::size_t>()>& to_do,
                        const std::function<bool(std::size_t)>& go_on) {
  ranks::Foreman foreman(work);
  ::MPI_Init(nullptr, nullptr);
  int rank = 0, count = 1;
  ::MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ::MPI_Comm_size(MPI_COMM_WORLD, &count);
  if (count != expected) {
    ::MPI_Finalize();
    return {.is_alone = true};
  }
  if (rank == 0) {
    ranks::GiveOut(foreman.socket(), ranks::Stock(to_do(), count), count, go_on);
  } else {
    ranks::WorkForRankZero(foreman.socket());
  }
  const int status = foreman.Wait();
  ::MPI_Barrier(MPI_COMM_WORLD);
  ::MPI_Finalize();
  return {.is_first = rank == 0, .foreman_failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0};
}

#else

bool KnowsRanks() { return false; }

RankOutcome WorkInRanks(std::int64_t, const std::function<int(const NextOfRank&)>&,
                        const std::function<std::vector<std::size_t>()>&,
                        const std::function<bool(std::size_t)>&) {
  throw EnvironmentError("tandem was built without MPI");
}

#endif

}  // namespace tandem
