// A scenario with some of what its files say supposed otherwise: --what-if PATH=VALUE.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/asked_value.h"
#include "sim/study/one_run.h"

namespace tandem {

// "links.usb1.bandwidth=2x".
struct Supposed {
  std::string path;
  AskedValue value;
  std::string Text() const { return path + "=" + value.text; }
};

// Throws InputError that names `option`.
Supposed ReadSupposed(const std::string& text, const std::string& option);

// What a path leads to, for somebody who wants to vary it.
struct PlaceToVary {
  double now = 0;    // a factor, 1, where there are several places or it is a speed
  std::string key;   // in whose unit its values are
  std::string unit;  // that: "ms", "/s", "x"; empty: a plain number
  bool integer = false;
  bool eases = false;  // the more of it the less load: a period, a speed
};

// One scenario or plan, read once, and what becomes of it.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& argument);  // as LoadScenario takes it
  // The same of a text that stands for the file.
  ScenarioFile(std::string text, std::string file);
  ~ScenarioFile();
  ScenarioFile(ScenarioFile&&) noexcept;
  ScenarioFile& operator=(ScenarioFile&&) noexcept;

  const Scenario& unchanged() const;
  // Throws InputError that names `option` and what was supposed.
  Scenario With(const std::vector<Supposed>& all, const std::string& option) const;
  PlaceToVary Place(const std::string& path) const;  // throws InputError, the message without a place
  // What holds the length of streams that a count ends, where their rates become `value`; see Place.
  std::vector<Supposed> KeepingDuration(const std::string& path, double value) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace tandem
