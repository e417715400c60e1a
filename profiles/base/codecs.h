// The codecs that descriptions are made of: as::Name(), as::Integer(1, 99), as::ListOf(as::Micros()).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "profiles/base/codec.h"

namespace tandem::as {

CodecOf<std::string> Name();        // as JsonReader::Name
CodecOf<std::string> Text();        // any string
CodecOf<std::string> Words();       // a string that says something: not empty
CodecOf<std::string> TextOrNull();  // null in the file is an empty text
CodecOf<std::string> WordOf(std::vector<std::string_view> words);
CodecOf<bool> Boolean();
CodecOf<std::int64_t> Integer(std::int64_t least,
                              std::int64_t most = std::numeric_limits<std::int64_t>::max());
CodecOf<std::uint64_t> Unsigned();
CodecOf<double> Number(double least, double most = std::numeric_limits<double>::max());
// The same, written so that it reads back as a fraction: 3.0.
CodecOf<double> Figure(double least = std::numeric_limits<double>::lowest(),
                       double most = std::numeric_limits<double>::max());
CodecOf<double> Positive(double most = std::numeric_limits<double>::max());  // above 0
// Durations. A key that Fields describe with one of these takes the other units, too.
CodecOf<Nanos> Micros(Nanos least = Nanos{0}, Nanos most = kLongestTime);
CodecOf<Nanos> Millis(Nanos least = Nanos{0}, Nanos most = kLongestTime);
CodecOf<Nanos> Seconds(Nanos least = Nanos{0}, Nanos most = kLongestTime);
CodecOf<Nanos> WholeNanos(Nanos least = Nanos{0}, Nanos most = kLongestTime);

// A program and its arguments; the messages of what cannot be one.
CodecOf<std::vector<std::string>> Command(std::string_view zero_byte, std::string_view no_program);

struct NoUnits {
  std::nullptr_t operator()(const WrittenUnit&) const { return nullptr; }
};

// A value that is read and written by functions of its own; `schema` are the members of its node, or says
// them.
template <class Value, class Schemer, class Reader, class Writer, class Units>
class CustomCodec final : public Codec<Value> {
 public:
  CustomCodec(Schemer schema, Reader read, Writer write, Units units)
      : schema_(std::move(schema)),
        read_(std::move(read)),
        write_(std::move(write)),
        units_(std::move(units)) {}

  void ReadAny(const JsonReader& value, void* into, Context context) const override {
    read_(value, *static_cast<Value*>(into), context);
  }
  void WriteAny(const void* from, std::string& text, Context context) const override {
    write_(*static_cast<const Value*>(from), text, context);
  }
  SchemaNode Schema(SchemaDefs& defs) const override {
    if constexpr (std::is_convertible_v<Schemer, const char*>) {
      return SchemaNode(schema_);
    } else {
      return schema_(defs);
    }
  }
  std::shared_ptr<const AnyCodec> InUnit(const WrittenUnit& unit) const override { return units_(unit); }

 private:
  Schemer schema_;
  Reader read_;
  Writer write_;
  Units units_;
};

// What is put around `inner` by `wrap` is a duration where that is one.
template <class Inner, class Wrap>
auto UnitsOf(CodecOf<Inner> inner, Wrap wrap) {
  using Wrapped = decltype(wrap(inner));
  return [inner, wrap](const WrittenUnit& unit) -> Wrapped {
    const CodecOf<Inner> other = tandem::InUnit(inner, unit);
    return other ? wrap(other) : nullptr;
  };
}

template <class Value, class Schemer, class Reader, class Writer, class Units = NoUnits>
CodecOf<Value> Custom(Schemer schema, Reader read, Writer write, Units units = {}) {
  return Owned<Value>(new CustomCodec<Value, Schemer, Reader, Writer, Units>(
      std::move(schema), std::move(read), std::move(write), std::move(units)));
}

// A string that is written as it is.
CodecOf<std::string> TextReadBy(
    std::function<SchemaNode(SchemaDefs& defs)> schema,
    std::function<void(const JsonReader& value, std::string& into, Context context)> read);
// A value that is read and never written.
template <class Value, class Schemer, class Reader>
CodecOf<Value> ReadOnly(Schemer schema, Reader read) {
  return Custom<Value>(std::move(schema), std::move(read), [](const Value&, std::string&, Context) {});
}

// The node of a value that is one of these.
SchemaNode AnyOfSchema(const std::vector<SchemaNode>& nodes);

// The node {"enum": [...]}.
SchemaNode EnumSchema(const std::vector<std::string_view>& words);

// One of the words of `names`; `what` is what a message calls it.
template <class Value, std::size_t N>
CodecOf<Value> OneOf(const std::array<Named<Value>, N>& names, std::string_view what) {
  return Custom<Value>(
      [&names](SchemaDefs&) {
        std::vector<std::string_view> words;
        for (const auto& named : names) words.push_back(named.name);
        return EnumSchema(words);
      },
      [&names, what](const JsonReader& value, Value& into, Context) { into = value.OneOf(names, what); },
      [&names](const Value& from, std::string& text, Context) {
        const std::string_view word = NameOf(names, from);
        if (!word.empty()) text += JsonString(word);
      });
}

// What is there, or nothing: the key is left out.
template <class Value>
CodecOf<std::optional<Value>> Maybe(CodecOf<Value> codec) {
  return Custom<std::optional<Value>>(
      [codec](SchemaDefs& defs) { return codec->Schema(defs); },
      [codec](const JsonReader& value, std::optional<Value>& into, Context context) {
        codec->Read(value, into.emplace(), context);
      },
      [codec](const std::optional<Value>& from, std::string& text, Context context) {
        if (from) codec->Write(*from, text, context);
      },
      UnitsOf(codec, [](CodecOf<Value> other) { return Maybe(std::move(other)); }));
}

// The node of a value that may be null.
SchemaNode NullableSchema(const SchemaNode& schema);

// What is there, or null.
template <class Value>
CodecOf<std::optional<Value>> OrNull(CodecOf<Value> codec) {
  return Custom<std::optional<Value>>(
      [codec](SchemaDefs& defs) { return NullableSchema(codec->Schema(defs)); },
      [codec](const JsonReader& value, std::optional<Value>& into, Context context) {
        into.reset();
        if (value.kind() != JsonKind::kNull) codec->Read(value, into.emplace(), context);
      },
      [codec](const std::optional<Value>& from, std::string& text, Context context) {
        if (!from) {
          text += "null";
        } else {
          codec->Write(*from, text, context);
        }
      },
      UnitsOf(codec, [](CodecOf<Value> other) { return OrNull(std::move(other)); }));
}

// How long a list is, and what its messages say. `twice`: no element may be there twice; "the core * is given
// twice", * being the element.
struct ListRule {
  std::size_t least = 0;
  std::string_view few = {};
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::string_view many = {};
  std::string_view twice = {};

  void CheckSize(const JsonReader& list) const;
  SchemaNode Schema(const SchemaNode& element) const;
  [[noreturn]] void FailTwice(const JsonReader& element) const;
};

template <class Element>
class ListCodec final : public Codec<std::vector<Element>> {
 public:
  ListCodec(CodecOf<Element> element, ListRule rule) : element_(std::move(element)), rule_(rule) {}

  void ReadAny(const JsonReader& value, void* list, Context context) const override {
    auto& into = *static_cast<std::vector<Element>*>(list);
    rule_.CheckSize(value);
    into.clear();
    into.reserve(std::min(value.size(), kMostReserved));
    std::set<std::string> seen;
    Mistakes mistakes;
    for (const JsonReader each : value.Elements()) {
      mistakes.Try([&] {
        Element element{};
        element_->Read(each, element, context);
        if (!rule_.twice.empty()) {
          std::string text;
          element_->Write(element, text, context);
          if (!seen.insert(std::move(text)).second) rule_.FailTwice(each);
        }
        into.push_back(std::move(element));
      });
    }
    mistakes.Tell();
  }
  void WriteAny(const void* from, std::string& text, Context context) const override {
    Write(from, text, context, "", ", ", "");
  }
  void WriteRows(const void* from, std::string& text, Context context) const override {
    // Words and numbers stay on a line.
    if constexpr (std::is_class_v<Element> && !std::is_convertible_v<Element, std::string>) {
      const bool empty = static_cast<const std::vector<Element>*>(from)->empty();
      Write(from, text, context, "\n    ", ",\n    ", empty ? "" : "\n  ");
    } else {
      WriteAny(from, text, context);
    }
  }
  SchemaNode Schema(SchemaDefs& defs) const override { return rule_.Schema(element_->Schema(defs)); }
  std::shared_ptr<const AnyCodec> InUnit(const WrittenUnit& unit) const override {
    const CodecOf<Element> element = tandem::InUnit(element_, unit);
    return element ? Owned<std::vector<Element>>(new ListCodec(element, rule_)) : nullptr;
  }

 private:
  static constexpr std::size_t kMostReserved = std::size_t{1} << 18;  // what a file says is not yet trusted

  void Write(const void* from, std::string& text, Context context, const char* first, const char* next,
             const char* last) const {
    text += '[';
    const char* separator = first;
    for (const auto& element : *static_cast<const std::vector<Element>*>(from)) {
      text += separator;
      element_->Write(element, text, context);
      separator = next;
    }
    text += last;
    text += ']';
  }

  CodecOf<Element> element_;
  ListRule rule_;
};

template <class Element>
CodecOf<std::vector<Element>> ListOf(CodecOf<Element> element, ListRule rule = {}) {
  return Owned<std::vector<Element>>(new ListCodec<Element>(std::move(element), rule));
}

// A list that is only written, each element behind `before`, such as "\n   ".
template <class Element>
CodecOf<std::vector<Element>> LinesOf(CodecOf<Element> element, std::string_view before, ListRule rule = {}) {
  return Custom<std::vector<Element>>(
      [element, rule](SchemaDefs& defs) { return rule.Schema(element->Schema(defs)); },
      [](const JsonReader& value, std::vector<Element>&, Context) {
        value.Fail("this key is written and never read");
      },
      [element, before](const std::vector<Element>& from, std::string& text, Context context) {
        text += '[';
        for (const Element& each : from) {
          if (text.back() != '[') text += ',';
          text += before;
          element->Write(each, text, context);
        }
        text += ']';
      });
}

// The node of an object with any keys.
SchemaNode MapSchema(const SchemaNode& value);

// An object with any keys; they are written in order.
template <class Value>
CodecOf<std::map<std::string, Value>> MapOf(CodecOf<Value> codec) {
  using Map = std::map<std::string, Value>;
  return Custom<Map>([codec](SchemaDefs& defs) { return MapSchema(codec->Schema(defs)); },
                     [codec](const JsonReader& value, Map& into, Context context) {
                       into.clear();
                       Mistakes mistakes;
                       for (const JsonReader member : value.Members()) {
                         mistakes.Try([&] { codec->Read(member, into[std::string(member.key())], context); });
                       }
                       mistakes.Tell();
                     },
                     [codec](const Map& from, std::string& text, Context context) {
                       text += '{';
                       for (const auto& [key, value] : from) {
                         if (text.back() != '{') text += ", ";
                         text += JsonString(key) + ": ";
                         codec->Write(value, text, context);
                       }
                       text += '}';
                     },
                     UnitsOf(codec, [](CodecOf<Value> other) { return MapOf(std::move(other)); }));
}

}  // namespace tandem::as
