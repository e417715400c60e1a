// What the schema of a file says of a value in it: which keys and elements it has.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

class JsonShape {
 public:
  static JsonShape OfScenario();

  // Of an object; those that fit what else it says, a poisson arrival's of that type. `spellings`: of
  // durations in other units, too.
  std::vector<std::string> Keys(const nlohmann::json& object, bool spellings) const;
  JsonShape Member(const std::string& key, const nlohmann::json& object) const;
  bool TakesAnyKey() const;   // names of somebody's own
  JsonShape Element() const;  // of a list
  bool Is(std::string_view type) const;
  std::optional<double> Standard() const;  // of a number that is absent

 private:
  explicit JsonShape(const nlohmann::ordered_json& node) { Add(node); }
  JsonShape() = default;
  void Add(const nlohmann::ordered_json& node);  // with its alternatives

  std::vector<const nlohmann::ordered_json*> nodes_;
};

}  // namespace tandem
