#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/printable.h"
#include "sim/regress/reports.h"

namespace tandem {
namespace {

constexpr std::size_t kMostAnnotations = 10;        // GitHub shows ten of a kind and step
constexpr std::size_t kSummaryLimit = 1024 * 1024;  // of a step; a larger one is dropped as a whole
constexpr std::size_t kLeftOver = 1024;             // for what says how many more there are

std::string Replaced(std::string_view text, std::string_view characters, const char* const* by) {
  std::string escaped;
  for (const char c : text) {
    const std::size_t found = characters.find(c);
    if (found == std::string_view::npos) {
      escaped += c;
    } else {
      escaped += by[found];
    }
  }
  return escaped;
}

// As github.com/actions/toolkit does: of a message, and of a property's value.
std::string CommandData(std::string_view text) {
  static constexpr const char* kBy[] = {"%25", "%0A"};
  return Replaced(Printable(text), "%\n", kBy);
}
std::string CommandProperty(std::string_view text) {
  static constexpr const char* kBy[] = {"%25", "%0A", "%3A", "%2C"};
  return Replaced(Printable(text), "%\n:,", kBy);
}

// GitHub makes links of what looks like an address, too.
std::string WithoutAddresses(std::string text) {
  for (const auto& [start, by] : {std::pair{"://", ":&#47;/"}, std::pair{"www.", "www&#46;"}}) {
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
      text.replace(at, std::string_view(start).size(), by);
    }
  }
  return text;
}

std::string MarkdownCell(std::string_view text) {
  static constexpr const char* kSpace[] = {" ", " "};
  static constexpr const char* kBy[] = {"&amp;", "&lt;", "&gt;", "\\|", "\\`", "\\\\", "\\[", "\\]"};
  return WithoutAddresses(Replaced(PrintableLine(Replaced(text, "\r\n", kSpace)), "&<>|`\\[]", kBy));
}

const char* LevelOf(const Regression& regression, const FigureChange& change) {
  if (regression.Fails(change)) return "error";
  return change.verdict == Verdict::kWarned ? "warning" : "notice";
}

// Those that somebody should look at.
std::vector<const FigureChange*> Noticed(const Regression& regression) {
  std::vector<const FigureChange*> noticed;
  for (const FigureChange* change : regression.Moved()) {
    if (change->verdict != Verdict::kWithin) noticed.push_back(change);
  }
  return noticed;
}

std::string More(std::size_t count, const char* where) { return std::to_string(count) + " more" + where; }

}  // namespace

std::string GithubAnnotations(const Regression& regression) {
  const std::vector<const FigureChange*> noticed = Noticed(regression);
  std::string text;
  for (std::size_t i = 0; i < noticed.size() && i < kMostAnnotations; ++i) {
    const FigureChange& change = *noticed[i];
    const std::string title = change.scenario + ", " + change.PolicyText() + ": " +
                              std::string(NameOf(kVerdictNames, change.verdict)) + " " + change.figure.Text();
    text += std::string("::") + LevelOf(regression, change) + " file=" + CommandProperty(change.file) +
            ",title=" + CommandProperty(title) +
            "::" + CommandData(ChangeText(change) + (change.why.empty() ? "" : "\n" + change.why)) + "\n";
  }
  if (noticed.size() > kMostAnnotations) {
    text += "::notice title=tandem regress::" + More(noticed.size() - kMostAnnotations, ": see the summary") +
            "\n";
  }
  return text;
}

std::string GithubSummary(const Regression& regression, std::size_t most) {
  std::string text = "### tandem regress\n\n" + std::to_string(regression.figures.size()) +
                     " figures: " + VerdictCounts(regression) + "\n\n";
  const std::vector<const FigureChange*> noticed = Noticed(regression);
  if (!noticed.empty()) {
    text += "| verdict | scenario | policy | figure | why |\n|---|---|---|---|---|\n";
  }
  for (std::size_t i = 0; i < noticed.size(); ++i) {
    const FigureChange& change = *noticed[i];
    const std::string row = "| " + std::string(NameOf(kVerdictNames, change.verdict)) + " | " +
                            MarkdownCell(change.scenario) + " | " + MarkdownCell(change.PolicyText()) +
                            " | " + MarkdownCell(ChangeText(change)) + " | " + MarkdownCell(change.why) +
                            " |\n";
    if (text.size() + row.size() + kLeftOver > most) {
      text += "\n" + More(noticed.size() - i, "") + "\n";
      break;
    }
    text += row;
  }
  const auto add = [&](const std::string& sentence) {
    const std::string line = "\n" + MarkdownCell(sentence) + "\n";
    if (text.size() + line.size() < most) text += line;
  };
  for (const std::string& note : regression.notes) add("note: " + note);
  for (const std::string& sentence : SentencesOfTimes(regression.estimated, regression.profiles)) {
    add(sentence);
  }
  return text.size() < most ? text : std::string();
}

void AppendGithubSummary(const Regression& regression) {
  const char* const file = std::getenv("GITHUB_STEP_SUMMARY");
  if (file == nullptr || *file == '\0') return;
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  const std::size_t there = none ? 0 : static_cast<std::size_t>(size);
  if (there >= kSummaryLimit) return;
  std::ofstream stream(file, std::ios::app | std::ios::binary);
  stream << GithubSummary(regression, kSummaryLimit - there);
  stream.close();
  if (!stream) throw EnvironmentError(std::string(file) + ": cannot be written (GITHUB_STEP_SUMMARY)");
}

}  // namespace tandem
