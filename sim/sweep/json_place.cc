#include "sim/sweep/json_place.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem {
namespace {

using PlaceJson = nlohmann::json;

std::string Unescaped(std::string_view step) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    if (!escape) {
      text += step[i];
    } else {
      text += step[++i] == '1' ? '/' : '~';
    }
  }
  return text;
}

// A list's element by its number alone.
bool IsNumber(const std::string& step) {
  return !step.empty() && step.size() < 10 &&
         std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool Takes(const std::string& step, const PlaceJson& element, std::size_t position) {
  if (step == "*") return true;
  if (IsNumber(step)) return std::stoul(step) == position;
  const std::size_t equals = step.find('=');
  if (equals == std::string::npos || !element.is_object()) return false;
  const auto member = element.find(step.substr(0, equals));
  if (member == element.end()) return false;
  const std::string wanted = step.substr(equals + 1);
  return member->is_string() ? member->get_ref<const std::string&>() == wanted : member->dump() == wanted;
}

}  // namespace

std::vector<std::string> PointerSteps(std::string_view pointer) {
  std::vector<std::string> steps;
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    steps.push_back(Unescaped(pointer.substr(1, end - 1)));
    pointer.remove_prefix(end);
  }
  return steps;
}

std::size_t JsonPlace::ForEach(PlaceJson& root, bool add, const Change& change) {
  add_ = add;
  change_ = change;
  return Walk(root, 0);
}

std::size_t JsonPlace::Walk(PlaceJson& value, std::size_t step) {
  if (step == steps_.size()) {
    change_(value);
    return 1;
  }
  if (value.is_string()) {
    open_(value, {steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(step)});
  }
  if (value.is_array()) return WalkList(value, step);
  return value.is_object() ? WalkObject(value, step) : 0;
}

std::size_t JsonPlace::WalkList(PlaceJson& list, std::size_t step) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (Takes(steps_[step], list[i], i)) found += Walk(list[i], step + 1);
  }
  return found;
}

std::size_t JsonPlace::WalkObject(PlaceJson& object, std::size_t step) {
  const bool last = step + 1 == steps_.size();
  if (!object.contains(steps_[step]) && !(last && add_)) return 0;
  return Walk(object[steps_[step]], step + 1);
}

}  // namespace tandem
