// The keys of an operation's attributes in a model file: one description for reading and writing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/model/attributes.h"

namespace tandem {

// What a model file holds under a key.
using FieldValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

struct AttributeField {
  std::string_view key;
  bool required;  // else it may be left out where it has its default
  std::function<void(const JsonReader& value, Attributes& to)> read;
  std::function<FieldValue(const Attributes& from)> value;
};

struct AttributesType {
  Attributes defaults;
  std::vector<AttributeField> fields;
};

// One pair of functions per type of a field. Shape inference judges the numbers, for every source alike.
void ReadField(const JsonReader& value, bool& to);
void ReadField(const JsonReader& value, std::int64_t& to);
void ReadField(const JsonReader& value, double& to);
void ReadField(const JsonReader& value, std::vector<std::int64_t>& to);
void ReadField(const JsonReader& value, std::vector<double>& to);
void ReadField(const JsonReader& value, Extent& to);
void ReadField(const JsonReader& value, Padding& to);
void ReadField(const JsonReader& value, PadMode& to);
void ReadField(const JsonReader& value, UpsampleMode& to);

template <class Value>
FieldValue ValueOf(const Value& value) {
  return value;
}
FieldValue ValueOf(const Extent& extent);
FieldValue ValueOf(const Padding& pad);
FieldValue ValueOf(PadMode mode);
FieldValue ValueOf(UpsampleMode mode);

template <class A, class Value>
AttributeField Field(std::string_view key, Value A::*member, bool required = false) {
  return {key, required,
          [member](const JsonReader& value, Attributes& to) { ReadField(value, to.As<A>().*member); },
          [member](const Attributes& from) { return ValueOf(from.As<A>().*member); }};
}
template <class A, class Value>
AttributeField Needed(std::string_view key, Value A::*member) {
  return Field(key, member, true);
}

}  // namespace tandem
