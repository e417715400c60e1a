#include "profiles/dumps/nsys/layers.h"

#include <algorithm>
#include <memory>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/base/time.h"
#include "profiles/dumps/nsys/card.h"
#include "profiles/dumps/nsys/inferences.h"

namespace tandem::nsys {
namespace {

// A layer in one inference.
struct Cell {
  std::int64_t time = 0;
  std::size_t works = 0;
};

class LayerReader {
 public:
  LayerReader(const Export& read, const Card& card, const DumpQuestion& asked, const std::string& file)
      : read_(read),
        card_(card),
        asked_(asked),
        file_(file),
        inferences_(read, card.process, asked, file, doubts_),
        cells_(inferences_.rows().size() * inferences_.count()),
        spans_(inferences_.count()),
        seen_(inferences_.count()) {}

  ProfileDump Read() {
    for (const Work& work : read_.works) {
      if (work.device == card_.device && work.launch.process == card_.process) Place(work);
    }
    CheckWorks();
    CheckAlone();
    doubts_.Refuse(file_);
    if (counted_ == 0) throw InputError(file_ + ": no kernel was launched in a range of a layer");
    return Dump();
  }

 private:
  const std::string& NameOfRow(std::size_t row) const { return read_.names[inferences_.rows()[row]]; }
  const Cell& CellOf(std::size_t row, std::size_t inference) const {
    return cells_[row * inferences_.count() + inference];
  }

  // Null where none has made it, or several have.
  const Call* CallOf(const Launch& launch) const {
    const auto before = [](const Call& call, const Launch& wanted) { return call.launch < wanted; };
    const auto found = std::lower_bound(read_.calls.begin(), read_.calls.end(), launch, before);
    if (found == read_.calls.end() || found->launch != launch) return nullptr;
    const auto next = found + 1;
    return next == read_.calls.end() || next->launch != launch ? &*found : nullptr;
  }

  void Place(const Work& work) {
    const bool from_host = work.kind == WorkKind::kHostCopy;
    if (!from_host) on_card_.push_back({&work, kNone});
    const Call* const call = CallOf(work.launch);
    if (call == nullptr) {
      from_host ? (void)++host_copies_ : doubts_.Add(Doubt::kNoCall, Quoted(read_.names[work.name]));
    } else if (inferences_.have_range() && !inferences_.IsInOne(*call)) {
      PlaceOutside(work, *call);
    } else if (from_host) {
      PlaceHostCopy(inferences_.ExecutionAt(*call));
    } else {
      PlaceInside(work, *call);
    }
  }

  void PlaceOutside(const Work& work, const Call& call) {
    if (work.kind == WorkKind::kHostCopy) {
      ++host_copies_;
    } else if (inferences_.IsDuringOne(call)) {
      doubts_.Add(Doubt::kOtherThread, Quoted(read_.names[work.name]));
    } else {
      ++outside_;
    }
  }

  void PlaceHostCopy(const Execution* execution) {
    if (execution != nullptr && !asked_.left_out.contains(NameOfRow(execution->row))) {
      return doubts_.Add(Doubt::kHostCopy, Quoted(NameOfRow(execution->row)));
    }
    ++host_copies_;
  }

  void PlaceInside(const Work& work, const Call& call) {
    const Execution* const execution = inferences_.ExecutionAt(call);
    if (work.kind == WorkKind::kGraph || (work.in_graph && execution == nullptr)) {
      return doubts_.Add(Doubt::kGraph, Quoted(read_.names[work.name]));
    }
    if (execution == nullptr) return doubts_.Add(Doubt::kNoRange, WhereText(work, call));
    Cell& cell = cells_[execution->row * inferences_.count() + execution->inference];
    // Work of which that is true is refused when it turns out that it ran side by side.
    cell.time = std::min(cell.time + work.span.end - work.span.start, kLongestTime.count());
    ++cell.works;
    Span& span = spans_[execution->inference];
    span.start = seen_[execution->inference] ? std::min(span.start, work.span.start) : work.span.start;
    span.end = seen_[execution->inference] ? std::max(span.end, work.span.end) : work.span.end;
    seen_[execution->inference] = true;
    on_card_.back().inference = execution->inference;
    ++counted_;
  }

  std::string WhereText(const Work& work, const Call& call) {
    if (!all_ranges_) all_ranges_ = std::make_unique<Nesting>(read_.ranges);
    const std::size_t around = all_ranges_->Around(call.thread, call.span);
    return Quoted(read_.names[work.name]) +
           (around == kNone ? " in no range"
                            : " in range " + Quoted(read_.names[all_ranges_->ranges()[around].name]));
  }

  // Where the program chooses kernels, or warms up, a layer launches more than later.
  void CheckWorks() {
    for (std::size_t row = 0; row < inferences_.rows().size(); ++row) {
      for (std::size_t i = 1; i < inferences_.count(); ++i) {
        const std::size_t first = CellOf(row, 0).works, other = CellOf(row, i).works;
        if (other == first) continue;
        doubts_.Add(Doubt::kOtherKernels, Quoted(NameOfRow(row)) + " (" + std::to_string(first) +
                                              " in the first inference, " + std::to_string(other) +
                                              " in the " + std::to_string(i + 1) + ".)");
        break;
      }
    }
  }

  void CheckAlone() {
    std::stable_sort(on_card_.begin(), on_card_.end(), [](const OnCard& a, const OnCard& b) {
      return a.work->span.start < b.work->span.start;
    });
    const OnCard* longest = nullptr;
    for (const OnCard& one : on_card_) {
      const bool beside = longest != nullptr && one.work->span.start < longest->work->span.end;
      if (beside && (one.inference != kNone || longest->inference != kNone)) {
        doubts_.Add(Doubt::kBesideOthers, Quoted(read_.names[one.work->name]) + " beside " +
                                              Quoted(read_.names[longest->work->name]));
      }
      if (longest == nullptr || one.work->span.end > longest->work->span.end) longest = &one;
    }
    for (std::size_t i = 1; i < seen_.size(); ++i) {
      if (seen_[i] && seen_[i - 1] && spans_[i].start < spans_[i - 1].end) {
        doubts_.Add(Doubt::kTogether, "the card's " + std::to_string(i + 1) + ".");
      }
    }
  }

  ProfileDump Dump() const {
    ProfileDump dump;
    dump.tool = "Nsight Systems' export (schema " + read_.schema + ")";
    dump.statistic = StatisticText();
    for (std::size_t row = 0; row < inferences_.rows().size(); ++row) dump.rows.push_back(RowOf(row));
    std::vector<Nanos> whole;
    for (const Span& span : spans_) {
      whole.push_back(DumpNanos(static_cast<double>(span.end - span.start), file_));
    }
    dump.end_to_end = Timing::OfSamples(std::move(whole));
    return dump;
  }

  std::string StatisticText() const {
    const auto counted = [](std::size_t count, const std::string& what) {
      return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    std::string text = "sums of what each NVTX range's kernels took, " +
                       counted(inferences_.count(), "inference") + ", on device " +
                       std::to_string(card_.device);
    if (outside_ > 0) {
      text += ", without " + counted(outside_, "kernel") + " outside of range " +
              Quoted(read_.names[inferences_.range()]);
    }
    if (host_copies_ > 0) text += ", without " + counted(host_copies_, "transfer");
    return text;
  }

  DumpRow RowOf(std::size_t row) const {
    DumpRow result;
    result.name = NameOfRow(row);
    result.place = file_ + ": table NVTX_EVENTS";
    result.parts = {result.name};
    result.executed = CellOf(row, 0).works > 0;
    std::vector<Nanos> samples;
    for (std::size_t i = 0; i < inferences_.count(); ++i) {
      samples.push_back(DumpNanos(static_cast<double>(CellOf(row, i).time), result.place));
    }
    result.time = Timing::OfSamples(std::move(samples));
    return result;
  }

  struct OnCard {
    const Work* work;
    std::size_t inference;  // kNone: in none
  };

  const Export& read_;
  const Card& card_;
  const DumpQuestion& asked_;
  const std::string& file_;
  Doubts doubts_;
  Inferences inferences_;
  std::vector<Cell> cells_;  // by row, then by inference
  std::vector<Span> spans_;  // per inference, on the card
  std::vector<bool> seen_;   // per inference: has it any work?
  std::vector<OnCard> on_card_;
  std::unique_ptr<Nesting> all_ranges_;
  std::size_t counted_ = 0, outside_ = 0, host_copies_ = 0;
};

}  // namespace

ProfileDump LayerTimes(const Database& database, const std::string& file, const DumpQuestion& asked) {
  const Export read = ReadExport(database, file);
  const Card card = CardOf(read, asked.device, file);
  ProfileDump dump = LayerReader(read, card, asked, file).Read();
  const std::string name = CardName(database, card.process, card.device);
  if (!name.empty()) dump.tool += " of a " + name;
  return dump;
}

}  // namespace tandem::nsys
