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
  const nlohmann::ordered_json known = KnownJson(scenario);
  if (known.contains("taken")) page.taken = known["taken"].get<std::vector<std::string>>();
  if (scenario.platform) page.platform = PlatformJson(*scenario.platform);
  return page;
}

}  // namespace tandem
