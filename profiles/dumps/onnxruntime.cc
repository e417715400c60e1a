// ONNX Runtime's profile: Chrome trace events. A run of the session has one event "<node>_kernel_time" per
// node (older versions also "_fence_before" and "_fence_after": waiting for the node's data, which is counted
// with it). A node that was fused keeps its name behind "fused ", or its output's before "_nchwc".
#include <map>

#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/dumps/dump.h"

namespace tandem::onnxruntime {
namespace {

constexpr double kLongestMicros = 1e16;

bool StripSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// Names that the runtime makes unique get "_token_7" behind.
std::string_view WithoutToken(std::string_view name) {
  const auto at = name.rfind("_token_");
  if (at == std::string_view::npos || at == 0) return name;
  const std::string_view number = name.substr(at + 7);
  const bool digits = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? name.substr(0, at) : name;
}

std::string SourceName(std::string_view name) {
  for (bool again = true; again;) {
    const std::size_t before = name.size();
    name = WithoutToken(name);
    StripSuffix(name, "_nchwc");
    if (name.starts_with("fused ")) name.remove_prefix(6);
    again = name.size() != before;
  }
  return std::string(name);
}

enum class Part : std::uint8_t { kKernel, kBefore, kAfter };

struct Node {
  std::string name;
  std::string place;  // of its first event
  std::vector<Nanos> kernel, before, after;
};

std::vector<Nanos>& TimesOf(Node& node, Part part) {
  return part == Part::kKernel ? node.kernel : part == Part::kBefore ? node.before : node.after;
}

class Events {
 public:
  explicit Events(const JsonReader& root) {
    for (const JsonReader event : root.Elements()) Add(event);
  }

  ProfileDump Dump(const std::string& file) const {
    if (nodes_.empty()) {
      throw InputError(file +
                       ": has no \"..._kernel_time\" event; was enable_profiling on and the session run?");
    }
    ProfileDump dump;
    dump.tool = "ONNX Runtime profile";
    const std::size_t runs = Runs();
    dump.statistic = std::to_string(runs) + (runs == 1 ? " sample per node" : " samples per node");
    for (const Node& node : nodes_) dump.rows.push_back(RowOf(node));
    if (!model_runs_.empty() && model_runs_.size() == runs) {
      dump.end_to_end = Timing::OfSamples(model_runs_);
    }
    return dump;
  }

 private:
  void Add(const JsonReader& event) {
    const auto category = event.Find("cat");
    if (!category || !category->IsString()) return;
    const std::string_view name = event.Get("name").String();
    const bool session = category->String() == "Session" && name == "model_run";
    if (!session && category->String() != "Node") return;
    const Nanos time = DumpNanos(event.Get("dur").Number(0, kLongestMicros) * 1e3, event.Where());
    if (session) {
      model_runs_.push_back(time);
    } else {
      AddNode(event, name, time);
    }
  }

  void AddNode(const JsonReader& event, std::string_view name, Nanos time) {
    Part part = Part::kKernel;
    if (StripSuffix(name, "_fence_before")) {
      part = Part::kBefore;
    } else if (StripSuffix(name, "_fence_after")) {
      part = Part::kAfter;
    } else if (!StripSuffix(name, "_kernel_time")) {
      event.Get("name").Fail("unknown kind of node event " + Quoted(name) +
                             "; known: ..._kernel_time, ..._fence_before, ..._fence_after");
    }
    if (name.empty()) {
      event.Get("name").Fail("the node has no name; name the nodes of the ONNX file and profile again");
    }
    const auto [at, is_new] = index_.try_emplace(std::string(name), nodes_.size());
    if (is_new) nodes_.push_back({std::string(name), event.Where(), {}, {}, {}});
    TimesOf(nodes_[at->second], part).push_back(time);
  }

  // Every node runs once per run of the session; a file that was cut off ends in the middle of one.
  std::size_t Runs() const {
    const std::size_t runs = nodes_.front().kernel.size();
    for (const Node& node : nodes_) {
      if (node.kernel.size() == runs && runs > 0) continue;
      throw InputError(
          node.place + ": node " + Quoted(node.name) + " was timed " + std::to_string(node.kernel.size()) +
          " times, node " + Quoted(nodes_.front().name) + " " + std::to_string(runs) +
          " times; the file was cut off (ONNX Runtime keeps a million events) or holds several models: "
          "profile fewer runs of one model");
    }
    for (const Node& node : nodes_) {
      for (const auto* fences : {&node.before, &node.after}) {
        if (!fences->empty() && fences->size() != runs) {
          throw InputError(node.place + ": node " + Quoted(node.name) + " has " +
                           std::to_string(fences->size()) + " fence events for " + std::to_string(runs) +
                           " runs; the file was cut off");
        }
      }
    }
    return runs;
  }

  static DumpRow RowOf(const Node& node) {
    std::vector<Nanos> samples = node.kernel;
    for (const auto* fences : {&node.before, &node.after}) {
      for (std::size_t i = 0; i < fences->size(); ++i) samples[i] += (*fences)[i];
    }
    DumpRow row;
    row.name = node.name;
    row.place = node.place;
    row.time = Timing::OfSamples(std::move(samples));
    row.parts = {SourceName(node.name)};
    return row;
  }

  std::vector<Node> nodes_;  // in the order in which they first ran
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<Nanos> model_runs_;
};

ProfileDump Read(std::string text, const std::string& file) {
  const JsonDocument document = JsonDocument::Parse(text, file);
  if (!document.root().IsArray()) {
    document.root().Fail("expected an array of events, as ONNX Runtime's profiler writes it");
  }
  return Events(document.root()).Dump(file);
}

bool Recognises(std::string_view text) {
  const std::string_view head = Trimmed(text.substr(0, 4096));
  return head.starts_with('[') && head.find("\"cat\"") != std::string_view::npos;
}

const DumpFormatRegistration kRegistration{{"onnxruntime", Recognises, Read}};

}  // namespace
}  // namespace tandem::onnxruntime
