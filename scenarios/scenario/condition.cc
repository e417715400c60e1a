#include "scenarios/scenario/condition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>

#include "profiles/base/asked_value.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {
namespace {

// How a bound is written: the key is in the unit that it is kept in, in whose terms AskedValue is read.
struct FigureWord {
  std::string_view word;
  ConditionFigure figure;
  std::string_view key;
};
constexpr std::array kFigureWords = {
    FigureWord{"misses", ConditionFigure::kMisses, "requests"},
    FigureWord{"drops", ConditionFigure::kDrops, "requests"},
    FigureWord{"mean", ConditionFigure::kMean, "latency_us"},
    FigureWord{"p50", ConditionFigure::kP50, "latency_us"},
    FigureWord{"p90", ConditionFigure::kP90, "latency_us"},
    FigureWord{"p95", ConditionFigure::kP95, "latency_us"},
    FigureWord{"p99", ConditionFigure::kP99, "latency_us"},
    FigureWord{"max", ConditionFigure::kMax, "latency_us"},
    FigureWord{"makespan", ConditionFigure::kMakespan, "latency_us"},
    FigureWord{"throughput", ConditionFigure::kThroughput, "throughput_per_s"},
    FigureWord{"utilization", ConditionFigure::kUtilization, "utilization"},
    FigureWord{"energy", ConditionFigure::kEnergy, "energy_j"},
    FigureWord{"energy_per_inference", ConditionFigure::kEnergyPerInference, "energy_j"},
    FigureWord{"power", ConditionFigure::kPower, "power_w"}};

std::string WithoutSpaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

const FigureWord& FigureWordOf(ConditionFigure figure) {
  return *std::find_if(kFigureWords.begin(), kFigureWords.end(),
                       [&](const FigureWord& word) { return word.figure == figure; });
}

// What stands behind a mean, a percentile or a maximum that is not of latencies.
struct TimesWord {
  std::string_view end;
  ConditionTimes times;
};
constexpr std::array kTimesWords = {TimesWord{"", ConditionTimes::kLatency},
                                    TimesWord{"_end_to_end", ConditionTimes::kEndToEnd},
                                    TimesWord{"_age", ConditionTimes::kAge}};

std::string WordOf(const ConditionTerm& term) {
  const auto times = std::find_if(kTimesWords.begin(), kTimesWords.end(),
                                  [&](const TimesWord& word) { return word.times == term.times; });
  return std::string(FigureWordOf(term.figure).word) + std::string(times->end);
}

// Sets the figure, and the times that it is of.
void ReadWord(const std::string& word, ConditionTerm& term) {
  std::vector<std::string> plain, known;
  for (const FigureWord& figure : kFigureWords) {
    plain.emplace_back(figure.word);
    term.figure = figure.figure;
    for (const TimesWord& times : kTimesWords) {
      if (times.times != ConditionTimes::kLatency && !term.IsOfLatency()) continue;
      term.times = times.times;
      known.push_back(WordOf(term));
      if (known.back() == word) return;
    }
  }
  const std::string suggestion = Suggestion(word, known);
  throw InputError("unknown figure " + Quoted(word) +
                   (suggestion.empty() ? "; known: " + Joined(plain) +
                                             "; of one stream or unit as in \"streams.NAME.p99\", of how "
                                             "old data becomes \"p99_end_to_end\" and \"p99_age\""
                                       : suggestion));
}

bool IsOfStreams(const ConditionTerm& term) {
  return term.figure <= ConditionFigure::kMax || term.figure == ConditionFigure::kThroughput ||
         term.figure == ConditionFigure::kEnergy || term.figure == ConditionFigure::kEnergyPerInference;
}

// "streams.camera.p99" and "units.gpu.utilization" in parts.
void ReadSubject(const std::string& subject, const Scenario& scenario, ConditionTerm& term) {
  const std::size_t last = subject.rfind('.');
  ReadWord(last == std::string::npos ? subject : subject.substr(last + 1), term);
  if (last == std::string::npos) return;
  const std::string whose = subject.substr(0, last);
  const std::size_t dot = whose.find('.');
  const std::string list = whose.substr(0, dot), wanted = IsOfStreams(term) ? "streams" : "units";
  const bool has_parts = IsOfStreams(term) || term.figure == ConditionFigure::kUtilization;
  if (!has_parts) throw InputError(Quoted(WordOf(term)) + " is of the whole run, not of " + whose);
  if (list != wanted || dot == std::string::npos) {
    throw InputError(Quoted(subject) + ": did you mean " + Quoted(wanted + ".NAME." + WordOf(term)) + "?");
  }
  term.of = whose.substr(dot + 1);
  if (term.of == "*") return;
  if (wanted == "units" && !scenario.platform) return;  // known once a device answers
  std::vector<std::string> known;
  if (wanted == "units") {
    known = scenario.platform->UnitNames();
  } else {
    for (const Stream& stream : scenario.streams) known.push_back(stream.name);
  }
  const auto is_it = [&](const std::string& name) {
    return name == term.of || (wanted == "streams" && IsNumbered(name, term.of));
  };
  if (std::any_of(known.begin(), known.end(), is_it)) return;
  throw InputError("no " + wanted.substr(0, wanted.size() - 1) + " is called " + Quoted(term.of) +
                   Suggestion(term.of, known));
}

void ReadBound(const std::string& text, ConditionTerm& term) {
  const AskedValue value = ReadAskedValue(text);
  if (!value.number || value.IsFactor()) {
    throw InputError(Quoted(text) + " is no bound: a number, perhaps with its unit");
  }
  if (*value.number < 0) throw InputError(Quoted(text) + " is below 0, which no figure is");
  const FigureWord& word = FigureWordOf(term.figure);
  if (value.unit == "%" && (term.IsCount() || term.figure == ConditionFigure::kUtilization)) {
    term.share = true;
    term.bound = *value.number / 100;
    return;
  }
  if (word.key == "latency_us") {
    if (value.unit.empty()) {
      throw InputError(Quoted(WordOf(term)) + " is a time: say in what, as in " + value.text + " ms");
    }
    term.bound = std::round(InUnitOfKey(value, word.key) * 1e3);
    return;
  }
  term.bound = InUnitOfKey(value, word.key);
}

ConditionTerm ReadTerm(const std::string& text, const Scenario& scenario) {
  ConditionTerm term;
  term.text = text;
  std::size_t at = text.find_first_of("<>=");
  std::size_t behind = at;
  const std::size_t sign = text.find("\xe2\x89");  // of the signs for at most and at least
  if (sign != std::string::npos && sign + 2 < text.size()) {
    at = sign;
    behind = sign + 3;
    term.below = text[sign + 2] == '\xa4';
  } else {
    if (at == std::string::npos) {
      throw InputError(Quoted(text) + " is no condition: as in \"misses <= 1 %\", \"p99 <= 50 ms\"");
    }
    while (behind < text.size() && (text[behind] == '<' || text[behind] == '>' || text[behind] == '='))
      ++behind;
    const std::string comparison = text.substr(at, behind - at);
    if (comparison != "<=" && comparison != ">=" && comparison != "<" && comparison != ">") {
      throw InputError(Quoted(comparison) + " is no comparison; known: <=, <, >=, >");
    }
    term.below = comparison[0] == '<';
    term.strictly = comparison.size() == 1;
  }
  ReadSubject(WithoutSpaces(std::string_view(text).substr(0, at)), scenario, term);
  ReadBound(WithoutSpaces(std::string_view(text).substr(behind)), term);
  return term;
}

// At "and", "&&" and commas.
std::vector<std::string> Parts(std::string text) {
  for (const std::string between : {" and ", "&&", ","}) {
    for (std::size_t at = text.find(between); at != std::string::npos; at = text.find(between)) {
      text.replace(at, between.size(), "\n");
    }
  }
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    parts.push_back(WithoutSpaces(std::string_view(text).substr(from, to - from)));
    from = to + 1;
  }
  return parts;
}

// What not every stream has: what is said of one that lacks it, and of all, and what helps.
struct Lack {
  std::string_view one, all, help;
};
constexpr Lack kNoDeadline{"has no deadline", "no stream has a deadline",
                           "\"deadline_ms\" of a stream says one"};
constexpr Lack kFollowsNone{"follows no other", "no stream follows another one",
                            "what its requests take from their own release is their latency, as in \"p99\""};

const Lack* LackOf(const ConditionTerm& term, const Stream& stream) {
  if (term.figure == ConditionFigure::kMisses) return stream.HasDeadline() ? nullptr : &kNoDeadline;
  if (term.times == ConditionTimes::kEndToEnd) {
    return std::holds_alternative<DependentArrival>(stream.arrival) ? nullptr : &kFollowsNone;
  }
  return nullptr;
}

bool IsOfAll(const ConditionTerm& term) { return term.of.empty() || term.of == "*"; }

bool IsOf(const ConditionTerm& term, const Stream& stream) {
  return IsOfAll(term) || stream.name == term.of || IsNumbered(stream.name, term.of);
}

// Misses are of streams that have deadlines, and so on: of those that are meant one has to have it.
void CheckHad(const ConditionTerm& term, const Scenario& scenario) {
  const Lack* lack = nullptr;
  for (const Stream& stream : scenario.streams) {
    if (!IsOf(term, stream)) continue;
    lack = LackOf(term, stream);
    if (lack == nullptr) return;
  }
  if (lack == nullptr) return;  // it is of no stream
  throw InputError(
      Quoted(term.text) + ": " +
      (IsOfAll(term) ? std::string(lack->all) : "stream " + Quoted(term.of) + " " + std::string(lack->one)) +
      "; " + std::string(lack->help));
}

}  // namespace

bool IsNumbered(std::string_view name, std::string_view of) {
  if (name.size() < of.size() + 2 || !name.starts_with(of) || name[of.size()] != '_') return false;
  const std::string_view numbers = name.substr(of.size());
  return numbers.find_first_not_of("0123456789_") == std::string_view::npos && numbers.back() != '_' &&
         numbers.find("__") == std::string_view::npos;
}

std::vector<ConditionTerm> ReadCondition(std::string_view text, const Scenario& scenario) {
  std::vector<ConditionTerm> terms;
  for (const std::string& part : Parts(std::string(text))) {
    if (part.empty()) throw InputError("a condition is missing, as in \"misses <= 1 %\"");
    terms.push_back(ReadTerm(part, scenario));
    CheckHad(terms.back(), scenario);
  }
  return terms;
}

void AskForAges(const std::vector<ConditionTerm>& terms, Scenario& scenario) {
  const bool any_leaves_out = std::any_of(scenario.streams.begin(), scenario.streams.end(),
                                          [&](const Stream& stream) { return LeavesOut(scenario, stream); });
  for (const ConditionTerm& term : terms) {
    if (term.times != ConditionTimes::kAge || (IsOfAll(term) && any_leaves_out)) continue;
    for (Stream& stream : scenario.streams) stream.age = stream.age || IsOf(term, stream);
  }
}

bool ConditionTerm::Keeps(double value) const {
  if (value == kNone && NeedsCompleted()) return false;
  const double slack = IsOfEnergy() ? 1e-12 * bound : 0;  // sums of joules are not exact
  if (std::abs(value - bound) <= slack) return !strictly;
  return below ? value < bound : value > bound;
}

double ConditionTerm::Excess(double value) const {
  constexpr double kLeast = 1e-9, kMost = 1e6;
  if (Keeps(value)) return 0;
  const double by = value == kNone ? kMost : std::abs(value - bound) / (bound > 0 ? bound : 1);
  return std::clamp(RoundedExcess(by), kLeast, kMost);
}

double RoundedExcess(double excess) { return std::round(excess * 1e9) / 1e9; }

std::string ConditionTerm::Subject() const { return (of.empty() ? "" : of + " ") + Words(WordOf(*this)); }

std::string ConditionTerm::ValueText(double value) const { return Subject() + " " + FigureText(value); }

std::string ConditionTerm::FigureText(double value) const {
  if (value == kNone) return "none";
  if (share) return Percent(value, 2);
  if (FigureWordOf(figure).key == "latency_us") return Short(value / 1e6) + " ms";
  if (figure == ConditionFigure::kThroughput) return Short(value) + "/s";
  if (figure == ConditionFigure::kEnergy) return Short(value) + " J";
  if (figure == ConditionFigure::kEnergyPerInference) return Short(value * 1e3) + " mJ";
  if (figure == ConditionFigure::kPower) return Short(value) + " W";
  return Short(value);
}

std::string ConditionTerm::EnoughText(double value) const {
  ConditionTerm relaxed = *this;
  relaxed.strictly = false;
  std::string enough;
  for (const double more : {0.0, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.5, 1.0}) {
    enough = FigureText(below ? value * (1 + more) : value * (1 - more));
    ReadBound(enough, relaxed);
    if (relaxed.Keeps(value)) break;
  }
  return enough;
}

}  // namespace tandem
