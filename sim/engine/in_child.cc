#include "sim/engine/in_child.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiles/base/child.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

// What the child says, each with its plain bytes behind it.
enum class Word : char {
  kSpan,
  kEnded,
  kProgress,
  kOutcome,
  kInputError,
  kEnvironmentError,
  kOutOfMemory,
  kUnexpected
};

// One end of the line between the two processes.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { ::close(socket_); }

  template <class T>
  void Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    PutBytes(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void PutText(const std::string& text) {
    Put(text.size());
    PutBytes(text.data(), text.size());
  }
  // False: the other end is gone.
  bool Flush() {
    std::size_t sent = 0;
    while (sent < out_.size()) {
      const ssize_t n = ::send(socket_, out_.data() + sent, out_.size() - sent, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    out_.clear();
    return true;
  }

  // False: the other end is gone.
  template <class T>
  bool Get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return GetBytes(reinterpret_cast<char*>(&value), sizeof value);
  }
  bool GetText(std::string& text) {
    std::size_t size = 0;
    if (!Get(size)) return false;
    text.resize(size);
    return GetBytes(text.data(), size);
  }

 private:
  void PutBytes(const char* bytes, std::size_t size) {
    out_.insert(out_.end(), bytes, bytes + size);
    if (out_.size() >= kBuffer && !Flush()) ::_exit(1);  // only the child says that much
  }
  bool GetBytes(char* bytes, std::size_t size) {
    while (size > 0) {
      if (next_ == filled_ && !Fill()) return false;
      const std::size_t n = std::min(size, filled_ - next_);
      std::memcpy(bytes, in_.data() + next_, n);
      next_ += n;
      bytes += n;
      size -= n;
    }
    return true;
  }
  bool Fill() {
    ssize_t n = 0;
    do {
      n = ::recv(socket_, in_.data(), in_.size(), 0);
    } while (n < 0 && errno == EINTR);
    next_ = 0;
    filled_ = n > 0 ? static_cast<std::size_t>(n) : 0;
    return n > 0;
  }

  int socket_;
  std::vector<char> out_;
  std::array<char, kBuffer> in_;
  std::size_t next_ = 0, filled_ = 0;
};

// The two ways in which an Outcome passes over the line.
struct Putting {
  Line& line;
  template <class T>
  bool operator()(const T& value) {
    line.Put(value);
    return true;
  }
  template <class C>
  bool Size(const C& container) {
    line.Put(container.size());
    return true;
  }
};
struct Getting {
  Line& line;
  template <class T>
  bool operator()(T& value) {
    return line.Get(value);
  }
  template <class C>
  bool Size(C& container) {
    std::size_t size = 0;
    if (!line.Get(size)) return false;
    container.resize(size);
    return true;
  }
};

template <class Way, class List>
bool PassAll(Way way, List& list) {
  return way.Size(list) && std::all_of(list.begin(), list.end(), [&](auto& each) { return way(each); });
}

// Names every member, so that a new one does not compile until it is here. False: the other end is gone.
template <class Way, class AnOutcome>
bool Pass(Way way, AnOutcome& outcome) {
  auto& [streams, units, first_release, last_completion, end, complete, loads] = outcome;
  if (!way.Size(streams)) return false;
  for (auto& stream : streams) {
    auto& [latencies, released, dropped, skipped, missed, first, last, last_release, end_to_end, ages,
           drop_ages, batches, work, whole_ways, stages] = stream;
    if (!PassAll(way, latencies) || !PassAll(way, end_to_end)) return false;
    if (!PassAll(way, ages) || !PassAll(way, drop_ages) || !PassAll(way, batches)) return false;
    if (!PassAll(way, work)) return false;
    if (!way(whole_ways) || !way.Size(stages)) return false;
    for (auto& [stage, behind, passed] : stages) {
      if (!way(stage) || !way(behind) || !PassAll(way, passed)) return false;
    }
    if (!(way(released) && way(dropped) && way(skipped) && way(missed) && way(first) && way(last) &&
          way(last_release))) {
      return false;
    }
  }
  if (!way.Size(units)) return false;
  for (auto& unit : units) {
    if (!way(unit)) return false;
  }
  return way(first_release) && way(last_completion) && way(end) && way(complete) && PassAll(way, loads);
}

struct Telling final : SpanSink {
  explicit Telling(Line& a_line) : line(a_line) {}
  void Add(const Span& span) override {
    line.Put(Word::kSpan);
    line.Put(span);
  }
  void Ended(const RequestEnd& end) override {
    line.Put(Word::kEnded);
    line.Put(end);
  }
  Line& line;
};

// What the child does instead of returning: nothing of the parent's is written out or torn down twice.
[[noreturn]] void Speak(Line& line, const RunOptions& options,
                        const std::function<Outcome(const RunOptions&)>& body) {
  const auto fail = [&](Word word, const char* what) {
    line.Put(word);
    line.PutText(what);
  };
  Telling spans(line);
  RunOptions within = options;
  within.spans = options.spans != nullptr ? &spans : nullptr;
  if (options.progress) {
    within.progress = [&](std::int64_t ended) {
      line.Put(Word::kProgress);
      line.Put(ended);
      bool go_on = false;
      if (!line.Flush() || !line.Get(go_on)) ::_exit(1);
      return go_on;
    };
  }
  try {
    const Outcome outcome = body(within);
    line.Put(Word::kOutcome);
    Pass(Putting{line}, outcome);
  } catch (const InputError& error) {
    fail(Word::kInputError, error.what());
  } catch (const EnvironmentError& error) {
    fail(Word::kEnvironmentError, error.what());
  } catch (const std::bad_alloc&) {
    fail(Word::kOutOfMemory, "");
  } catch (const std::exception& error) {
    fail(Word::kUnexpected, error.what());
  }
  ::_exit(line.Flush() ? 0 : 1);
}

[[noreturn]] void Rethrow(Word word, const std::string& what) {
  if (word == Word::kInputError) throw InputError(what);
  if (word == Word::kEnvironmentError) throw EnvironmentError(what);
  if (word == Word::kOutOfMemory) throw std::bad_alloc();
  throw std::runtime_error(what);
}

// What the parent does until the child has said how it ended; nothing where it never does.
std::optional<Outcome> Listen(Line& line, const RunOptions& options) {
  Word word{};
  while (line.Get(word)) {
    if (word == Word::kSpan) {
      Span span;
      if (!line.Get(span)) break;
      options.spans->Add(span);
    } else if (word == Word::kEnded) {
      RequestEnd request;
      if (!line.Get(request)) break;
      options.spans->Ended(request);
    } else if (word == Word::kProgress) {
      std::int64_t ended = 0;
      if (!line.Get(ended)) break;
      line.Put(options.progress(ended));
      if (!line.Flush()) break;
    } else if (word == Word::kOutcome) {
      std::optional<Outcome> outcome(std::in_place);
      if (!Pass(Getting{line}, *outcome)) break;
      return outcome;
    } else {
      std::string what;
      if (!line.GetText(what)) break;
      Rethrow(word, what);
    }
  }
  return std::nullopt;
}

std::string HowItDied(int status) {
  const std::string who = "the process of the simulation ";
  if (!WIFSIGNALED(status)) return who + "ended without a result";
  const int signal = WTERMSIG(status);
  return who + "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

EnvironmentError NoProcess() {
  return EnvironmentError(std::string("no process can be started for the simulation: ") +
                          std::strerror(errno));
}

}  // namespace

Outcome RunInChild(const RunOptions& options, const std::function<Outcome(const RunOptions&)>& body) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw NoProcess();
  auto here = std::make_unique<Line>(sockets[0]), there = std::make_unique<Line>(sockets[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw NoProcess();
  if (pid == 0) {
    here.reset();
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    Speak(*there, options, body);
  }
  Child child(pid);
  there.reset();
  if (std::optional<Outcome> outcome = Listen(*here, options)) {
    child.Wait();
    return std::move(*outcome);
  }
  throw EnvironmentError(HowItDied(child.Wait()));
}

}  // namespace tandem
