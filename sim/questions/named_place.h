// Room sim/questions: what a scenario would do if it were another: values reached by name, the most that a
// board carries, and the same scenario on several boards.
//
// Places of a scenario by names: "units.gpu.slots", "links.dram-usb1.bandwidth",
// "streams.*.arrival.period_ms". What names are known comes from the schema of the scenario's file, so that
// every key that is ever added is reached.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct NamedPlace {
  std::vector<std::string> way;  // as the scenario has it: {"links", "dram-usb1", "bandwidth_bytes_per_s"}
  nlohmann::json* object = nullptr;
  std::string key;                 // of a member that may not be there yet
  std::string spelled;             // the member that says the same in whatever unit; empty: there is none
  std::optional<double> standard;  // what counts where it is not there
  bool integer = false;
  bool without_unit = false;  // the path leaves out the one that the key is in

  std::string Text() const;  // "links.dram-usb1.bandwidth_bytes_per_s"
};

class NamedPlaces {
 public:
  // As JsonPlace::Open: may put what a string stands for in its place.
  using Open = std::function<void(nlohmann::json& text, const std::vector<std::string>& way)>;
  // Keys that the file does not have at that place and that are understood there all the same.
  using Extra = std::function<std::vector<std::string>(const std::vector<std::string>& way)>;
  NamedPlaces(nlohmann::json& scenario, Open open, Extra extra);

  // At least one; good until the scenario changes. Throws InputError with "did you mean".
  std::vector<NamedPlace> Find(const std::string& path);

 private:
  class Walk;
  nlohmann::json& scenario_;
  Open open_;
  Extra extra_;
};

}  // namespace tandem
