#include "profiles/base/json_text.h"

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "profiles/base/check.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/printable.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::size_t kDeepest = 64;                         // levels of nesting; our own files need 6
constexpr std::size_t kMostValues = 20'000'000;              // 640 MB of nodes
constexpr std::size_t kMostKeys = 100'000;                   // of one object
constexpr std::size_t kLongestToken = 60;                    // bytes of the file that a message repeats
constexpr std::size_t kLargestToken = std::size_t{4} << 20;  // bytes of the file
constexpr std::size_t kSmallObject = 16;  // so many keys are compared with each other, more are hashed

std::string LineAndColumn(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return std::to_string(line) + ":" + std::to_string(offset - line_start + 1);
}

// A token may be as long as the file.
std::string Shortened(std::string_view token) {
  if (token.size() <= kLongestToken) return std::string(token);
  std::size_t length = kLongestToken;
  while (length > kLongestToken - 3 && (token[length] & 0xC0) == 0x80) --length;  // whole UTF-8 sequences
  return std::string(token.substr(0, length)) + "...";
}

// A file that another one names may be no JSON, and anybody's; what says its kind is one of ours.
bool Quotes(const std::string& name, std::string_view text) {
  return MayBeQuoted(name) || text.find("\"tandem\"") != std::string_view::npos;
}

// The library's sentence without its own prefix "[json.exception....] parse error at line 1, column 2: ", and
// with no more of the token that was read last than a message should have.
std::string PlainSentence(std::string sentence, const std::string& token, bool quotes) {
  const std::string last_read = "; last read: '" + token + "'";
  if (const auto quote = sentence.rfind(last_read); !quotes && quote != std::string::npos) {
    sentence.erase(quote, last_read.size());
  }
  if (const auto quote = sentence.rfind("'" + token + "'"); quote != std::string::npos) {
    sentence.replace(quote + 1, token.size(), Shortened(token));
  }
  if (const auto bracket = sentence.find("] "); bracket != std::string::npos) sentence.erase(0, bracket + 2);
  if (sentence.starts_with("parse error")) {
    if (const auto colon = sentence.find(": "); colon != std::string::npos) sentence.erase(0, colon + 2);
  }
  return sentence;
}

// What people write that other notations have and JSON has not; the parser would say what it expected
// instead.
struct Slip {
  std::size_t offset = 0;
  std::string what;  // empty: none
};

// `offset`: of what the parser did not understand.
Slip SlipAt(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  for (const std::string_view comment : {"//", "/*", "#"}) {
    if (!rest.starts_with(comment)) continue;
    return {offset, "JSON has no comments: remove what begins with " + std::string(comment)};
  }
  for (const std::string_view number : {"NaN", "Infinity"}) {  // as Python writes them
    if (rest.starts_with(number)) return {offset, "JSON has no " + std::string(number)};
  }
  if (rest.starts_with("'")) return {offset, "JSON has its strings in \"...\", not in '...'"};
  const std::size_t before = text.substr(0, offset).find_last_not_of(" \t\r\n");
  const bool closes = rest.starts_with("]") || rest.starts_with("}");
  if (!closes || before == std::string_view::npos || text[before] != ',') return {};
  return {before, std::string("a comma after the last ") +
                      (rest[0] == ']' ? "element of the array" : "key of the object") + ": remove it"};
}

// The parser keeps what it reads several times over until the next token begins, white space as well.
void CheckTokens(std::string_view text, const std::string& name) {
  bool in_string = false;
  std::size_t first = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++at;
    const bool ends = in_string ? c == '"' : c == '"' || c == ',' || c == ':' || c == '[' || c == '{';
    if (ends) first = at;
    if (at - first <= kLargestToken) continue;
    throw InputError(name + ":" + LineAndColumn(text, first) +
                     ": a string, a number or white space of more than 4 MiB begins here");
  }
}

}  // namespace

struct JsonDocument::Arena {
  std::pmr::monotonic_buffer_resource memory{1 << 16};

  const char* Keep(std::string_view text) {
    if (text.empty()) return "";
    char* kept = static_cast<char*>(memory.allocate(text.size(), 1));
    std::memcpy(kept, text.data(), text.size());
    return kept;
  }
};

// Receives the parser's events. A handler that returns false stops the parser; error_ then says why.
class JsonDocument::Builder : public nlohmann::json::json_sax_t {
 public:
  Builder(JsonDocument& document, std::string_view text) : document_(document), text_(text) {}

  bool null() override { return Add(JsonKind::kNull); }
  bool boolean(bool value) override { return Add(value ? JsonKind::kTrue : JsonKind::kFalse); }
  bool number_integer(number_integer_t value) override { return AddInteger(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return std::in_range<std::int64_t>(value) ? AddInteger(static_cast<std::int64_t>(value))
                                              : AddText(JsonKind::kDecimal, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& token) override {
    return AddText(JsonKind::kDecimal, token);
  }
  bool string(string_t& value) override { return AddText(JsonKind::kString, value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return OpenNode(JsonKind::kObject); }
  bool start_array(std::size_t) override { return OpenNode(JsonKind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& value) override {
    key_ = {document_.arena_->Keep(value), value.size()};
    if (++open_.back().keys <= kMostKeys) return true;
    error_ = ": an object holds more than " + std::to_string(kMostKeys) + " keys, the most that is read";
    return false;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const std::size_t offset = position == 0 ? 0 : position - 1;
    const bool quotes = Quotes(document_.name_, text_);
    const bool in_string = std::string_view(error.what()).find("invalid string") != std::string_view::npos;
    Slip slip = in_string ? Slip{} : SlipAt(text_, offset);
    if (slip.what.empty()) slip = {offset, PlainSentence(error.what(), token, quotes)};
    if (error.id == 406) {
      slip = {offset, quotes ? "the number " + Shortened(token) + " is too large" : "a number is too large"};
    }
    error_ = ":" + LineAndColumn(text_, slip.offset) + ": " + slip.what;
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  bool Add(JsonKind kind) {
    if (document_.nodes_.size() >= kMostValues) {
      error_ =
          ": holds more than " + std::to_string(kMostValues) + " values, the most that is read from one file";
      return false;
    }
    JsonNode node{};
    node.kind = kind;
    node.key = key_.data();
    node.key_length = static_cast<std::uint32_t>(key_.size());
    node.end = static_cast<JsonIndex>(document_.nodes_.size() + 1);
    key_ = {};
    document_.nodes_.push_back(node);
    return true;
  }

  bool AddInteger(std::int64_t value) {
    if (!Add(JsonKind::kInteger)) return false;
    document_.nodes_.back().integer = value;
    return true;
  }

  bool AddText(JsonKind kind, const std::string& text) {
    if (!Add(kind)) return false;
    document_.nodes_.back().text = document_.arena_->Keep(text);
    document_.nodes_.back().text_length = static_cast<std::uint32_t>(text.size());
    return true;
  }

  bool OpenNode(JsonKind kind) {
    if (open_.size() >= kDeepest) {
      error_ = ": is nested deeper than " + std::to_string(kDeepest) + " levels";
      return false;
    }
    open_.push_back({static_cast<JsonIndex>(document_.nodes_.size()), 0});
    return Add(kind);
  }

  bool Close() {
    document_.nodes_[open_.back().index].end = static_cast<JsonIndex>(document_.nodes_.size());
    open_.pop_back();
    return true;
  }

  JsonDocument& document_;
  std::string_view text_;
  std::string_view key_;
  struct Open {
    JsonIndex index;
    std::size_t keys;
  };
  std::vector<Open> open_;
  std::string error_;
};

JsonDocument::JsonDocument() : arena_(std::make_unique<Arena>()) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

JsonDocument JsonDocument::Parse(std::string_view text, std::string name) {
  JsonDocument document;
  document.name_ = std::move(name);
  // The parser takes a NUL byte for the end of the text, and would let pass whatever comes after it.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    throw InputError(document.name_ + ":" + LineAndColumn(text, nul) + ": a NUL byte; JSON is text in UTF-8");
  }
  CheckTokens(text, document.name_);
  Builder builder(document, text);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    throw InputError(document.name_ + builder.error());
  }
  document.CheckDuplicateKeys(text);
  return document;
}

JsonDocument JsonDocument::ReadFile(const std::filesystem::path& path) {
  return Parse(ReadTextFile(path, JsonLimit), NameOfInput(path));
}

JsonReader JsonDocument::root() const { return JsonReader(*this, 0); }

std::string JsonDocument::Pointer(JsonIndex index) const {
  std::string pointer;
  JsonIndex at = 0;
  while (at != index) {
    TANDEM_CHECK(index < nodes_[at].end, "a value lies inside its parents");
    std::size_t position = 0;
    JsonIndex child = at + 1;
    for (; nodes_[child].end <= index; child = nodes_[child].end) ++position;
    pointer += '/';
    if (nodes_[at].kind == JsonKind::kArray) {
      pointer += std::to_string(position);
    } else {
      for (const char c : PrintableLine(nodes_[child].Key()))
        pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    at = child;
  }
  return pointer;
}

void JsonDocument::CheckDuplicateKeys(std::string_view text) const {
  std::vector<std::string_view> keys;
  std::unordered_set<std::string_view> seen;
  for (JsonIndex at = 0; at < nodes_.size(); ++at) {
    if (nodes_[at].kind != JsonKind::kObject) continue;
    keys.clear();
    seen.clear();
    for (JsonIndex child = at + 1; child < nodes_[at].end; child = nodes_[child].end) {
      const std::string_view key = nodes_[child].Key();
      const bool twice = keys.size() < kSmallObject ? std::find(keys.begin(), keys.end(), key) != keys.end()
                                                    : seen.contains(key);
      if (twice && !Quotes(name_, text)) throw InputError(name_ + ": a key is given twice");
      if (twice) JsonReader(*this, at).Fail("the key " + Quoted(key) + " is given twice");
      keys.push_back(key);
      if (keys.size() == kSmallObject) seen.insert(keys.begin(), keys.end());
      if (keys.size() > kSmallObject) seen.insert(key);
    }
  }
}

}  // namespace tandem
