#include "sim/study/page_of.h"

#include <nlohmann/json.hpp>

#include "profiles/costs/platform.h"
#include "profiles/program/command_line.h"
#include "sim/study/known_data.h"

namespace tandem {

Page PageOf(const Scenario& scenario, std::vector<std::string> results) {
  Page page;
  page.title = scenario.name;
  page.command = CommandAsGiven();
  page.results = std::move(results);
  for (const auto& text : KnownJson(scenario)["taken"]) page.taken.push_back(text);
  if (scenario.platform) page.platform = PlatformJson(*scenario.platform);
  return page;
}

}  // namespace tandem
