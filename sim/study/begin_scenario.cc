#include "sim/study/begin_scenario.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/model_identity.h"
#include "profiles/model/model_source.h"
#include "scenarios/scenario/scenario.h"
#include "sim/study/begin_words.h"

namespace tandem::begin_scenario {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kUsualCount = 100;
constexpr const char* kForm = "[NAME=]MODEL[@30fps|@33ms|@20/s|@closed|@offline][*COUNT|*10s]";

struct StreamWord {
  std::string name, model;
  bool is_named = false;  // on the command line, not after its model
  Json arrival;           // null: none is said
  std::int64_t count = 0;
  double duration_us = 0;
};

Json ArrivalOf(const std::string& text, const WordPlace& place) {
  if (text == "offline" || text == "closed") return {{"type", text}};
  const auto measured = MeasuredOf(text);
  if (measured && measured->value > 0) {
    if (measured->unit == "fps") return {{"type", "periodic"}, {"fps", measured->value}};
    if (measured->unit == "/s" || measured->unit == "qps") {
      return {{"type", "poisson"}, {"rate_per_s", measured->value}};
    }
    if (const auto micros = MicrosOf(text)) return {{"type", "periodic"}, {"period_us", *micros}};
  }
  const std::vector<std::string> known = {"30fps", "33ms", "20/s", "20qps", "closed", "offline"};
  place.Fail(Quoted(text) +
             " is no arrival; 30fps or 33ms: one after the other; 20/s: at random, so many a " +
             "second; closed: the next when one completes; offline: all at the start");
}

// Behind the '*': so many, or for so long.
void TakeEnd(const std::string& text, const WordPlace& place, StreamWord& stream) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), stream.count);
  if (error == std::errc() && end == text.data() + text.size() && stream.count > 0) return;
  stream.count = 0;
  if (const auto micros = MicrosOf(text); micros && *micros > 0) {
    stream.duration_us = *micros;
    return;
  }
  place.Fail(Quoted(text) + " is neither how many requests (100) nor for how long they come (10s)");
}

// What follows the last `mark`; it is taken off. Nothing: there is none. Files may have the mark in their
// names.
std::optional<std::string> TakeBehind(char mark, std::string& text) {
  std::error_code unknown;
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos || std::filesystem::exists(text, unknown)) return std::nullopt;
  std::string behind = text.substr(at + 1);
  text.resize(at);
  return behind;
}

std::string StemOf(const std::string& model) {
  const std::string name = BaseName(model);
  return name.substr(0, name.find('.'));
}

StreamWord Read(const std::string& word) {
  const WordPlace place{"--stream", word};
  StreamWord stream;
  std::string rest = word;
  if (const std::size_t equals = rest.find('='); equals != std::string::npos) {
    stream.name = rest.substr(0, equals);
    rest = rest.substr(equals + 1);
    if (stream.name.empty()) place.Fail(std::string("is not as ") + kForm);
  }
  if (const auto end = TakeBehind('*', rest)) TakeEnd(*end, place, stream);
  if (const auto arrival = TakeBehind('@', rest)) stream.arrival = ArrivalOf(*arrival, place);
  if (rest.empty()) place.Fail(std::string("names no model; ") + kForm);
  stream.model = rest;
  stream.is_named = !stream.name.empty();
  if (!stream.is_named) stream.name = StemOf(rest);
  return stream;
}

void JudgeModel(const StreamWord& stream, const WordPlace& place) {
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  try {
    (void)LoadModel(stream.model, {}, graph_alone);
  } catch (const InputError& error) {
    place.Fail(error.what());
  }
}

// A second stream of that name is the name's second.
std::string Unused(const std::string& name, std::set<std::string>& used) {
  std::string unused = name;
  for (int i = 2; !used.insert(unused).second; ++i) unused = name + "_" + std::to_string(i);
  return unused;
}

Json StreamJson(const StreamWord& word, const ScenarioWords& words, std::set<std::string>& used) {
  Json stream = {{"name", Unused(word.name, used)}, {"model", NameFrom(word.model, {}, words.file)}};
  if (words.batch != 1) stream["batch"] = words.batch;
  std::string note;
  if (word.duration_us > 0) {
    stream["duration_ms"] = word.duration_us / 1000;
  } else {
    stream["count"] = word.count > 0 ? word.count : kUsualCount;
    if (word.count == 0) note = "how many was not said";
  }
  stream["arrival"] = word.arrival.is_null() ? Json{{"type", "offline"}} : word.arrival;
  if (word.arrival.is_null()) {
    note +=
        std::string(note.empty() ? "" : "; ") +
        "nor when they come: all at the start. Others: periodic with fps, poisson with rate_per_s, closed";
    if (word.count > 0 || word.duration_us > 0) note.replace(0, 3, "not said was");
  }
  if (!note.empty()) stream["note"] = note;
  return stream;
}

// "33ms" for all, "camera=33ms" for one.
void AddDeadline(const std::string& word, Json& streams) {
  const WordPlace place{"--deadline", word};
  const std::size_t equals = word.find('=');
  const std::string name = equals == std::string::npos ? "" : word.substr(0, equals);
  const auto micros = MicrosOf(equals == std::string::npos ? word : word.substr(equals + 1));
  if (!micros || *micros <= 0) place.Fail("is no time, such as 33ms or camera=33ms");
  std::vector<std::string> known;
  bool found = false;
  for (Json& stream : streams) {
    known.push_back(stream["name"]);
    if (!name.empty() && stream["name"] != name) continue;
    found = true;
    stream["deadline_us"] = *micros == static_cast<double>(static_cast<std::int64_t>(*micros))
                                ? Json(static_cast<std::int64_t>(*micros))
                                : Json(*micros);
  }
  if (!found) place.Fail("unknown stream " + Quoted(name) + Suggestion(name, known));
}

// For one stream's deadline and for all: whichever is of one counts.
Json StreamsOf(const ScenarioWords& words) {
  Json streams = Json::array();
  std::set<std::string> used;
  for (const std::string& word : words.streams) {
    const StreamWord stream = Read(word);
    JudgeModel(stream, {"--stream", word});
    if (stream.is_named && used.count(stream.name) != 0) {
      WordPlace{"--stream", word}.Fail("the stream " + Quoted(stream.name) + " is given twice");
    }
    streams.push_back(StreamJson(stream, words, used));
  }
  for (const bool of_one : {false, true}) {
    for (const std::string& word : words.deadlines) {
      if ((word.find('=') != std::string::npos) == of_one) AddDeadline(word, streams);
    }
  }
  for (Json& stream : streams) {  // notes stand last
    if (!stream.contains("note")) continue;
    const Json note = stream["note"];
    stream.erase("note");
    stream["note"] = note;
  }
  return streams;
}

std::string NoteOf(const ScenarioWords& words) {
  std::string note =
      "Begun by `tandem new scenario`. `tandem simulate` runs every policy below (`tandem policies` lists "
      "all); "
      "`tandem schema scenario` and docs/formats.md have all keys: deadline_us, priority, batch, depends_on "
      "of "
      "a stream; background; resident.";
  if (!words.transfer) note += " transfer is none: the times of whole models include what moves data.";
  if (words.profiles.empty()) {
    note += " No profiles are named: `tandem validate` measures what it needs on the device first.";
  }
  return note;
}

// A member a line, a stream a line.
std::string Laid(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text.size() > 1) text += ",\n ";
    text += "\"" + key + "\": " + value;
  }
  return text + "}\n";
}

// On one line, as people write it.
std::string OnALine(const Json& value) {
  if (!value.is_object()) return JsonLine(value);
  std::string text = "{";
  for (const auto& [key, member] : value.items()) {
    text += (text.size() > 1 ? ", " : "") + JsonString(key) + ": " + OnALine(member);
  }
  return text + "}";
}

std::string Lines(const Json& list) {
  std::string text = "[";
  for (const Json& one : list) {
    if (text.size() > 1) text += ",\n             ";
    text += OnALine(one);
  }
  return text + "]";
}

std::string InList(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + value;
  return text + "]";
}

}  // namespace
}  // namespace tandem::begin_scenario

namespace tandem {

std::string ScenarioFrom(const ScenarioWords& words) {
  using begin_scenario::Json;
  std::vector<std::pair<std::string, std::string>> members = {
      {"tandem", "\"scenario/1\""},
      {"name", JsonString(words.name)},
      {"note", JsonString(begin_scenario::NoteOf(words))},
      {"seed", "1"},
      {"platform", words.platform}};
  if (!words.profiles.empty()) members.emplace_back("profiles", begin_scenario::InList(words.profiles));
  if (!words.transfer) members.emplace_back("transfer", "\"none\"");
  members.emplace_back("streams", begin_scenario::Lines(begin_scenario::StreamsOf(words)));
  members.emplace_back("policies", JsonLine(Json(words.policies)));
  if (!words.objective.empty()) members.emplace_back("objective", JsonString(words.objective));
  const std::string text = begin_scenario::Laid(members);
  (void)ReadScenario(JsonDocument::Parse(text, words.file).root());
  return text;
}

}  // namespace tandem
