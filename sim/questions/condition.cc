#include "sim/questions/condition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "sim/questions/asked_value.h"

namespace tandem {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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
    FigureWord{"power", ConditionFigure::kPower, "power_w"}};

std::string WithoutSpaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

const FigureWord& WordOf(ConditionFigure figure) {
  return *std::find_if(kFigureWords.begin(), kFigureWords.end(),
                       [&](const FigureWord& word) { return word.figure == figure; });
}

const FigureWord& ReadWord(const std::string& word) {
  std::vector<std::string> known;
  for (const FigureWord& figure : kFigureWords) {
    if (figure.word == word) return figure;
    known.emplace_back(figure.word);
  }
  const std::string suggestion = Suggestion(word, known);
  throw InputError("unknown figure " + Quoted(word) +
                   (suggestion.empty()
                        ? "; known: " + Joined(known) + "; of one stream or unit as in \"streams.NAME.p99\""
                        : suggestion));
}

bool IsLatency(ConditionFigure figure) {
  return figure >= ConditionFigure::kMean && figure <= ConditionFigure::kMax;
}
bool OfStream(ConditionFigure figure) {
  return figure <= ConditionFigure::kMax || figure == ConditionFigure::kThroughput;
}

// "streams.camera.p99" and "units.gpu.utilization" in parts.
void ReadSubject(const std::string& subject, const Scenario& scenario, ConditionTerm& term) {
  const std::size_t last = subject.rfind('.');
  const FigureWord& word = ReadWord(last == std::string::npos ? subject : subject.substr(last + 1));
  term.figure = word.figure;
  if (last == std::string::npos) return;
  const std::string whose = subject.substr(0, last);
  const std::size_t dot = whose.find('.');
  const std::string list = whose.substr(0, dot), wanted = OfStream(word.figure) ? "streams" : "units";
  const bool has_parts = OfStream(word.figure) || word.figure == ConditionFigure::kUtilization;
  if (!has_parts) throw InputError(Quoted(word.word) + " is of the whole run, not of " + whose);
  if (list != wanted || dot == std::string::npos) {
    throw InputError(Quoted(subject) + ": did you mean " +
                     Quoted(wanted + ".NAME." + std::string(word.word)) + "?");
  }
  term.of = whose.substr(dot + 1);
  if (term.of == "*") return;
  std::vector<std::string> known;
  if (wanted == "units") {
    known = scenario.platform->UnitNames();
  } else {
    for (const Stream& stream : scenario.streams) known.push_back(stream.name);
  }
  if (std::find(known.begin(), known.end(), term.of) != known.end()) return;
  throw InputError("no " + wanted.substr(0, wanted.size() - 1) + " is called " + Quoted(term.of) +
                   Suggestion(term.of, known));
}

void ReadBound(const std::string& text, ConditionTerm& term) {
  const AskedValue value = ReadAskedValue(text);
  if (!value.number || value.IsFactor()) {
    throw InputError(Quoted(text) + " is no bound: a number, perhaps with its unit");
  }
  if (*value.number < 0) throw InputError(Quoted(text) + " is below 0, which no figure is");
  const FigureWord& word = WordOf(term.figure);
  const bool counts = term.figure == ConditionFigure::kMisses || term.figure == ConditionFigure::kDrops;
  if (value.unit == "%" && (counts || term.figure == ConditionFigure::kUtilization)) {
    term.share = true;
    term.bound = *value.number / 100;
    return;
  }
  if (word.key == "latency_us") {
    if (value.unit.empty()) {
      throw InputError(Quoted(word.word) + " is a time: say in what, as in " + value.text + " ms");
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

double LatencyOf(const std::optional<LatencySummary>& latency, ConditionFigure figure) {
  if (!latency) return kNever;
  const auto of = [&](Nanos time) { return static_cast<double>(time.count()); };
  switch (figure) {
    case ConditionFigure::kP50:
      return of(latency->p50);
    case ConditionFigure::kP90:
      return of(latency->p90);
    case ConditionFigure::kP95:
      return of(latency->p95);
    case ConditionFigure::kP99:
      return of(latency->p99);
    case ConditionFigure::kMax:
      return of(latency->max);
    default:
      return of(latency->mean);
  }
}

// Per run, summed or averaged over all.
template <class Of>
double MeanOver(const std::vector<Report>& runs, const Of& of) {
  double sum = 0;
  for (const Report& run : runs) sum += of(run);
  return sum / static_cast<double>(runs.size());
}

double EnergyOf(const Report& run) {
  if (!run.energy_j) throw InputError("the energy is not known: " + run.energy_why);
  return *run.energy_j;
}

double OfWholeRun(const ConditionTerm& term, const std::vector<Report>& runs) {
  switch (term.figure) {
    case ConditionFigure::kMakespan:
      return MeanOver(runs, [](const Report& run) { return static_cast<double>(run.makespan.count()); });
    case ConditionFigure::kEnergy:
      return MeanOver(runs, EnergyOf);
    case ConditionFigure::kPower:
      return MeanOver(runs, [](const Report& run) {
        return run.makespan > Nanos{0} ? EnergyOf(run) / InSeconds(run.makespan) : 0;
      });
    case ConditionFigure::kThroughput:
      return MeanOver(runs, [](const Report& run) { return run.throughput_per_s; });
    default:
      return MeanOver(runs, [&](const Report& run) { return LatencyOf(run.latency, term.figure); });
  }
}

// Of requests of the streams that are taken: how many, of how many.
double CountOf(const ConditionTerm& term, const std::vector<Report>& runs,
               const std::function<bool(const StreamReport&)>& takes) {
  double some = 0, all = 0;
  for (const Report& run : runs) {
    for (const StreamReport& stream : run.streams) {
      if (!takes(stream) || (term.figure == ConditionFigure::kMisses && !stream.has_deadline)) continue;
      some += static_cast<double>(term.figure == ConditionFigure::kMisses ? stream.missed : stream.dropped);
      all += static_cast<double>(stream.released);
    }
  }
  if (!term.share) return some / static_cast<double>(runs.size());
  return all > 0 ? some / all : 0;
}

}  // namespace

Condition::Condition(const std::string& text, const Scenario& scenario, std::vector<std::string> cloned)
    : text_(WithoutSpaces(text)), cloned_(std::move(cloned)) {
  for (const std::string& part : Parts(text_)) {
    if (part.empty()) throw InputError("a condition is missing, as in \"misses <= 1 %\"");
    terms_.push_back(ReadTerm(part, scenario));
    const ConditionTerm& term = terms_.back();
    if (term.figure != ConditionFigure::kMisses) continue;
    const bool some =
        std::any_of(scenario.streams.begin(), scenario.streams.end(), [&](const Stream& stream) {
          return stream.deadline && (term.of.empty() || term.of == "*" || term.of == stream.name);
        });
    if (!some) {
      throw InputError(Quoted(part) + ": " +
                       (term.of.empty() || term.of == "*"
                            ? "no stream has a deadline"
                            : "stream " + Quoted(term.of) + " has no deadline") +
                       "; \"deadline_ms\" of a stream says one");
    }
  }
}

bool Condition::Takes(const ConditionTerm& term, const std::string& stream) const {
  if (term.of.empty() || term.of == "*" || term.of == stream) return true;
  const bool is_cloned = std::find(cloned_.begin(), cloned_.end(), term.of) != cloned_.end();
  return is_cloned && stream.starts_with(term.of + "_") &&
         stream.find_first_not_of("0123456789", term.of.size() + 1) == std::string::npos;
}

std::vector<double> Condition::ValuesOf(const ConditionTerm& term, const std::vector<Report>& runs) const {
  std::vector<double> values;
  const bool counts = term.figure == ConditionFigure::kMisses || term.figure == ConditionFigure::kDrops;
  if (term.figure == ConditionFigure::kUtilization) {
    for (std::size_t u = 0; u < runs[0].units.size(); ++u) {
      if (!term.of.empty() && term.of != "*" && term.of != runs[0].units[u].name) continue;
      values.push_back(MeanOver(runs, [u](const Report& run) { return run.units[u].utilization; }));
    }
    return values;
  }
  if (term.of.empty()) {
    values.push_back(counts ? CountOf(term, runs, [](const StreamReport&) { return true; })
                            : OfWholeRun(term, runs));
    return values;
  }
  for (std::size_t s = 0; s < runs[0].streams.size(); ++s) {
    const std::string& name = runs[0].streams[s].name;
    if (!Takes(term, name)) continue;
    if (counts) {
      values.push_back(CountOf(term, runs, [&](const StreamReport& stream) { return stream.name == name; }));
    } else {
      values.push_back(MeanOver(runs, [&](const Report& run) {
        return term.figure == ConditionFigure::kThroughput ? run.streams[s].throughput_per_s
                                                           : LatencyOf(run.streams[s].latency, term.figure);
      }));
    }
  }
  return values;
}

Condition::Answer Condition::Of(const std::vector<Report>& runs) const {
  Answer answer{true, {}};
  for (const ConditionTerm& term : terms_) {
    const std::vector<double> values = ValuesOf(term, runs);
    const double worst = term.below ? *std::max_element(values.begin(), values.end())
                                    : *std::min_element(values.begin(), values.end());
    // Sums of joules are not exact.
    const double slack = term.figure >= ConditionFigure::kEnergy ? 1e-12 * term.bound : 0;
    const bool equal = std::abs(worst - term.bound) <= slack && !term.strictly;
    const bool lost = IsLatency(term.figure) && worst == kNever;  // nothing completed
    answer.holds = answer.holds && !lost && (equal || (term.below ? worst < term.bound : worst > term.bound));
    answer.worst.push_back(worst);
  }
  return answer;
}

std::string Condition::ValueText(std::size_t position, double value) const {
  const ConditionTerm& term = terms_[position];
  const FigureWord& word = WordOf(term.figure);
  const std::string name = (term.of.empty() ? "" : term.of + " ") + std::string(word.word) + " ";
  if (value == kNever) return name + "none";
  if (term.share) return name + Percent(value, 2);
  if (word.key == "latency_us") return name + Short(value / 1e6) + " ms";
  if (term.figure == ConditionFigure::kThroughput) return name + Short(value) + "/s";
  if (term.figure == ConditionFigure::kEnergy) return name + Short(value) + " J";
  if (term.figure == ConditionFigure::kPower) return name + Short(value) + " W";
  return name + Short(value);
}

}  // namespace tandem
