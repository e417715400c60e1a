// OpenVINO's detailed (or average) counters: a CSV with ';' between fields, one row per layer, its status
// NOT_RUN, OPTIMIZED_OUT or EXECUTED, and a row "Total" after them. A detailed report holds several infer
// requests, one block each; every block is a sample.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "profiles/base/input_error.h"
#include "profiles/dumps/dump.h"

namespace tandem::openvino {
namespace {

constexpr std::array<std::string_view, 3> kStatuses = {"EXECUTED", "NOT_RUN", "OPTIMIZED_OUT"};

constexpr std::string_view kPythonEnum = "Status.";  // what benchmark_app in Python puts before a status

constexpr std::size_t kMostFields = 64;  // what stands behind them is no column of this report

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const auto end = line.find(';');
    fields.push_back(Trimmed(line.substr(0, end)));
    if (end == std::string_view::npos || fields.size() == kMostFields) return fields;
    line.remove_prefix(end + 1);
  }
}

// Where the columns stand; reports differ in columns between and behind them.
struct Header {
  std::size_t name = 0, status = 0, type = 0, time = 0;
  std::size_t columns = 0;

  std::size_t Last() const { return std::max({name, status, type, time}); }
};

// "realTime (ms)", "real_time (ms)", "RealTime(ms)" are the same column.
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char byte : name.substr(0, name.find('('))) {
    if (byte >= 'A' && byte <= 'Z') plain += static_cast<char>(byte - 'A' + 'a');
    if (byte >= 'a' && byte <= 'z') plain += byte;
  }
  return plain;
}

std::optional<Header> HeaderOf(const std::vector<std::string_view>& fields) {
  const auto find = [&](std::string_view wanted) {
    return static_cast<std::size_t>(
        std::find_if(fields.begin(), fields.end(),
                     [&](std::string_view name) { return Plain(name) == wanted; }) -
        fields.begin());
  };
  Header header{find("layername"), find("execstatus"), find("layertype"), find("realtime"), fields.size()};
  if (header.Last() >= fields.size()) return std::nullopt;
  return header;
}

// What fusing leaves behind a layer's name.
std::string SourceName(std::string_view name) {
  for (const std::string_view mark : {"/WithoutBiases", "/Fused_Add_", "/Fused_Mul_"}) {
    const auto at = name.find(mark);
    if (at != std::string_view::npos && at > 0) return std::string(name.substr(0, at));
  }
  return std::string(name);
}

// Rows of the network's borders and constants; they name no layer that computes.
bool IsBorder(std::string_view type) {
  constexpr std::array<std::string_view, 6> kBorders = {"Parameter", "Input", "Result",
                                                        "Output",    "Const", "Constant"};
  return std::find(kBorders.begin(), kBorders.end(), type) != kBorders.end();
}

// "out_prob" and "prob/sink_port_0" are copies of the output "prob".
void ServeOutput(DumpRow& row) {
  std::string_view name = row.name;
  const auto sink = name.rfind("/sink_port_");
  if (sink != std::string_view::npos) {
    name = name.substr(0, sink);
  } else if (name.starts_with("out_")) {
    name.remove_prefix(4);
  } else {
    return;
  }
  row.serves_tensor = name;
  row.parts.clear();
}

// "conv1_nchw_nChw8c_pool1" brings what conv1 wrote into the layout that pool1 reads.
void ServeReorder(DumpRow& row, const RowNames& names) {
  const std::string_view child = NameAtEnd(row.name, names);
  if (child.empty()) return;
  row.serves_row = child;
  row.parts.clear();
}

class Report {
 public:
  Report(std::string_view text, const std::string& file) : file_(file) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      ++line_;
      const std::string_view line = Trimmed(text.substr(0, end));
      if (!line.empty()) Take(line);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    EndBlock();
  }

  ProfileDump Dump() const {
    if (blocks_ == 0) {
      throw InputError(
          file_ + ": has no heading \"layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\"");
    }
    ProfileDump dump;
    std::vector<bool> reorders;  // per row of the dump
    dump.tool = "OpenVINO detailed counters";
    dump.statistic = blocks_ == 1 ? "one report" : std::to_string(blocks_) + " reports";
    for (const Layer& layer : layers_) {
      const bool timed = layer.executed || std::any_of(layer.samples.begin(), layer.samples.end(),
                                                       [](Nanos time) { return time > Nanos{0}; });
      if (!timed && layer.border) continue;
      DumpRow row;
      row.name = layer.name;
      row.place = layer.place;
      row.time = blocks_ == 1 ? Timing{layer.samples.front(), {}} : Timing::OfSamples(layer.samples);
      row.executed = timed;
      row.parts = {SourceName(layer.name)};
      if (layer.border) ServeOutput(row);
      dump.rows.push_back(std::move(row));
      reorders.push_back(layer.reorder);
    }
    const RowNames names = NamesOf(dump.rows);
    for (std::size_t i = 0; i < dump.rows.size(); ++i) {
      if (reorders[i]) ServeReorder(dump.rows[i], names);
    }
    return dump;
  }

 private:
  struct Layer {
    std::string name;
    std::string place;
    bool executed = false;
    bool border = false;
    bool reorder = false;
    std::vector<Nanos> samples;
  };

  std::string Place() const { return file_ + ":" + std::to_string(line_); }

  void Take(std::string_view line) {
    const auto fields = Fields(line);
    if (const auto header = HeaderOf(fields)) {
      EndBlock();
      header_ = header;
      ++blocks_;
    } else if (header_) {
      TakeRow(fields);
    }
  }

  void TakeRow(const std::vector<std::string_view>& fields) {
    if (fields.size() <= header_->Last()) {
      throw InputError(Place() + ": expected " + std::to_string(header_->columns) +
                       " fields as in the heading, found " + std::to_string(fields.size()));
    }
    const Nanos time = DumpMillis(fields[header_->time], Place());
    if (fields[header_->name] == "Total" && fields[header_->status].empty()) {
      EndWithTotal(time);
    } else {
      AddLayer(fields, time);
    }
  }

  void AddLayer(const std::vector<std::string_view>& fields, Nanos time) {
    const std::string name(fields[header_->name]);
    std::string_view status = fields[header_->status];
    if (status.starts_with(kPythonEnum)) status.remove_prefix(kPythonEnum.size());
    if (name.empty()) throw InputError(Place() + ": the layer has no name");
    if (std::find(kStatuses.begin(), kStatuses.end(), status) == kStatuses.end()) {
      const std::span<const std::string_view> known(kStatuses);
      throw InputError(Place() + ": unknown status " + Quoted(status) + Suggestion(status, known));
    }
    const auto [found, is_new] = index_.try_emplace(name, layers_.size());
    if (is_new && blocks_ > 1) {
      throw InputError(Place() + ": layer " + Quoted(name) +
                       " is in this report and not in the first one of the file");
    }
    if (is_new) layers_.push_back({name, Place(), false, false, false, {}});
    Layer& layer = layers_[found->second];
    if (layer.samples.size() == blocks_)
      throw InputError(Place() + ": layer " + Quoted(name) + " is timed twice");
    const std::string_view type = fields[header_->type];
    layer.executed = layer.executed || status == "EXECUTED";
    layer.border = IsBorder(type);
    layer.reorder = type == "Reorder";
    layer.samples.push_back(time);
    sum_ += time;
  }

  void EndWithTotal(Nanos total) {
    // Every row is printed to the microsecond, or to six digits.
    const std::int64_t rounding =
        1'000 * static_cast<std::int64_t>(layers_.size() + 1) + sum_.count() / 100'000;
    const std::int64_t difference = (total - sum_).count();
    if (difference > rounding || difference < -rounding) {
      throw InputError(Place() + ": the total is " + std::to_string(total.count()) +
                       " ns, the rows above sum to " + std::to_string(sum_.count()) +
                       " ns; rows are missing or were edited");
    }
    EndBlock();
    header_.reset();
  }

  void EndBlock() {
    for (const Layer& layer : layers_) {
      if (layer.samples.size() != blocks_) {
        throw InputError(layer.place + ": layer " + Quoted(layer.name) + " is missing in report " +
                         std::to_string(blocks_) + " of the file");
      }
    }
    sum_ = Nanos{0};
  }

  std::string file_;
  std::size_t line_ = 0;
  std::size_t blocks_ = 0;
  std::optional<Header> header_;  // nothing between the blocks
  Nanos sum_{0};
  std::vector<Layer> layers_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

ProfileDump Read(std::string text, const std::string& file) { return Report(text, file).Dump(); }

bool Recognises(std::string_view text) {
  const std::string_view head = text.substr(0, 65536);
  return head.find("execStatus") != std::string_view::npos ||
         head.find("exec_status") != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"openvino", Recognises, Read}};

}  // namespace
}  // namespace tandem::openvino
