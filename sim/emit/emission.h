// --emit: the folder of a target, and what is said of it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/emit/emitter.h"

namespace tandem {

// What stands in every folder beside the target's own files.
inline constexpr const char* kEmittedPlan = "plan.json";
inline constexpr const char* kNotExpressed = "NOT_EXPRESSED.md";

class Emission {
 public:
  // Before anything is computed. Throws InputError where there is no such target, where `folder` is empty,
  // standard output or a file, and without `force` where it has a file already that every target writes.
  Emission(const std::string& target, std::filesystem::path folder, bool force);

  std::filesystem::path plan() const { return folder_ / kEmittedPlan; }
  // Writes the folder: all files or none; without `force` none that is there already. Whoever is killed while
  // files of a folder that was there are replaced leaves it without a plan. Throws InputError and
  // EnvironmentError.
  void Write(const Deployment& deployment, std::string plan_json);

  // After that: {"target", "folder", "files", "not_expressed"}, and the same in words.
  nlohmann::ordered_json Json() const;
  std::string Text(std::size_t width) const;

 private:
  void RefuseLoss(const std::vector<std::string>& files) const;
  std::string Page(const Deployment& deployment) const;

  const EmitterDeclaration* target_;
  std::filesystem::path folder_;
  bool force_;
  std::vector<std::string> files_, not_expressed_;
};

}  // namespace tandem
