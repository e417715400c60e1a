// A profile from a timing dump of another tool.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "profiles/costs/profile.h"
#include "profiles/dumps/mapping.h"

namespace tandem {

struct ProfileImport {
  std::filesystem::path file;
  std::string format;  // empty: guessed from the content
  std::string model;   // as the command line gives it: a zoo name or a file
  std::string unit;
  std::string platform;
  std::int64_t batch = 1;  // inferences per run of the dump
  Variant variant;
  std::filesystem::path map;  // a layer-map/1 file, or empty
  std::string range;          // as in DumpQuestion, as is the next
  std::optional<std::int64_t> device;
  std::string source;            // what the dump does not say: board, clocks, versions; may be empty
  std::filesystem::path output;  // where the profile will stand: paths in it are relative to that; or empty
};

struct ImportedProfile {
  Profile profile;
  DumpMapping mapping;
  ProfileDump dump;
  bool whole_model = false;  // is what the tool measured end to end the entry of the whole model?
};

// The origin is "published" with the dump as its source: a dump does not hold the host, clocks and caches
// that a measurement of tandem's own states. Throws InputError.
ImportedProfile ImportProfile(const ProfileImport& import);

}  // namespace tandem
