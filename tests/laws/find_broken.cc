// For scripts/laws: `find_broken FIRST COUNT FOLDER` tries the laws on so many random scenarios. One of which
// a law does not hold is made small and kept in FOLDER, as a test; then the exit status is 1.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/laws/laws.h"
#include "tests/laws/shrink.h"
#include "tests/support/random_scenario.h"

int main(int count, char** words) {
  using namespace tandem;
  if (count != 4) {
    std::cerr << "usage: find_broken FIRST COUNT FOLDER\n";
    return 2;
  }
  const std::uint64_t first = std::strtoull(words[1], nullptr, 10),
                      many = std::strtoull(words[2], nullptr, 10);
  bool broken = false;
  for (std::uint64_t seed = first; seed < first + many; ++seed) {
    const std::string what = TryLaws(RandomScenario(seed, DrawnInTurn(seed))).broken;
    if (what.empty()) continue;
    broken = true;
    const std::filesystem::path folder = std::filesystem::path(words[3]) / ("seed" + std::to_string(seed));
    std::cout << "seed " << seed << ": " << what << "\n" << std::flush;
    WriteRandomScenario(seed, folder.string(), DrawnInTurn(seed));
    Shrink(folder, [](const Scenario& smaller) { return !TryLaws(smaller).broken.empty(); });
    const std::string left = TryLaws(ReadScenarioFile((folder / "random.scenario.json").string())).broken;
    std::cout << "seed " << seed << ": the smallest of which it does not hold: " << folder.string() << ": "
              << left << "\n"
              << std::flush;  // a child that is forked has none of it
  }
  return broken ? 1 : 0;
}
