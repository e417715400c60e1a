// For scripts/laws: `find_broken FIRST COUNT FOLDER [EVERY]` tries the laws on so many random scenarios, and
// the search on every EVERY-th. One of which a law does not hold is made small and kept in FOLDER, as a test;
// then the exit status is 1.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/laws/laws.h"
#include "tests/laws/shrink.h"
#include "tests/support/random_scenario.h"

int main(int count, char** words) {
  using namespace tandem;
  const std::uint64_t every = count == 5 ? std::strtoull(words[4], nullptr, 10) : kSearchEvery;
  if (count < 4 || count > 5 || every == 0) {
    std::cerr << "usage: find_broken FIRST COUNT FOLDER [EVERY]\n";
    return 2;
  }
  const auto broken_law = [&](const Scenario& scenario) { return TryLaws(scenario, every).broken; };
  const std::uint64_t first = std::strtoull(words[1], nullptr, 10),
                      many = std::strtoull(words[2], nullptr, 10);
  bool broken = false;
  for (std::uint64_t seed = first; seed < first + many; ++seed) {
    const std::string what = broken_law(RandomScenario(seed, DrawnInTurn(seed)));
    if (what.empty()) continue;
    broken = true;
    const std::filesystem::path folder = std::filesystem::path(words[3]) / ("seed" + std::to_string(seed));
    std::cout << "seed " << seed << ": " << what << "\n" << std::flush;
    WriteRandomScenario(seed, folder.string(), DrawnInTurn(seed));
    Shrink(folder, [&](const Scenario& smaller) { return !broken_law(smaller).empty(); });
    const std::string left = broken_law(ReadScenarioFile((folder / "random.scenario.json").string()));
    std::cout << "seed " << seed << ": the smallest of which it does not hold: " << folder.string() << ": "
              << left << "\n"
              << std::flush;  // a child that is forked has none of it
  }
  return broken ? 1 : 0;
}
