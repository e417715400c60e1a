// What one supposition does to the JSON of a scenario, and what is left to be done once that is read.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/questions/named_place.h"
#include "sim/questions/what_if.h"
#include "sim/sweep/named_files.h"

namespace tandem {

// What is measured in profiles, and changes with what is supposed.
struct ProfileEffect {
  enum class Of : std::uint8_t { kUnitSpeed, kDispatch };
  Of of = Of::kUnitSpeed;
  std::string unit;
  double speed = 1;
  std::size_t change = 0;  // its text among those of the WhatIf
};

class Supposing {
 public:
  // `scenario` is changed; `unchanged` is what was read of it.
  Supposing(nlohmann::json& scenario, const Scenario& unchanged, NamedFiles& files, std::string file);

  std::vector<NamedPlace> Find(const std::string& path);
  // Throws InputError without a place. A speed is of what was read, however often it is supposed; as a
  // factor, of what was supposed of it before.
  WhatIf Suppose(const Supposed& supposed, std::vector<ProfileEffect>& effects);

 private:
  struct Faster {
    double before = 1, after = 1;
    double by() const { return after / before; }
  };
  Faster SpeedUp(const NamedPlace& place, const AskedValue& value);

  nlohmann::json& scenario_;
  const Scenario& unchanged_;
  NamedFiles& files_;
  std::string file_;
  std::map<std::string, double> speeds_;  // by path, where one was supposed
};

bool IsSpeed(const NamedPlace& place);
bool IsUnitSpeed(const NamedPlace& place);
// A stream's rate in whatever words: "rate", "fps", "period_ms".
bool IsArrivalRate(const NamedPlace& place);
// Requests per second; throws InputError where the arrival has no rate.
double RateOf(const NamedPlace& place);

// "count(camera)": the stream and all that hang on it, so many times. Empty: it is another path.
std::string CountedStream(const std::string& path);
// The stream of that name and those that hang on it, in order. Throws InputError.
std::vector<std::string> WithDependents(const nlohmann::json& scenario, const std::string& name);
std::string CloneStreams(const std::string& name, double count,
                         nlohmann::json& scenario);  // says what became

}  // namespace tandem
