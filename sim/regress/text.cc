#include <set>

#include "profiles/base/figures.h"
#include "profiles/base/table.h"
#include "sim/regress/reports.h"

namespace tandem {
namespace {

std::string AllowedText(const FigureChange& change) {
  return change.allowed ? "allowed " + change.allowed->Text() : "a warning alone";
}

std::string RelativeText(const FigureChange& change) {
  if (!change.change) return "";
  const double size = *change.change < 0 ? -*change.change : *change.change;
  constexpr double kLeastInTenths = 0.0005;
  return size < kLeastInTenths ? std::string(*change.change < 0 ? "-" : "+") + Short(100 * size) + " %"
                               : SignedPercent(*change.change, 1);
}

// One line for what all policies of a scenario say alike: another winner.
std::vector<const FigureChange*> Shown(const Regression& regression) {
  std::vector<const FigureChange*> shown;
  std::set<std::string> said;
  for (const FigureChange* change : regression.Moved()) {
    const bool of_scenario = change->figure.kind->better == Better::kNeither;
    const std::string key = change->file + "\n" + change->scenario + "\n" + change->engine + "\n" +
                            std::to_string(change->seed) + "\n" +
                            std::string(NameOf(kVerdictNames, change->verdict));
    if (!of_scenario || said.insert(key).second) shown.push_back(change);
  }
  return shown;
}

std::string FigureTable(const std::vector<const FigureChange*>& changes, std::size_t width) {
  Table table({{"verdict"},
               {"scenario", false, true},
               {"policy", false, true},
               {"figure", false, true},
               {"before", true},
               {"now", true},
               {"change", true}});
  for (const FigureChange* change : changes) {
    const FigureKind& kind = *change->figure.kind;
    const bool of_scenario = kind.better == Better::kNeither;
    table.Add({std::string(NameOf(kVerdictNames, change->verdict)), change->scenario,
               of_scenario ? "" : change->PolicyText(), change->figure.Text(),
               ValueText(change->before, kind), ValueText(change->after, kind), RelativeText(*change)});
  }
  return table.Text(width);
}

std::string Whys(const std::vector<const FigureChange*>& changes, std::size_t width) {
  std::string text;
  std::set<std::string> said;
  for (const FigureChange* change : changes) {
    if (change->why.empty() || change->verdict == Verdict::kWithin) continue;
    const std::string line = change->scenario + ", " + change->PolicyText() + ": " + change->why + ".";
    if (said.insert(line).second) text += Wrapped(line, width);
  }
  return text.empty() ? "" : "\nWhy:\n" + text;
}

}  // namespace

std::string VerdictCounts(const Regression& regression) {
  std::string text;
  for (const auto& [name, verdict] : kVerdictNames) {
    const std::size_t count = regression.Count(verdict);
    if (count == 0 || verdict == Verdict::kSame) continue;
    text += std::to_string(count) + " " +
            (verdict == Verdict::kWithin ? "within what is allowed" : std::string(name)) + ", ";
  }
  return text + std::to_string(regression.Count(Verdict::kSame)) + " as they were";
}

std::string ChangeText(const FigureChange& change) {
  const FigureKind& kind = *change.figure.kind;
  if (change.verdict == Verdict::kMissing) {
    return change.figure.Text() + " is not in the baseline; now it is " + ValueText(change.after, kind);
  }
  const std::string relative = RelativeText(change);
  return change.figure.Text() + " " + ValueText(change.before, kind) + " -> " +
         ValueText(change.after, kind) + " (" + (relative.empty() ? "" : relative + ", ") +
         AllowedText(change) + ")";
}

std::string RegressionText(const RegressResult& result, bool updated, std::size_t width) {
  const Regression& regression = result.regression;
  std::string text =
      Wrapped(std::to_string(regression.figures.size()) + " figures: " + VerdictCounts(regression) +
                  (updated ? "; the baseline is rewritten" : ""),
              width);
  const std::vector<const FigureChange*> shown = Shown(regression);
  if (!shown.empty()) text += "\n" + FigureTable(shown, width) + Whys(shown, width);
  for (const WinnerThen& winner : result.old_winners) text += Wrapped(WinnerText(winner), width);
  for (const std::string& note : regression.notes) text += Wrapped("note: " + note, width);
  for (const std::string& sentence : SentencesOfTimes(regression.estimated, regression.profiles)) {
    text += Wrapped(sentence, width);
  }
  return text;
}

}  // namespace tandem
