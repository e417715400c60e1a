// JSON text, strictly: broken text, a key given twice, numbers beyond a double and absurd nesting are errors
// with their place. The document is a flat array in reading order, so that a profile of 200,000 entries is
// read in a fraction of a second and every value can say where it stands without keeping its path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

enum class JsonKind : std::uint8_t { kNull, kFalse, kTrue, kInteger, kDecimal, kString, kArray, kObject };

// Index of a node inside its document; the root is 0.
using JsonIndex = std::uint32_t;

struct JsonNode {
  union {
    const char* text;      // of a string or a decimal: its characters, the decimal's as they were written
    std::int64_t integer;  // of an integer
  };
  const char* key;  // the key under which it stands in an object
  std::uint32_t text_length;
  std::uint32_t key_length;
  JsonIndex end;  // one past the last node inside this one: the next sibling, if there is one
  JsonKind kind;

  std::string_view String() const { return {text, text_length}; }
  std::string_view Key() const { return {key, key_length}; }
};

class JsonReader;

class JsonDocument {
 public:
  // `name` is what messages call the text: the file's path as the user gave it.
  static JsonDocument Parse(std::string_view text, std::string name);
  static JsonDocument ReadFile(const std::filesystem::path& path);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonReader root() const;  // the document outlives its readers
  const std::string& name() const { return name_; }
  const JsonNode& node(JsonIndex index) const { return nodes_[index]; }

  // RFC 6901: "" for the root, "/streams/0/name"; printable.
  std::string Pointer(JsonIndex index) const;

 private:
  class Builder;
  struct Arena;
  JsonDocument();
  void CheckDuplicateKeys(std::string_view text) const;

  std::string name_;
  std::vector<JsonNode> nodes_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace tandem
