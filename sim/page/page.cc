#include "sim/page/page.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "profiles/base/files.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/markup.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "profiles/program/version.h"
#include "sim/page/timeline.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

// In the order in which they stand on each other's shoulders.
constexpr std::array kScripts = {"uplot/uPlot.iife.min.js",
                                 "words.js",
                                 "data.js",
                                 "verdict.js",
                                 "policies.js",
                                 "costs.js",
                                 "charts.js",
                                 "timeline_view.js",
                                 "timeline.js",
                                 "board.js",
                                 "answers.js",
                                 "sweep.js",
                                 "page.js"};
const std::vector<std::string> kShown = {"report/1",        "decision/1",     "calibration/1",
                                         "explanation/1",   "regression/1",   "capacity/1",
                                         "sweep_summary/1", "board_choice/1", "state_choice/1"};
constexpr std::array kStyles = {"uplot/uPlot.min.css", "page.css"};

std::string Asset(std::string_view name) { return ReadTextFile(ShippedDirectory() / "page" / name); }

template <class Names>
std::string Assets(const Names& names) {
  std::string all;
  for (const char* name : names) all += Asset(name) + "\n";
  return all;
}

// Of whom others' scripts are, for the pages that have them.
std::string Notice() { return "/*\n" + Asset("uplot/LICENSE") + "*/\n"; }

// Of what stands in a script element: in JSON a "<" is only ever in a string.
std::string InScript(std::string_view json) {
  std::string safe;
  for (const char c : json) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

// All objects of the text; a list is taken apart.
Json ResultsOf(const std::string& text) {
  Json result = Json::parse(text);
  return result.is_array() ? result : Json::array({std::move(result)});
}

void CheckOneShown(const JsonReader& result) {
  const std::string kind(FileKind(result));
  if (std::find(kShown.begin(), kShown.end(), kind) != kShown.end()) return;
  result.Get("tandem").Fail("a page does not show " + Quoted(kind) + "; it shows " + Joined(kShown) +
                            ", and with them a trace, a scenario or plan, a platform");
}

// Names of files need not be UTF-8.
std::string Ascii(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

// Which file each of the results is of: ["a.json", "a.json", "b.json"]; empty where all are of one.
void AddResults(const Page& page, JsonObject& json) {
  Json all = Json::array(), files = Json::array();
  for (std::size_t i = 0; i < page.results.size(); ++i) {
    for (Json& one : ResultsOf(page.results[i])) {
      all.push_back(std::move(one));
      if (page.files.size() > 1) files.push_back(page.files[i]);
    }
  }
  json.Add("results", Ascii(all)).Add("files", Ascii(files));
}

std::string DataJson(const Page& page) {
  JsonObject json;
  json.AddString("title", page.title)
      .AddString("command", page.command)
      .AddString("version", std::string(Version()));
  AddResults(page, json);
  json.Add("predicted", page.predicted.empty() ? "[]" : Ascii(ResultsOf(page.predicted)))
      .Add("taken", JsonStrings(page.taken))
      .Add("board", page.platform.empty() ? "null" : Ascii(Json::parse(page.platform)));
  if (page.trace) json.Add("timelines", TimelinesJson(*page.trace));
  return json.Text();
}

// Every "@name@" of the template is replaced once; what is put there is not looked at again.
std::string Filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t at = text.find('@');
    filled += text.substr(0, at);
    if (at == std::string_view::npos) break;
    text.remove_prefix(at);
    std::size_t taken = 1;
    for (const auto& [name, value] : values) {
      const std::string mark = "@" + std::string(name) + "@";
      if (!text.starts_with(mark)) continue;
      filled += value;
      taken = mark.size();
    }
    if (taken == 1) filled += '@';
    text.remove_prefix(taken);
  }
  return filled;
}

}  // namespace

void CheckShown(const JsonReader& results) {
  if (!results.IsArray()) return CheckOneShown(results);
  for (const JsonReader one : results.Elements()) CheckOneShown(one);
}

std::string PageHtml(const Page& page) {
  return Filled(Asset("page.html"), {{"version", std::string(Version())},
                                     {"title", ShownXmlText(page.title)},
                                     {"style", Assets(kStyles)},
                                     {"data", InScript(DataJson(page))},
                                     {"script", Notice() + Assets(kScripts)}});
}

}  // namespace tandem
