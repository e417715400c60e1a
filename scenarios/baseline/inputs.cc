#include "scenarios/baseline/inputs.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <system_error>

#include "profiles/base/files.h"
#include "profiles/base/sha256.h"
#include "profiles/model/model_json.h"
#include "profiles/program/shipped.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;  // its objects are sorted by key

constexpr int kMostNesting = 8;  // a file that names one that names one ...; beyond it something is a circle

std::string HashOf(std::string_view text) { return "sha256:" + Sha256(std::as_bytes(std::span(text))); }

// Files as content: every path in them gives way to what stands there.
class InputsOf {
 public:
  explicit InputsOf(const Scenario& scenario) : scenario_(scenario) {}

  Json File(const fs::path& path) {
    const std::string text = ReadTextFile(path);
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || depth_ == kMostNesting) return HashOf(text);  // arrivals, layer by layer
    ++depth_;
    json = Content(json, path, "");
    --depth_;
    return json;
  }

 private:
  // `key`: under which it stands.
  Json Content(const Json& value, const fs::path& from, const std::string& key) {
    if (value.is_string()) return Text(value.get<std::string>(), from, key);
    if (!value.is_structured()) return value;
    Json content = value.is_object() ? Json::object() : Json::array();
    for (const auto& [name, member] : value.items()) {
      if (value.is_array()) {
        content.push_back(Content(member, from, key));
      } else if (name == "command" || name.ends_with("layers")) {
        content[name] = member;  // a program is started, not read; layers of networks may look like paths
      } else if (name != "note") {
        const Json stands_for = Text(name, from, "");
        content[stands_for.is_string() ? stands_for.get<std::string>() : HashOf(stands_for.dump())] =
            Content(member, from, name);
      }
    }
    return content;
  }

  Json Text(const std::string& text, const fs::path& from, const std::string& key) {
    if (IsShippedName(text)) {
      if (key == "platform" && text != "device") return Shipped(text, from, ".platform.json");
      return key == "profiles" ? Shipped(text, from, ".profile.json") : Json(text);
    }
    if (text.empty()) return text;
    const std::string model = ModelKey(text, from);
    for (std::size_t m = 0; m < scenario_.models.size(); ++m) {
      if (scenario_.models[m].key == model) return "model " + std::to_string(m);
    }
    const fs::path path = ResolvePath(text, from);
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) ? File(path) : Json(text);
  }

  // A board that nobody ships is described elsewhere: its name stands.
  Json Shipped(const std::string& name, const fs::path& from, std::string_view suffix) {
    const fs::path path = ShippedDirectory() / "boards" / (name + std::string(suffix));
    std::error_code ignored;
    return fs::exists(path, ignored) ? File(FindFile(name, from, "boards", suffix)) : Json(name);
  }

  const Scenario& scenario_;
  int depth_ = 0;
};

}  // namespace

std::string InputsHash(const Scenario& scenario) {
  Json all = {{"file", InputsOf(scenario).File(scenario.file)}, {"models", Json::array()}};
  for (const ScenarioModel& model : scenario.models) {
    all["models"].push_back(HashOf(ModelJson(*model.model, "")));
  }
  return HashOf(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tandem
