// Whose work an entry of a profile speaks of.
#pragma once

#include <string>
#include <vector>

#include "scenarios/check/checked_run.h"

namespace tandem {

struct NamedWork {
  std::string model;                                 // its key; empty: any
  const std::vector<std::string>* layers = nullptr;  // empty: any
  int weight() const { return (model.empty() ? 0 : 1) + (layers->empty() ? 0 : 1); }
  // All of the task's layers are among them; a whole model has none that an entry could name.
  bool Covers(const CheckedRun& run, const CheckedTask& task) const;
  // It has these layers and no other, and is no part of them.
  bool Is(const CheckedRun& run, const CheckedTask& task) const;
};

NamedWork WorkNamed(const std::string& model, const std::vector<std::string>& layers, const Profile& profile);

}  // namespace tandem
