#include "scenarios/baseline/inputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <unordered_map>

#include "profiles/base/files.h"
#include "profiles/base/json_write.h"
#include "profiles/base/sha256.h"
#include "profiles/model/model_json.h"
#include "profiles/program/shipped.h"
#include "scenarios/scenario/file_keys.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;  // its objects are sorted by key

constexpr int kMostNesting = 8;  // a file that names one that names one ...; beyond it something is a circle
constexpr std::uintmax_t kMostInTurn = std::uintmax_t{4} << 20;  // bytes of what files name that are named
constexpr std::uintmax_t kLeastOfOne = 4096;                     // counted of each of these

std::string HashOf(std::string_view text) { return "sha256:" + Sha256(std::as_bytes(std::span(text))); }

// Files as content: every path in them gives way to what stands there. What the scenario names is read to run
// it, too; what that names in turn may be the same file in every line of it, so that of much of it the hashes
// stand there.
class InputsOf {
 public:
  explicit InputsOf(const Scenario& scenario) : scenario_(scenario) {}

  Json File(const fs::path& path) {
    const std::string text = ReadTextFile(path);
    const std::optional<Json> json = depth_ == kMostNesting ? std::nullopt : JsonToFollow(text);
    if (!json) return HashOf(text);  // arrivals, layer by layer
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(fs::absolute(path, ignored).parent_path(), ignored);
    ++depth_;
    Json content = Content(*json, {path, folder.string()}, "");
    --depth_;
    return content;
  }

 private:
  struct From {
    fs::path file;
    std::string folder;  // without links
  };
  // What a name that is not shipped may stand for.
  struct Target {
    std::string model;  // "model 0", of the scenario
    fs::path file;      // that is there
    std::string place;  // its path without links
  };

  // `key`: under which it stands.
  Json Content(const Json& value, const From& from, const std::string& key) {
    if (value.is_string()) return Text(value.get<std::string>(), from, key);
    if (!value.is_structured()) return value;
    Json content = value.is_object() ? Json::object() : Json::array();
    for (const auto& [name, member] : value.items()) {
      if (value.is_array()) {
        content.push_back(Content(member, from, key));
      } else if (name == "command" || name.ends_with("layers")) {
        content[name] = member;  // a program is started, not read; layers of networks may look like paths
      } else if (name != "note") {
        content[Text(name, from, "").get<std::string>()] = Content(member, from, name);
      }
    }
    return content;
  }

  Json Text(const std::string& text, const From& from, const std::string& key) {
    if (IsShippedName(text)) {
      if (key == "platform" && text != "device") return Shipped(text, ".platform.json");
      return key == "profiles" ? Shipped(text, ".profile.json") : Json(text);
    }
    if (text.empty()) return text;
    const auto [known, is_new] = targets_.try_emplace(from.folder + "\n" + text);
    if (is_new) known->second = TargetOf(text, from.file);
    const Target& target = known->second;
    if (!target.model.empty()) return target.model;
    return KeyNamesFiles(key) && !target.file.empty() ? Named(target.file, target.place) : Json(text);
  }

  Target TargetOf(const std::string& text, const fs::path& from) const {
    Target target{"", ResolvePath(text, from), ModelKey(text, from)};
    for (std::size_t m = 0; m < scenario_.models.size() && target.model.empty(); ++m) {
      if (scenario_.models[m].key == target.place) target.model = "model " + std::to_string(m);
    }
    std::error_code ignored;
    if (!fs::is_regular_file(target.file, ignored)) target.file.clear();
    return target;
  }

  // A board that nobody ships is described elsewhere: its name stands.
  Json Shipped(const std::string& name, std::string_view suffix) {
    const fs::path path = ShippedDirectory() / "boards" / (name + std::string(suffix));
    std::error_code ignored;
    return fs::exists(path, ignored) ? Named(path, path.string()) : Json(name);
  }

  Json Named(const fs::path& path, const std::string& place) {
    const auto [known, is_new] = hashes_.try_emplace(place);
    if ((is_new && depth_ == 1) || MayStandHere(path)) return File(path);
    std::string& hash = known->second;
    if (hash.empty()) {
      hash = "this file";  // of one that names itself
      hash = HashOf(JsonLine(File(path)));
    }
    return hash;
  }

  bool MayStandHere(const fs::path& path) {
    std::error_code ignored;
    const std::uintmax_t bytes = std::max(fs::file_size(path, ignored), kLeastOfOne);
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  const Scenario& scenario_;
  int depth_ = 0;
  std::uintmax_t left_ = kMostInTurn;
  std::map<std::string, std::string> hashes_;  // by place; empty: not asked for yet
  std::unordered_map<std::string, Target> targets_;
};

}  // namespace

std::string InputsHash(const Scenario& scenario) {
  Json all = {{"file", InputsOf(scenario).File(scenario.file)}, {"models", Json::array()}};
  for (const ScenarioModel& model : scenario.models) {
    all["models"].push_back(HashOf(ModelJson(*model.model, "")));
  }
  return HashOf(JsonLine(all));
}

}  // namespace tandem
