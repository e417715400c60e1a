#include "sim/page/page.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "profiles/base/files.h"
#include "profiles/base/json_write.h"
#include "profiles/base/markup.h"
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
constexpr std::array kStyles = {"uplot/uPlot.min.css", "page.css"};

std::string Asset(std::string_view name) { return ReadTextFile(ShippedDirectory() / "page" / name); }

template <class Names>
std::string Assets(const Names& names) {
  std::string all;
  for (const char* name : names) all += Asset(name) + "\n";
  return all;
}

// Of what stands in a script element: in JSON a "<" is only ever in a string.
std::string InScript(std::string_view json) {
  std::string safe;
  for (const char c : json) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

// All objects of the texts, lists taken apart.
std::string ResultsJson(const std::vector<std::string>& texts) {
  Json all = Json::array();
  for (const std::string& text : texts) {
    Json result = Json::parse(text);
    if (!result.is_array()) result = Json::array({std::move(result)});
    for (Json& one : result) all.push_back(std::move(one));
  }
  return all.dump(-1, ' ', true);
}

std::string DataJson(const Page& page) {
  JsonObject json;
  json.AddString("title", page.title)
      .AddString("command", page.command)
      .AddString("version", std::string(Version()))
      .Add("results", ResultsJson(page.results))
      .Add("predicted", page.predicted.empty() ? "[]" : ResultsJson({page.predicted}))
      .Add("taken", JsonStrings(page.taken))
      .Add("board", page.platform.empty() ? "null" : Json::parse(page.platform).dump(-1, ' ', true));
  if (!page.trace.empty()) {
    json.Add("timelines", TimelinesJson(ReadTrace(JsonDocument::Parse(page.trace, "trace").root())));
  }
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

std::string PageHtml(const Page& page) {
  return Filled(Asset("page.html"), {{"version", std::string(Version())},
                                     {"title", XmlText(page.title)},
                                     {"style", Assets(kStyles)},
                                     {"data", InScript(DataJson(page))},
                                     {"script", Assets(kScripts)}});
}

}  // namespace tandem
