#include "profiles/program/program.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/printable.h"
#include "profiles/program/color.h"
#include "profiles/program/end_by_signal.h"

namespace tandem {
namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kLeastWidth = 40, kMostWidth = 1000;  // beyond these a width is a slip

int Report(std::string_view program, std::string_view message, int status) {
  WriteError(std::string(program) + ": " + std::string(message) + "\n");
  return status;
}

bool IsPlausible(std::size_t width) { return width >= kLeastWidth && width <= kMostWidth; }

bool be_quiet = false;  // of the whole process

void Put(std::string_view bytes) {
  const std::size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  if (written == bytes.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) return;
  throw EnvironmentError(std::string("standard output cannot be written: ") + std::strerror(errno));
}

// Where one of them was closed, the next file that is opened would have its number, and messages would go
// into that file or to a board. What stands there instead fails as a closed one does.
void HoldClosedStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free: those below are held already.
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

// $COLUMNS, 0 where it says nothing that makes sense.
std::size_t ColumnsVariable() {
  const char* columns = std::getenv("COLUMNS");
  std::size_t width = 0;
  if (columns != nullptr) std::from_chars(columns, columns + std::strlen(columns), width);
  return IsPlausible(width) ? width : 0;
}

}  // namespace

int RunGuarded(std::string_view program, const std::function<int()>& body) {
  HoldClosedStandardStreams();
  // A closed pipe and a file at its limit show in the result of a write; they must not kill the program.
  std::signal(SIGPIPE, SIG_IGN);
  EndCleanlyBySignals();
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return body();
  } catch (const InputError& error) {
    // No name in front: the line starts with the place, as compilers do, so that editors can jump there.
    WriteError(error.what() + std::string("\n"));
    return kExitBadInput;
  } catch (const EnvironmentError& error) {
    return Report(program, error.what(), kExitFailed);
  } catch (const std::bad_alloc&) {
    return Report(program, "out of memory", kExitFailed);
  } catch (const std::exception& error) {
    return Report(program, std::string("unexpected failure: ") + error.what(), kExitFailed);
  }
}

void WriteOutput(std::string_view text) {
  const std::string shown = Printable(text);
  Put(ColorsAreShown() ? Colored(shown) : shown);
}

void WriteBytes(std::string_view bytes) { ::isatty(STDOUT_FILENO) == 1 ? Put(Printable(bytes)) : Put(bytes); }

void WriteError(std::string_view raw) {
  const std::string text = Printable(raw);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void WriteNote(std::string_view text) {
  if (!be_quiet) WriteError(text);
}
bool BeQuiet(bool quiet) { return std::exchange(be_quiet, quiet); }
bool IsQuiet() { return be_quiet; }

std::size_t OutputWidth() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && IsPlausible(size.ws_col)) return size.ws_col;
  const std::size_t width = ColumnsVariable();
  return width > 0 ? width : kUsualWidth;
}

bool OutputIsNarrow() { return ::isatty(STDOUT_FILENO) == 1 || ColumnsVariable() > 0; }

}  // namespace tandem
