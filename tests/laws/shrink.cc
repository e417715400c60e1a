#include "tests/laws/shrink.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Place = Json::json_pointer;

constexpr std::int64_t kMostRequestsTried = 200;
constexpr Nanos kLongestTried{10'000'000};

// Larger parts first: what goes as a whole is not picked to pieces.
void FindPlaces(const Json& value, const Place& at, std::vector<Place>& places) {
  const auto inside = [&](const Place& place, const Json& part) {
    places.push_back(place);
    FindPlaces(part, place, places);
  };
  if (value.is_object()) {
    for (const auto& [key, part] : value.items()) inside(at / key, part);
  } else if (value.is_array()) {
    for (std::size_t i = value.size(); i-- > 0;) inside(at / i, value[i]);
  }
}

std::vector<Place> Places(const Json& file) {
  std::vector<Place> places;
  FindPlaces(file, Place(), places);
  return places;
}

void TakeAway(Json& file, const Place& place) {
  Json& of = file.at(place.parent_pointer());
  of.is_array() ? of.erase(std::stoul(place.back())) : (void)of.erase(place.back());
}

class Shrinker {
 public:
  Shrinker(fs::path folder, const std::function<bool(const Scenario&)>& broken)
      : folder_(std::move(folder)), broken_(broken) {
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() == ".json") files_.push_back(file.path());  // times of arrival stay
    }
    std::sort(files_.begin(), files_.end());
  }

  bool Pass() {
    bool smaller = false;
    for (const fs::path& file : files_) {
      for (std::size_t i = 0; i < Places(Read(file)).size();) {
        Json less = Read(file);
        TakeAway(less, Places(less)[i]);
        const bool gone = Keep(file, less);
        smaller = smaller || gone;
        i += gone ? 0 : 1;
      }
      for (const Place& place : Places(Read(file))) smaller = Lower(file, place) || smaller;
    }
    return smaller;
  }

 private:
  static Json Read(const fs::path& file) { return Json::parse(ReadTextFile(file)); }

  // The seed says which laws are tried.
  bool Lower(const fs::path& file, const Place& place) {
    const Json read = Read(file);
    if (!read.at(place).is_number() || place.back() == "seed") return false;
    const double value = read.at(place).get<double>();
    for (const double lower : {1.0, std::floor(value / 2)}) {
      if (lower < 1 || lower >= value) continue;
      Json less = read;
      less.at(place) = static_cast<std::int64_t>(lower);
      if (Keep(file, less)) return true;
    }
    return false;
  }

  // A count that is taken away may leave a default of millions, and a duration one of minutes.
  static bool IsSmall(const Scenario& scenario) {
    std::int64_t requests = 0;
    for (const RequestCount& count : CountRequests(scenario.streams, scenario.seed)) requests += count.count;
    return requests <= kMostRequestsTried &&
           std::all_of(scenario.streams.begin(), scenario.streams.end(),
                       [](const Stream& stream) { return stream.until.duration <= kLongestTried; });
  }

  bool Keep(const fs::path& file, const Json& less) {
    const std::string before = ReadTextFile(file);
    WriteFile(file, less.dump(1));
    try {
      const Scenario scenario = ReadScenarioFile((folder_ / "random.scenario.json").string());
      if (scenario.costs && IsSmall(scenario) && broken_(scenario)) return true;
    } catch (const InputError&) {  // too little is left
    }
    WriteFile(file, before);
    return false;
  }

  fs::path folder_;
  const std::function<bool(const Scenario&)>& broken_;
  std::vector<fs::path> files_;
};

}  // namespace

void Shrink(const fs::path& folder, const std::function<bool(const Scenario&)>& broken) {
  Shrinker shrinker(folder, broken);
  while (shrinker.Pass()) {
  }
}

}  // namespace tandem
