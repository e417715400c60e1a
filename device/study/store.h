// Models of one's own that another machine sends here: kept in a folder of the user's, by their contents.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "scenarios/exchange/store_order.h"

namespace tandem {

// $XDG_CACHE_HOME/tandem, or ~/.cache/tandem. Throws EnvironmentError where there is neither.
std::filesystem::path StoreFolder();

class FileStore {
 public:
  // Below `folder` and nowhere else: files/SHA256 is what a file holds, sent/NAME/tree has the files of one
  // order at the paths that they have where they come from.
  explicit FileStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // `from` has a StoreOrder with its length before it and the bytes of the files that follow. A file is there
  // whole and as it was sent, or not at all. Throws InputError, and EnvironmentError where the bytes end
  // early or are others, or a disk is full.
  StoreAnswer Take(std::istream& from) const;

  // From here on this process reads the files of the order `name`, as Take answered it, where their paths are
  // named. Throws InputError where none is of this name.
  void Use(const std::string& name) const;

 private:
  void Receive(const OfferedFile& file, std::istream& from) const;
  bool Holds(const OfferedFile& file) const;
  std::string Assemble(const StoreOrder& order) const;
  bool IsWhole(const StoreOrder& order, const std::string& name) const;
  void Place(const OfferedFile& file, const std::filesystem::path& tree) const;
  void RemoveBrokenOff() const;

  std::filesystem::path folder_;
};

}  // namespace tandem
