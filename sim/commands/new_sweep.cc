// tandem new sweep SCENARIO -o FILE
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_output.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/suggest.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "sim/commands/new_names.h"
#include "sim/study/one_run.h"
#include "sim/sweep/judge.h"

namespace tandem::new_sweep {
namespace {

using Json = nlohmann::ordered_json;

struct NewSweepArguments {
  std::string scenario, file, name;
  std::vector<std::string> policies, vary;
  bool force = false;
};

// Places of this key in all streams that have it: "/streams/0/arrival/rate_per_s".
void AddPlaces(const Json& streams, const std::vector<std::string>& keys, const std::string& inside,
               Json& pointers) {
  for (std::size_t s = 0; s < streams.size(); ++s) {
    for (const std::string& key : keys) {
      const Json::json_pointer way(inside + "/" + key);
      if (streams[s].contains(way) && streams[s][way].is_number()) {
        pointers.push_back("/streams/" + std::to_string(s) + way.to_string());
      }
    }
  }
}

// Rates where requests come by the clock, else how many there are; and the seed, for what is chance.
Json AxesFor(const Json& scenario) {
  const Json streams = scenario.value("streams", Json::array());
  Json axes = Json::array(), rates = Json::array(), counts = Json::array();
  AddPlaces(streams, {"fps", "rate_per_s"}, "/arrival", rates);
  AddPlaces(streams, {"count"}, "", counts);
  if (!rates.empty()) {
    axes.push_back({{"name", "rate"}, {"pointers", rates}, {"multiplies", true}, {"values", {0.5, 1, 2}}});
  } else if (!counts.empty()) {
    axes.push_back({{"name", "count"}, {"pointers", counts}, {"multiplies", true}, {"values", {1, 2, 4}}});
  }
  axes.push_back({{"name", "seed"}, {"pointers", {"/seed"}}, {"range", {{"from", 1}, {"to", 3}}}});
  return axes;
}

// A number or anything else that JSON has, else a word.
Json ValueOf(const std::string& word) {
  Json value = Json::parse(word, nullptr, false);
  return value.is_discarded() ? Json(word) : value;
}

// "/streams/0/count=10,20".
Json AxisOf(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (text.empty() || text[0] != '/' || equals == std::string::npos || equals + 1 == text.size()) {
    throw InputError("--vary: " + Quoted(text) + " is not as /streams/0/count=10,20");
  }
  const std::string pointer = text.substr(0, equals);
  Json values = Json::array();
  for (std::size_t at = equals + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    values.push_back(ValueOf(text.substr(at, end - at)));
    at = end + 1;
  }
  return {{"name", pointer.substr(1)}, {"pointers", {pointer}}, {"values", std::move(values)}};
}

std::string TextOf(const NewSweepArguments& arguments) {
  const std::string name =
      arguments.name.empty() ? NameOfFile(arguments.file, ".sweep.json", "sweep") : arguments.name;
  Json axes = Json::array();
  for (const std::string& vary : arguments.vary) axes.push_back(AxisOf(vary));
  if (axes.empty()) axes = AxesFor(Json::parse(ReadTextFile(FindScenario(arguments.scenario))));
  Json json = {
      {"tandem", "sweep/1"}, {"name", name}, {"scenario", NameFrom(arguments.file, arguments.scenario)}};
  if (!arguments.policies.empty()) json["policies"] = arguments.policies;
  json["axes"] = std::move(axes);
  json["design"] = {{"type", "grid"}};
  return JsonOutput(json);
}

int NewSweep(const NewSweepArguments& arguments) {
  LoadScenario(arguments.scenario);  // whatever is wrong with it is told as its own
  const Outputs outputs({{"-o", arguments.file, {"sweep/1"}}}, arguments.force, false);
  const std::string text = TextOf(arguments);
  const JsonDocument document = JsonDocument::Parse(text, arguments.file);
  const std::string size = JudgeSweep(document.root());
  WriteFile(arguments.file, text);
  outputs.Say(arguments.file + ": " + size + "\n");
  return kExitDone;
}

void Declare(Command& command, NewSweepArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "a file, or the name of one that tandem ships").Required();
  command.Add("-o,--output", &arguments.file, "the sweep's file").Required();
  command
      .Add("--vary", &arguments.vary,
           "a place in the scenario and its values; else rates or counts, and seeds")
      .OneWord()
      .Shown("POINTER=VALUE,...");
  command.Add("--policy", &arguments.policies, "these alone: labels of the scenario's, or any: fcfs,eft")
      .Separated(',')
      .OneWord();
  command.Add("--name", &arguments.name, "the sweep's name; else its file's");
  command.Force(&arguments.force);
  command.Footer(
      "All combinations of the values are points, and every policy runs at each; edit the file for ranges,\n"
      "designs and what is required (docs/sweep.md).\n"
      "Examples:\n  tandem new sweep overload -o rates.sweep.json\n"
      "  tandem new sweep study-003 -o counts.sweep.json --policy fcfs,eft --vary /streams/0/count=10,20,40");
}

const CommandRegistration kNewSweep{
    {.name = "new sweep",
     .summary = "a scenario with values that vary, to be run by `tandem sweep`",
     .order = 60},
    Declare,
    NewSweep};

}  // namespace
}  // namespace tandem::new_sweep
