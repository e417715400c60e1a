// Places of a JSON value by pointers (RFC 6901) in which a step through a list may also be "*", all of its
// elements, or "unit=gpu", those that have this member.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

std::vector<std::string> PointerSteps(std::string_view pointer);

class JsonPlace {
 public:
  // `open` is called with a string that the pointer goes into, and the steps that led there: it may put there
  // what the string stands for.
  using Open = std::function<void(nlohmann::json& text, const std::vector<std::string>& way)>;
  JsonPlace(std::string_view pointer, Open open) : steps_(PointerSteps(pointer)), open_(std::move(open)) {}

  // Calls `change` with every value there; with `add` also for a member that its object does not have yet.
  // How many there were.
  using Change = std::function<void(nlohmann::json& value)>;
  std::size_t ForEach(nlohmann::json& root, bool add, const Change& change);

 private:
  std::size_t Walk(nlohmann::json& value, std::size_t step);
  std::size_t WalkList(nlohmann::json& list, std::size_t step);
  std::size_t WalkObject(nlohmann::json& object, std::size_t step);

  std::vector<std::string> steps_;
  Open open_;
  bool add_ = false;
  Change change_;
};

}  // namespace tandem
