// Files of the models that an order speaks of, for a device that may not see them: `tandem-device store` is
// told what they are, answers which it lacks, and is then given these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/json_reader.h"

namespace tandem {

// Beyond these a file is none of a model.
inline constexpr std::int64_t kMostBytesOfFile = std::int64_t{8} << 30;
inline constexpr std::size_t kMostFilesSent = 10'000;

struct OfferedFile {
  std::string path;                // on the machine that has it: absolute, without "." and ".."
  std::vector<std::string> names;  // by which an order speaks of it, too
  std::string sha256;
  std::int64_t bytes = 0;
};

// On standard input stand the length of this text in a line, the text, and the bytes of the files that
// `follow`, one after the other.
struct StoreOrder {
  std::vector<OfferedFile> files;
  std::vector<std::string> follow;  // by sha256
};
std::string StoreOrderJson(const StoreOrder& order);
std::string StoreOrderText(const StoreOrder& order);  // the same with its length before it
// Throws InputError, also where a path could lead out of the folder that it is put in.
StoreOrder ReadStoreOrder(const JsonReader& root);

struct StoreAnswer {
  std::vector<std::string> lacks;  // by sha256, each once, in the order of the files
  // What --sent takes once nothing is lacking; empty: all files are there, at the same paths.
  std::string name;
};
std::string StoreAnswerJson(const StoreAnswer& answer);
StoreAnswer ReadStoreAnswer(const JsonReader& root);  // throws InputError

bool IsSha256(std::string_view text);  // 64 lower-case hexadecimal digits

}  // namespace tandem
