#include "sim/study/page_of.h"

#include <nlohmann/json.hpp>

#include "profiles/costs/platform.h"
#include "profiles/program/command_line.h"
#include "sim/study/known_data.h"

namespace tandem {

Page PageOf(std::string title, std::vector<std::string> results) {
  Page page;
  page.title = std::move(title);
  page.command = CommandAsGiven();
  page.results = std::move(results);
  return page;
}

Page PageOf(const Scenario& scenario, std::vector<std::string> results) {
  Page page = PageOf(scenario.name, std::move(results));
  for (const WhatIf& supposed : scenario.what_if) {
    page.title += (&supposed == scenario.what_if.data() ? ", what if " : ", ") + supposed.asked;
    for (const std::string& change : supposed.changes) page.taken.push_back("what if: " + change);
  }
  const nlohmann::ordered_json known = KnownJson(scenario);
  if (known.contains("taken")) {
    for (const auto& sentence : known["taken"]) page.taken.push_back(sentence.get<std::string>());
  }
  if (scenario.platform) page.platform = PlatformJson(*scenario.platform);
  return page;
}

}  // namespace tandem
