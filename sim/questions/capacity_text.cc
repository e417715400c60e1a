// What a board carries, for a terminal.
#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/table.h"
#include "scenarios/report/unchanged.h"
#include "sim/questions/capacity.h"

namespace tandem {
namespace {

constexpr std::size_t kMostFailing = 5;

// "at least", of the least "at most".
std::string ShownLimit(const Capacity& capacity, const Limit& limit) {
  if (!limit.value) return "none";
  const std::string bound = !limit.ended ? "" : capacity.least ? "<= " : ">= ";
  return bound + JsonNumber(*limit.value);
}

std::string EndsText(const std::optional<Interval>& interval) {
  return interval ? JsonNumber(interval->low) + ".." + JsonNumber(interval->high) : "-";
}

template <class Has>
bool Any(const Capacity& capacity, const Has& has) {
  return std::any_of(capacity.policies.begin(), capacity.policies.end(), has);
}

std::string NotEverywhere(const Capacity& capacity, const PolicyCapacity& of) {
  std::vector<std::string> values;
  const auto& failing = of.limit.fails_below;
  for (std::size_t i = 0; i < std::min(failing.size(), kMostFailing); ++i) {
    values.push_back(JsonNumber(failing[i]));
  }
  return of.label + ": it does not hold at every " + (capacity.least ? "higher" : "lower") +
         " value: not at " + Joined(values) + (failing.size() > kMostFailing ? ", ..." : "");
}

// Policies with the same thing to say share a line.
void AddOnce(std::vector<std::pair<std::string, std::vector<std::string>>>& notes, const std::string& label,
             const std::string& text) {
  if (text.empty()) return;
  for (auto& [known, labels] : notes) {
    if (known == text) return labels.push_back(label);
  }
  notes.push_back({text, {label}});
}

// Whom the draws cannot tell from the best, and how sure the best is. Empty where nobody else has a limit.
std::string HowSureText(const Capacity& capacity) {
  std::vector<std::string> best, together, undrawn;
  std::size_t rivals = 0, draws = 0;
  for (const PolicyCapacity& of : capacity.policies) {
    if (!of.limit.value) continue;
    ++rivals;
    draws = of.draws.objectives.size();
    if (of.best) best.push_back(of.label);
    if (of.best || of.close) together.push_back(of.label);
    if (draws == 0) undrawn.push_back(of.label);
  }
  if (rivals < 2) return {};
  if (!undrawn.empty()) return "how sure the best is cannot be told: no interval of " + Joined(undrawn);
  std::string text = together.size() == best.size() ? "" : "these cannot be told apart: " + Joined(together);
  if (capacity.win_probability) {
    text += (text.empty() ? "" : "; ") + best.front() + " is best in " + Share(*capacity.win_probability) +
            " of " + Counted(static_cast<std::int64_t>(draws), "draw");
  } else if (MayHaveDriftedApart(capacity.profiles)) {
    text += (text.empty() ? "" : "; ") +
            std::string("how sure the best is cannot be told: profiles may have drifted apart");
  }
  return text;
}

ToldBy HowTold(const Capacity& capacity) {
  bool some = false;
  for (const PolicyCapacity& of : capacity.policies) {
    if (!of.limit.value) continue;
    if (of.draws.objectives.empty()) return ToldBy::kRuns;
    some = true;
  }
  return some ? ToldBy::kDraws : ToldBy::kRuns;
}

std::string NotesText(const Capacity& capacity, std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;
  std::string text;
  if (const std::string sure = HowSureText(capacity); !sure.empty()) text += Wrapped(sure, width);
  for (const PolicyCapacity& of : capacity.policies) {
    if (!of.limit.value) {
      AddOnce(notes, of.label,
              of.why + " (" + std::to_string(of.limit.tried) + " tried, the easiest " +
                  JsonNumber(of.limit.easiest) + ")");
      continue;
    }
    if (of.limit.beyond) {
      AddOnce(notes, of.label, "beyond it nothing can be tried: " + of.why);
    } else if (of.limit.ended) {
      AddOnce(notes, of.label, "the search ended there" + (of.why.empty() ? "" : ": " + of.why));
    }
    if (!of.interval) AddOnce(notes, of.label, "no interval: " + of.interval_why);
    if (!of.limit.fails_below.empty()) text += Wrapped(NotEverywhere(capacity, of), width);
  }
  for (const auto& [note, labels] : notes) {
    const bool all = labels.size() == capacity.policies.size() && labels.size() > 1;
    text += Wrapped((all ? "all" : Joined(labels)) + ": " + note, width);
  }
  for (const std::string& sentence :
       SentencesOfTimes(capacity.estimated, capacity.profiles, HowTold(capacity))) {
    text += Wrapped(sentence, width);
  }
  return text;
}

std::string HeadOf(const Capacity& capacity, std::size_t width) {
  const std::string unit = capacity.unit.empty() ? "" : " in " + capacity.unit;
  std::string text =
      Wrapped(capacity.scenario, width) + WhatIfText(capacity.what_if, width) +
      Wrapped(std::string("the ") + (capacity.least ? "least" : "most") + " of " + capacity.vary + unit +
                  " (now " + JsonNumber(capacity.now) + ") at which " + capacity.until,
              width);
  std::string how = "engine " + capacity.engine + ", ";
  how += capacity.seeds == 1 ? "seed " + std::to_string(capacity.seed)
                             : std::to_string(capacity.seeds) + " seeds from " +
                                   std::to_string(capacity.seed) + " for every value";
  if (Any(capacity, [](const auto& of) { return of.interval || of.over_seeds; })) {
    how += "; intervals of " + PercentInTenths(capacity.probability);
  }
  return text + Wrapped(how, width);
}

}  // namespace

std::string CapacityText(const Capacity& capacity, std::size_t width) {
  const bool intervals = Any(capacity, [](const auto&of) { return of.interval.has_value(); }),
             seeds = Any(capacity, [](const auto&of) { return of.over_seeds.has_value(); });
  std::vector<Table::Column> columns = {{"  policy", false, true}, {capacity.least ? "least" : "most", true}};
  if (intervals) columns.insert(columns.end(), {{"interval", true}, {"median", true}});
  if (seeds) columns.push_back({"over seeds", true});
  columns.push_back({"fails at", true});
  columns.push_back({"there it keeps", false, false, true});
  Table table(std::move(columns));
  for (std::size_t p = 0; p < capacity.policies.size(); ++p) {
    const PolicyCapacity& of = capacity.policies[p];
    std::vector<std::string> row = {(of.winner ? "* " : "  ") + of.label, ShownLimit(capacity, of.limit)};
    if (intervals) {
      row.push_back(EndsText(of.interval));
      row.push_back(of.draws.objective ? JsonNumber(of.draws.objective->median) : "-");
    }
    if (seeds) row.push_back(EndsText(of.over_seeds));
    row.push_back(of.limit.fails_at ? JsonNumber(*of.limit.fails_at) : "-");
    row.push_back(capacity.term_texts[p].empty() ? "-" : Joined(capacity.term_texts[p]));
    table.Add(std::move(row));
  }
  return HeadOf(capacity, width) + table.Text(width) + NotesText(capacity, width);
}

}  // namespace tandem
