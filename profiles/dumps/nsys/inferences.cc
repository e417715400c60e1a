#include "profiles/dumps/nsys/inferences.h"

#include <algorithm>
#include <map>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem::nsys {
namespace {

constexpr std::size_t kDeepest = 256;
constexpr std::size_t kMostNames = 8;

std::vector<Range> RangesOf(const Export& read, Process process) {
  std::vector<Range> ranges;
  for (const Range& range : read.ranges) {
    if (ProcessOf(range.thread) == process) ranges.push_back(range);
  }
  return ranges;
}

std::vector<std::string> NamesOfRanges(const Export& read, const std::vector<Range>& ranges) {
  std::vector<bool> seen(read.names.size());
  std::vector<std::string> names;
  for (const Range& range : ranges) {
    if (!seen[range.name]) names.push_back(read.names[range.name]);
    seen[range.name] = true;
  }
  return names;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  }
  if (names.size() > kMostNames) list += " and " + std::to_string(names.size() - kMostNames) + " more";
  return names.empty() ? "none" : list;
}

}  // namespace

Inferences::Inferences(const Export& read, Process process, const DumpQuestion& asked,
                       const std::string& file, Doubts& doubts) {
  std::vector<Range> ranges = RangesOf(read, process);
  FindNames(read, process, asked, ranges, file);
  std::erase_if(ranges, [&](const Range& range) {
    return !asked_[range.name] && !(has_outer_ && range.name == outer_);
  });
  nesting_ = Nesting(std::move(ranges));
  if (nesting_.deepest() > kDeepest) {
    throw InputError(file + ": has ranges in more than " + std::to_string(kDeepest) + " others");
  }
  NoteBroken(read, process, doubts);
  for (const auto& [outer, inner] : nesting_.crossing()) {
    doubts.Add(Doubt::kCrossing, Quoted(read.names[nesting_.ranges()[outer].name]) + " and " +
                                     Quoted(read.names[nesting_.ranges()[inner].name]));
  }
  doubts.Refuse(file);
  FindOwners();
  FindExecutions();
  if (rows_.empty()) {
    throw InputError(file + ": no range " + Quoted(read.names[outer_]) + " has one of a layer of model " +
                     Quoted(asked.model) + " in it, on the same thread");
  }
  NumberExecutions();
  CheckOnce(read, doubts);
  CheckTurns(doubts);
  doubts.Refuse(file);
}

void Inferences::FindNames(const Export& read, Process process, const DumpQuestion& asked,
                           const std::vector<Range>& ranges, const std::string& file) {
  asked_.resize(read.names.size());
  bool any = false;
  const std::string& wanted = asked.range.empty() ? asked.model : asked.range;
  const auto take = [&](Name range) {
    const std::string& name = read.names[range];
    if (asked.names.contains(name)) any = asked_[range] = true;
    if (name != wanted || (asked.range.empty() && asked.names.contains(name))) return;
    has_outer_ = true;
    outer_ = range;
  };
  for (const Range& range : ranges) take(range.name);
  for (const BrokenRange& range : read.broken) {
    if (ProcessOf(range.thread) == process) take(range.name);
  }
  const std::vector<std::string> names = NamesOfRanges(read, ranges);
  if (!asked.range.empty() && !has_outer_) {
    throw InputError(file + ": has no range " + Quoted(asked.range) + ", as --range says" +
                     Suggestion(asked.range, names));
  }
  if (any) return;
  throw InputError(file + ": no range is called as a layer of model " + Quoted(asked.model) + "; there are " +
                   Listed(names) +
                   ". Say what they mean in a file for --map: {\"tandem\": \"layer-map/1\", " +
                   "\"map\": {\"name of a range\": [\"layer\", ...]}}");
}

void Inferences::NoteBroken(const Export& read, Process process, Doubts& doubts) const {
  for (const BrokenRange& range : read.broken) {
    const bool wanted = asked_[range.name] || (has_outer_ && range.name == outer_);
    if (wanted && ProcessOf(range.thread) == process) {
      doubts.Add(Doubt::kBrokenRange, Quoted(read.names[range.name]));
    }
  }
}

// Outer ranges come first, so that what is around one is known before it.
void Inferences::FindOwners() {
  const std::vector<Range>& ranges = nesting_.ranges();
  around_.assign(ranges.size(), kNone);
  owners_.assign(ranges.size(), kNone);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::size_t parent = nesting_.Parent(i);
    if (parent != kNone) around_[i] = around_[parent];
    if (around_[i] == kNone && has_outer_ && ranges[i].name == outer_) around_[i] = i;
    owners_[i] = OwnerOf(i);
    if (around_[i] == i) outers_.push_back(i);
    if (owners_[i] == i && (!has_outer_ || around_[i] != kNone)) firsts_.push_back(i);
  }
  const auto by_start = [&](std::size_t a, std::size_t b) {
    return ranges[a].span.start < ranges[b].span.start;
  };
  std::stable_sort(outers_.begin(), outers_.end(), by_start);
  std::stable_sort(firsts_.begin(), firsts_.end(), by_start);
}

// One in another of the same name, as two tools may write both, is part of that one.
std::size_t Inferences::OwnerOf(std::size_t range) const {
  const Name name = nesting_.ranges()[range].name;
  for (std::size_t at = nesting_.Parent(range); at != kNone && around_[at] == around_[range];
       at = nesting_.Parent(at)) {
    if (!asked_[name]) return owners_[at];
    if (nesting_.ranges()[at].name == name) return owners_[at];
  }
  return asked_[name] ? range : kNone;
}

void Inferences::FindExecutions() {
  executions_.resize(nesting_.ranges().size());
  std::map<Name, std::size_t> rows;
  for (const std::size_t i : firsts_) {
    const Name name = nesting_.ranges()[i].name;
    const auto [found, is_new] = rows.try_emplace(name, rows_.size());
    if (is_new) rows_.push_back(name);
    executions_[i].row = found->second;
  }
}

// By the range around them; or the first of each layer is in the first one, the second in the second.
void Inferences::NumberExecutions() {
  std::vector<std::size_t> numbers(nesting_.ranges().size()), turns(rows_.size());
  for (std::size_t i = 0; i < outers_.size(); ++i) numbers[outers_[i]] = i;
  for (const std::size_t i : firsts_) {
    Execution& execution = executions_[i];
    const std::size_t turn = turns[execution.row]++;
    execution.inference = has_outer_ ? numbers[around_[i]] : turn;
  }
  count_ = has_outer_ ? outers_.size() : *std::max_element(turns.begin(), turns.end());
}

void Inferences::CheckOnce(const Export& read, Doubts& doubts) const {
  std::vector<std::vector<std::size_t>> inferences(rows_.size());
  for (const std::size_t i : firsts_) inferences[executions_[i].row].push_back(executions_[i].inference);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::vector<std::size_t>& in = inferences[row];
    std::sort(in.begin(), in.end());
    const bool twice = std::adjacent_find(in.begin(), in.end()) != in.end();
    if (!twice && in.size() == count_) continue;
    doubts.Add(Doubt::kNotAlike, Quoted(read.names[rows_[row]]) + " (" + std::to_string(in.size()) +
                                     " ranges in " + std::to_string(count_) + " inferences)");
  }
}

std::vector<Span> Inferences::SpansOfInferences() const {
  std::vector<Span> spans;
  for (const std::size_t i : outers_) spans.push_back(nesting_.ranges()[i].span);
  if (has_outer_) return spans;
  for (const std::size_t i : firsts_) {
    const Span& span = nesting_.ranges()[i].span;
    const std::size_t inference = executions_[i].inference;
    if (inference == spans.size()) spans.push_back(span);
    spans[inference].start = std::min(spans[inference].start, span.start);
    spans[inference].end = std::max(spans[inference].end, span.end);
  }
  return spans;
}

void Inferences::CheckTurns(Doubts& doubts) const {
  const std::vector<Span> spans = SpansOfInferences();
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].start < spans[i - 1].end) {
      doubts.Add(Doubt::kTogether, "the program's " + std::to_string(i + 1) + ".");
    }
  }
}

const Execution* Inferences::ExecutionAt(const Call& call) const {
  const std::size_t at = nesting_.Around(call.thread, call.span);
  if (at == kNone || owners_[at] == kNone) return nullptr;
  return has_outer_ && around_[at] == kNone ? nullptr : &executions_[owners_[at]];
}

bool Inferences::IsInOne(const Call& call) const {
  const std::size_t at = nesting_.Around(call.thread, call.span);
  return at != kNone && around_[at] != kNone;
}

// None begins before the last one's end.
bool Inferences::IsDuringOne(const Call& call) const {
  const auto after = std::upper_bound(
      outers_.begin(), outers_.end(), call.span.start,
      [&](std::int64_t time, std::size_t outer) { return time < nesting_.ranges()[outer].span.start; });
  return after != outers_.begin() && call.span.start < nesting_.ranges()[*(after - 1)].span.end;
}

}  // namespace tandem::nsys
