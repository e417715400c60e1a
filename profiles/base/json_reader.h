// Room profiles/base: the ground that everything stands on: errors, ids, time, JSON, files, tables. Knows
// nothing of networks or boards.
//
// Reads one value of a JsonDocument, strictly: a wrong type, a fraction where an integer belongs, a value out
// of range, an unknown or a missing key throws InputError with `file:/json/pointer: what is wrong`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/json_text.h"
#include "profiles/base/suggest.h"
#include "profiles/base/time.h"

namespace tandem {

// A word of a file and what it stands for; OneOf reads it, NameOf writes it.
template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

template <class Value, std::size_t N>
std::string_view NameOf(const std::array<Named<Value>, N>& names, Value value) {
  for (const auto& named : names) {
    if (named.value == value) return named.name;
  }
  return {};
}

class JsonReader {
 public:
  class Iterator {
   public:
    Iterator(const JsonDocument* document, JsonIndex index) : document_(document), index_(index) {}
    JsonReader operator*() const { return JsonReader(*document_, index_); }
    Iterator& operator++() {
      index_ = document_->node(index_).end;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const JsonDocument* document_;
    JsonIndex index_;
  };
  struct Children {
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  JsonReader(const JsonDocument& document, JsonIndex index) : document_(&document), index_(index) {}

  [[noreturn]] void Fail(const std::string& what) const;  // throws InputError("file:/pointer: what")
  std::string Where() const;                              // "file:/pointer"; the root is "file"
  const std::string& file() const { return document_->name(); }

  JsonKind kind() const { return node().kind; }
  bool IsString() const { return kind() == JsonKind::kString; }
  bool IsObject() const { return kind() == JsonKind::kObject; }
  bool IsArray() const { return kind() == JsonKind::kArray; }

  // Of an object. Get is for keys that must be there. `spellings` are known too, and not worth a list.
  void OnlyKeys(std::span<const std::string_view> known,
                std::span<const std::string_view> spellings = {}) const;
  void OnlyKeys(std::initializer_list<std::string_view> known) const {
    OnlyKeys(std::span(known.begin(), known.size()));
  }
  [[noreturn]] void FailUnknown(std::string_view key, std::span<const std::string_view> known,
                                std::span<const std::string_view> spellings) const;
  std::optional<JsonReader> Find(std::string_view key) const;
  JsonReader Get(std::string_view key) const;
  // Of a duration, which is there in the unit of `key` or in another one; an error where it is there twice.
  std::optional<JsonReader> FindTime(std::string_view key) const;
  std::string_view key() const { return node().Key(); }  // under which this value stands

  // Of an array, in order, and of an object (key() tells each member's key).
  Children Elements() const;
  Children Members() const;
  std::size_t size() const;

  // Of a scalar; bounds are inclusive.
  bool Boolean() const;
  std::string_view String() const;  // any string
  std::string Name() const;         // a name: not empty, no control characters, at most 200 bytes
  std::int64_t Integer(std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  std::uint64_t Unsigned() const;  // an integer from 0 to 2^64 - 1
  double Number(double least, double most = std::numeric_limits<double>::max()) const;
  double Positive() const;  // a number above 0
  // A time written in this unit, exact to the nanosecond; more decimals are rounded, a half away from zero.
  Nanos Duration(const WrittenUnit& unit, Nanos least = Nanos{0}, Nanos most = kLongestTime) const;
  Nanos Micros(Nanos least = Nanos{0}, Nanos most = kLongestTime) const {
    return Duration(kMicroseconds, least, most);
  }

  template <class Value, std::size_t N>
  Value OneOf(const std::array<Named<Value>, N>& names, std::string_view what) const {
    const std::string_view word = String();
    std::vector<std::string_view> known;
    for (const auto& named : names) {
      if (named.name == word) return named.value;
      known.push_back(named.name);
    }
    Fail("unknown " + std::string(what) + " " + Quoted(word) + Suggestion(word, known));
  }

 private:
  const JsonNode& node() const { return document_->node(index_); }
  void Expect(JsonKind kind, const char* what) const;
  std::string Found() const;

  const JsonDocument* document_;
  JsonIndex index_;
};

// The value of "tandem", such as "platform/1", of a file of this project; an error where there is none.
std::string_view FileKind(const JsonReader& root);
// The same, required to be `kind`.
void ExpectFileKind(const JsonReader& root, std::string_view kind);

}  // namespace tandem
