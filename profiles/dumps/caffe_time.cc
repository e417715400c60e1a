// The log of `caffe time`: after "Average time per layer:" a line "<layer>\tforward: X ms." per layer, the
// mean of all iterations. A log with several of these blocks (runs appended to one file) gives a sample each.
#include <map>
#include <optional>

#include "profiles/base/input_error.h"
#include "profiles/dumps/dump.h"

namespace tandem::caffe_time {
namespace {

constexpr std::string_view kHeading = "Average time per layer:";
constexpr std::string_view kForward = "forward: ";
constexpr std::string_view kEndToEnd = "Average Forward pass: ";

// The line behind glog's "I0101 12:00:00.000000  1234 caffe.cpp:404] ".
std::string_view WithoutPrefix(std::string_view line) {
  const auto at = line.find("] ");
  const bool glog =
      at != std::string_view::npos && line.substr(0, at).find(".cpp:") != std::string_view::npos;
  return glog ? line.substr(at + 2) : line;
}

// The X of "X ms." at the start of `text`.
Nanos MillisOf(std::string_view text, const std::string& place) {
  const auto unit = text.find(" ms");
  if (unit == std::string_view::npos)
    throw InputError(place + ": expected \"<number> ms.\", found " + Quoted(text));
  return DumpMillis(text.substr(0, unit), place);
}

// Caffe inserts "<blob>_<layer>_<number>_split" behind a layer whose output several others read.
void ServeSplit(DumpRow& row, const RowNames& names) {
  std::string_view stem = row.name;
  constexpr std::string_view kSplit = "_split";
  if (!stem.ends_with(kSplit)) return;
  stem.remove_suffix(kSplit.size());
  const auto number = stem.find_last_not_of("0123456789");
  if (number == std::string_view::npos || number + 1 == stem.size() || stem[number] != '_') return;
  const std::string_view layer = NameAtEnd(stem.substr(0, number), names);
  if (layer.empty()) return;
  row.serves_row = layer;
  row.parts.clear();
}

struct Layer {
  std::string name;
  std::string place;
  std::vector<Nanos> samples;
};

class Log {
 public:
  Log(std::string_view text, const std::string& file) : file_(file) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      ++line_;
      Take(WithoutPrefix(text.substr(0, end)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    EndBlock();
  }

  ProfileDump Dump() const {
    if (blocks_ == 0) {
      throw InputError(file_ + ": has no line \"" + std::string(kHeading) +
                       "\"; run `caffe time` to its end and keep what it writes to standard error");
    }
    ProfileDump dump;
    dump.tool = "caffe time";
    dump.statistic = blocks_ == 1 ? "means of one run of the tool"
                                  : "means of " + std::to_string(blocks_) + " runs of the tool";
    for (const Layer& layer : layers_) {
      DumpRow row;
      row.name = layer.name;
      row.place = layer.place;
      row.time = blocks_ == 1 ? Timing{layer.samples.front(), {}} : Timing::OfSamples(layer.samples);
      row.parts = {layer.name};
      dump.rows.push_back(std::move(row));
    }
    const RowNames names = NamesOf(dump.rows);
    for (DumpRow& row : dump.rows) ServeSplit(row, names);
    if (!end_to_end_.empty()) dump.end_to_end = Timing::OfSamples(end_to_end_);
    return dump;
  }

 private:
  std::string Place() const { return file_ + ":" + std::to_string(line_); }

  void Take(std::string_view line) {
    if (Trimmed(line) == kHeading) {
      EndBlock();
      ++blocks_;
      inside_ = true;
    } else if (const auto at = line.find(kEndToEnd); at != std::string_view::npos) {
      end_to_end_.push_back(MillisOf(line.substr(at + kEndToEnd.size()), Place()));
      inside_ = false;
    } else if (inside_) {
      TakeLayer(line);
    }
  }

  void TakeLayer(std::string_view line) {
    const auto at = line.rfind(kForward);
    if (at == std::string_view::npos || at == 0) return;  // a backward line, or another program's
    if (line[at - 1] != '\t' && line[at - 1] != ' ') return;
    const std::string name(Trimmed(line.substr(0, at)));
    if (name.empty()) throw InputError(Place() + ": the layer has no name");
    const auto [found, is_new] = index_.try_emplace(name, layers_.size());
    if (is_new && blocks_ > 1) {
      throw InputError(Place() + ": layer " + Quoted(name) +
                       " is in this run and not in the first one of the log");
    }
    if (is_new) layers_.push_back({name, Place(), {}});
    Layer& layer = layers_[found->second];
    if (layer.samples.size() == blocks_)
      throw InputError(Place() + ": layer " + Quoted(name) + " is timed twice");
    layer.samples.push_back(MillisOf(line.substr(at + kForward.size()), Place()));
  }

  void EndBlock() const {
    for (const Layer& layer : layers_) {
      if (layer.samples.size() != blocks_) {
        throw InputError(layer.place + ": layer " + Quoted(layer.name) + " is missing in run " +
                         std::to_string(blocks_) + " of the log; it was cut off or holds several models");
      }
    }
  }

  std::string file_;
  std::size_t line_ = 0;
  std::size_t blocks_ = 0;
  bool inside_ = false;
  std::vector<Layer> layers_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<Nanos> end_to_end_;
};

ProfileDump Read(std::string text, const std::string& file) { return Log(text, file).Dump(); }

bool Recognises(std::string_view text) {
  return text.find(kHeading) != std::string_view::npos || text.find("\tforward: ") != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"caffe", Recognises, Read}};

}  // namespace
}  // namespace tandem::caffe_time
