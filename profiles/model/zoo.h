// The models that tandem ships. Each file in profiles/zoo/ registers its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

struct ZooEntry {
  std::string name;     // "resnet50"
  std::string summary;  // one line: where the graph comes from, what sets it apart
  Model (*build)();     // at batch 1 and the usual input size
};

// In order of name.
const std::vector<ZooEntry>& Zoo();
const ZooEntry* FindInZoo(std::string_view name);

// `static const ZooRegistration kVgg16{{"vgg16", "...", BuildVgg16}};` at namespace scope.
struct ZooRegistration {
  explicit ZooRegistration(ZooEntry entry);
};

}  // namespace tandem
