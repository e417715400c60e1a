// Files of another machine that were sent to this one: a path that an order names there means the copy here.
// Nothing in the order changes by that, and what comes back names the models as the order does.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct SentFile {
  std::vector<std::string> names;  // absolute paths there, as an order may write them
  std::string key;                 // the one path there by which results call it
  std::filesystem::path place;     // the copy
};

// Once, before anything is read: what these names stand for in this process from here on.
void UseSentFiles(const std::vector<SentFile>& files);

// Null: none of that name was sent.
const SentFile* FindSentFile(std::string_view name);

}  // namespace tandem
