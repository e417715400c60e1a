#include "profiles/program/color.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace tandem {
namespace {

constexpr std::string_view kBest = "\033[1;32m", kWrong = "\033[1;31m", kPlain = "\033[0m";
constexpr std::array<std::string_view, 7> kWrongWords = {"outside", "wrong", "worse",  "failed",
                                                         "FAILED",  "lost",  "INVALID"};

bool colors_shown = false;  // of the whole process, as its standard output is

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool TerminalShowsColors() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr && *terminal != '\0' &&
         std::string_view(terminal) != "dumb";
}

bool EndsCell(std::string_view line, std::size_t at) {
  return at >= line.size() || line.substr(at, 2) == "  ";
}

void AddCells(std::string_view line, std::string& text) {
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const bool begins_cell = at == 0 || (at > 1 && line.substr(at - 2, 2) == "  ");
    const bool wrong = begins_cell && EndsCell(line, end) &&
                       std::find(kWrongWords.begin(), kWrongWords.end(), word) != kWrongWords.end();
    text.append(wrong ? kWrong : "").append(word).append(wrong ? kPlain : "");
    at = std::min(line.find_first_not_of(' ', end), line.size());
    text.append(line.substr(end, at - end));
  }
}

}  // namespace

bool ColorsWanted(std::string_view when) {
  return when == "always" || (when == "auto" && TerminalShowsColors() && !IsSet("NO_COLOR"));
}

bool ShowColors(bool show) { return std::exchange(colors_shown, show); }
bool ColorsAreShown() { return colors_shown; }

std::string Colored(std::string_view text) {
  std::string colored;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("* ")) {
      colored.append(kBest).append(line).append(kPlain);
    } else {
      AddCells(line, colored);
    }
    if (end < text.size()) colored += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return colored;
}

}  // namespace tandem
