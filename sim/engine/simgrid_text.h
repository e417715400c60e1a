// The text of a SimGrid platform file before SimGrid has it, which stops at little.
#pragma once

#include <string>

namespace tandem {

// What SimGrid may read of the file: XML that names no other file and does not set SimGrid up. Throws
// InputError.
std::string ReadSimGridText(const std::string& name);

// A file without a name on any disk that has this text, for as long as this is there.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& text);  // throws EnvironmentError
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  // By which this process opens it, and those that it forks.
  std::string path() const;

 private:
  int descriptor_;
};

}  // namespace tandem
