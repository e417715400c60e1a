// The files that a scenario of a sweep names: read and hashed once, and put in place of their names where a
// value inside them varies.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tandem {

class NamedFiles {
 public:
  NamedFiles();
  ~NamedFiles();

  // A file of this kind; throws InputError.
  const nlohmann::json& Read(const std::filesystem::path& path, std::string_view kind);

  // Puts the platform or profile that `text` names in its place; `way` are the steps that led there in the
  // scenario `from`. Leaves other strings alone.
  void PutInPlace(nlohmann::json& text, const std::vector<std::string>& way, const std::string& from);

  // SHA-256 of the contents of each file that `value` names, and of those that these name, in their order.
  // `key`: under which it stands in the scenario `from`; empty: it is the scenario.
  std::string HashesOf(const nlohmann::json& value, const std::string& key, const std::string& from);

 private:
  using HashesByName = std::unordered_map<std::string, std::string>;
  void AddHashes(const nlohmann::json& value, const std::string& key, const std::string& from,
                 std::string& hashes);
  void AddHashesInside(const nlohmann::json& file, const std::string& from, std::string& hashes);
  const std::string& HashOf(const std::string& name, const std::string& from);
  const std::string& ShortHashOf(const std::string& name, const std::string& from);
  std::string HashOfFile(const std::filesystem::path& path);

  std::map<std::string, nlohmann::json> read_;
  std::map<std::string, HashesByName> by_name_, short_by_name_;  // of each file that names others
  std::map<std::string, std::string> of_files_;
  int nesting_ = 0;  // files under way, each named by the one before it
};

// A value of the file `from` that is put into `into`: files that it names stay what they are.
void MoveNamedFiles(nlohmann::json& value, const std::filesystem::path& from,
                    const std::filesystem::path& into);

std::string Sha256OfText(std::string_view text);

}  // namespace tandem
