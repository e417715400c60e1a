// The keys of an object in a file and the members of the struct that they fill, described once. Reader,
// writer, the suggestions for unknown keys, the JSON Schema and the reference in docs/formats.md come from
// it:
//
//   const Fields<Memory>& MemoryFields() {
//     static const auto fields = Fields<Memory>("memory")
//         .Needed("name", &Memory::name, as::Name())
//         .Optional("capacity_bytes", &Memory::capacity_bytes, as::Integer(1, kMostBytes), "unlimited where
//         absent");
//     return fields;
//   }
//
// The key of a duration names the unit that is written, "deadline_us"; it is read in the other ones, too.
//
// Reading judges unknown keys first and then takes the steps in the order in which they are described; rules
// between keys are steps too. All keys are read, and what is wrong with each is told together; behind the
// first mistake no rule is judged, and nothing that is read in view of the object.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "profiles/base/codecs.h"

namespace tandem {

// What Fields<T> does without knowing T.
class AnyFields {
 public:
  void ReadAny(const JsonReader& value, void* into, Context context) const;
  void WriteAny(const void* from, std::string& text, Context context) const;  // {"a": 1, "b": "x"}
  // A whole file: a member a line, and a list of objects has one of them a line.
  std::string FileAny(const void* from, Context context) const;
  // {"$ref": ...} where the fields have a name, all of it where not.
  SchemaNode Schema(SchemaDefs& defs) const;
  SchemaNode WholeSchema(SchemaDefs& defs, bool in_place) const;

  // For an object that has keys of somebody else's, too: without judging unknown keys, without braces.
  std::vector<std::string_view> Keys() const;
  std::vector<std::string_view> OtherSpellings() const;  // of durations, in other units
  void ReadSteps(const JsonReader& value, void* into, Context context) const;
  void WriteMembers(const void* from, JsonObject& into, Context context) const;
  void AddToSchema(SchemaDefs& defs, std::vector<std::string>& required, SchemaNode& properties,
                   std::vector<std::string>& rules) const;

  std::string_view kind() const { return kind_; }
  std::string_view help() const { return help_; }

 protected:
  using Check = std::function<void(const JsonReader& value, void* read, Context context)>;
  struct Step {
    std::string_view key;  // empty: a rule
    std::string_view help;
    std::ptrdiff_t offset = 0;  // of the member in the struct
    bool needed = false;
    bool always = false;  // written even where it has its default
    std::shared_ptr<const AnyCodec> codec = {};
    std::string opening = {};   // `"key": `
    std::string standard = {};  // the default as it would be written; empty: there is none
    Check check = {};
    std::string fragment = {};  // of a rule: the schema that says the same, as far as one can
    bool later = false;         // read behind those that are not
    bool regardless = false;    // a rule that is asked whatever else is wrong
    bool new_line = false;      // it begins a line, also where the object stands on one
    std::function<std::string(const void*)> written_key = {};  // where `key` is a pattern
    struct Spelling {
      std::string key;
      std::string_view unit;  // "milliseconds"
      std::shared_ptr<const AnyCodec> codec;
    };
    std::vector<Spelling> others = {};  // of a duration, in the other units
  };

  AnyFields(std::string_view name, std::string_view help) : name_(name), help_(help) {}
  void Add(Step step);
  // The codec of the member at `offset`. `fresh`: a new object, of whose member the default is.
  void AddNeeded(std::string_view key, std::string_view help, std::ptrdiff_t offset,
                 std::shared_ptr<const AnyCodec> codec);
  void AddOptional(std::string_view key, std::string_view help, std::ptrdiff_t offset,
                   std::shared_ptr<const AnyCodec> codec, const void* fresh = nullptr);
  void Take(const AnyFields& part, std::ptrdiff_t offset);

  std::string_view name_, help_, kind_;
  bool kind_in_place_ = true;  // must "tandem" be there where the object is no file of its own?
  // What the object's own fields are read in view of.
  std::function<Context(const void* object, const Context& outer)> inside_;
  std::vector<Step> steps_;

 private:
  void ReadKeys(const JsonReader& value, void* into, Context context, Mistakes& mistakes) const;
  static bool IsSpelled(const Step& step, std::string_view key);
  static void ReadKey(const Step& step, const JsonReader& value, void* member, Context context);
  static void AddOthersToSchema(const Step& step, SchemaDefs& defs, SchemaNode& properties,
                                std::vector<std::string>& rules);
  bool WriteStep(const Step& step, const void* from, std::string& text, Context context, bool rows) const;
};

template <class T>
class Fields : public AnyFields {
 public:
  // `name`: of its part of a schema; must then be the only one of this name in a file.
  explicit Fields(std::string_view name = {}, std::string_view help = {}) : AnyFields(name, help) {}

  // A file of this kind, "platform/1"; in_place: whether it says so where it stands inside another file, too.
  Fields& Kind(std::string_view kind, bool in_place = true) {
    kind_ = kind;
    kind_in_place_ = in_place;
    return *this;
  }
  // What stands inside is read and written in the context of this object, or of a member of it.
  Fields& IsContext() {
    inside_ = [](const void* object, const Context& outer) {
      return Context::Of(*static_cast<const T*>(object), &outer);
    };
    return *this;
  }
  template <class Member>
  Fields& IsContext(Member T::*member) {
    inside_ = [member](const void* object, const Context& outer) {
      return Context::Of(static_cast<const T*>(object)->*member, &outer);
    };
    return *this;
  }

  template <class Value, class Base>
  Fields& Needed(std::string_view key, Value Base::*member, CodecOf<std::type_identity_t<Value>> codec,
                 std::string_view help = {}) {
    AddNeeded(key, help, OffsetOf(static_cast<Value T::*>(member)), std::move(codec));
    return *this;
  }
  // Left out of the writing where it has its default, which is the member's of a new T.
  template <class Value, class Base>
  Fields& Optional(std::string_view key, Value Base::*member, CodecOf<std::type_identity_t<Value>> codec,
                   std::string_view help = {}) {
    AddOptional(key, help, OffsetOf(static_cast<Value T::*>(member)), std::move(codec), &Fresh());
    return *this;
  }
  template <class Value, class Base>
  Fields& Optional(std::string_view key, std::optional<Value> Base::*member,
                   CodecOf<std::type_identity_t<Value>> codec, std::string_view help = {}) {
    AddOptional(key, help, OffsetOf(static_cast<std::optional<Value> T::*>(member)),
                as::Maybe(std::move(codec)));
    return *this;
  }
  // What counts where the last one is absent, as it is written: not what the member of a new T has. Empty:
  // it depends.
  Fields& Default(std::string json) {
    steps_.back().standard = std::move(json);
    return *this;
  }
  // The last one is read behind all that are not, in whose view it is.
  Fields& Later() {
    steps_.back().later = true;
    return *this;
  }
  // The last one, a rule, is asked whatever is wrong with the steps before it: it needs nothing of them.
  Fields& Regardless() {
    steps_.back().regardless = true;
    return *this;
  }
  // The last one is written even where it has its default.
  Fields& Always() {
    steps_.back().always = true;
    return *this;
  }

  // A key that fills no member of its own: `set` takes what was read; `get` says what is to be written, if
  // anything.
  template <class Value>
  Fields& Own(std::string_view key, CodecOf<Value> codec,
              std::type_identity_t<std::optional<Value> (*)(const T&)> get,
              std::type_identity_t<void (*)(T&, Value)> set, std::string_view help = {}) {
    AddOptional(key, help, 0, OwnCodec<Value>(std::move(codec), get, set));
    return *this;
  }
  // The last one must be there.
  Fields& MustBeThere() {
    steps_.back().needed = true;
    return *this;
  }

  // A key that is only read.
  template <class Value>
  Fields& Reads(std::string_view key, CodecOf<Value> codec,
                std::type_identity_t<void (*)(T& into, Value read)> set, std::string_view help = {}) {
    return Own(
        key, std::move(codec), [](const T&) -> std::optional<Value> { return std::nullopt; }, set, help);
  }

  // A key that is only written: `get` makes it of the object, or of that and the Context.
  template <class Value, class Get>
  Fields& Says(std::string_view key, CodecOf<Value> codec, Get get, std::string_view help = {}) {
    AddNeeded(key, help, 0, Written<Value>(codec, get));
    return *this;
  }
  template <class Value, class Get>
  Fields& MaySay(std::string_view key, CodecOf<Value> codec, Get get, std::string_view help = {}) {
    AddOptional(key, help, 0, Written<std::optional<Value>>(as::Maybe(codec), get));
    return Always();
  }
  // The same under a key that `key_of` tells, of this pattern.
  template <class Value, class Get>
  Fields& Says(std::string_view pattern, std::string (*key_of)(const T&), CodecOf<Value> codec, Get get) {
    Says(pattern, codec, get);
    steps_.back().written_key = [key_of](const void* from) { return key_of(*static_cast<const T*>(from)); };
    return *this;
  }
  // The last one begins a line.
  Fields& OnNewLine() {
    steps_.back().new_line = true;
    return *this;
  }

  // All fields of another struct, in the same object.
  template <class Member>
  Fields& Part(Member T::*member, const Fields<Member>& part) {
    Take(part, OffsetOf(member));
    return *this;
  }

  // What is not right is told by value.Fail; `read` has what the steps before have filled. `fragment`: a
  // schema, as far as one can say it.
  Fields& Rule(std::type_identity_t<void (*)(const JsonReader& value, const T& read, Context context)> check,
               std::string_view fragment = {}) {
    return AddCheck(check, fragment);
  }
  // The same for what several keys say together: it may fill members.
  Fields& Then(std::type_identity_t<void (*)(const JsonReader& value, T& into, Context context)> fill,
               std::string_view fragment = {}) {
    return AddCheck(fill, fragment);
  }

  void Read(const JsonReader& value, T& into, Context context = {}) const { ReadAny(value, &into, context); }
  T Read(const JsonReader& value, Context context = {}) const {
    T into{};
    ReadAny(value, &into, context);
    return into;
  }
  std::string Text(const T& from, Context context = {}) const {
    std::string text;
    WriteAny(&from, text, context);
    return text;
  }
  std::string File(const T& from, Context context = {}) const { return FileAny(&from, context); }

 private:
  template <class Function>
  Fields& AddCheck(Function check, std::string_view fragment) {
    Step step;
    step.check = [check](const JsonReader& value, void* read, Context context) {
      check(value, *static_cast<T*>(read), context);
    };
    step.fragment = fragment;
    Add(std::move(step));
    return *this;
  }
  template <class Value>
  static CodecOf<T> OwnCodec(CodecOf<Value> codec, std::optional<Value> (*get)(const T&),
                             void (*set)(T&, Value)) {
    return as::Custom<T>([codec](SchemaDefs& defs) { return codec->Schema(defs); },
                         [codec, set](const JsonReader& value, T& into, Context context) {
                           Value read_value{};
                           codec->Read(value, read_value, context);
                           set(into, std::move(read_value));
                         },
                         [codec, get](const T& from, std::string& text, Context context) {
                           if (const std::optional<Value> value = get(from))
                             codec->Write(*value, text, context);
                         },
                         as::UnitsOf(codec, [get, set](CodecOf<Value> other) {
                           return OwnCodec<Value>(std::move(other), get, set);
                         }));
  }
  template <class Value, class Get>
  static CodecOf<T> Written(CodecOf<Value> codec, Get get) {
    return as::Custom<T>(
        [codec](SchemaDefs& defs) { return codec->Schema(defs); },
        [](const JsonReader& value, T&, Context) { value.Fail("this key is written and never read"); },
        [codec, get](const T& from, std::string& text, Context context) {
          if constexpr (std::is_invocable_v<Get, const T&, Context>) {
            codec->Write(get(from, context), text, context);
          } else {
            codec->Write(get(from), text, context);
          }
        });
  }
  static const T& Fresh() {
    static const T object{};
    return object;
  }
  template <class Member>
  static std::ptrdiff_t OffsetOf(Member T::*member) {
    return reinterpret_cast<const char*>(&(Fresh().*member)) - reinterpret_cast<const char*>(&Fresh());
  }
};

namespace as {

// An object with these fields, which outlive the codec.
template <class T>
CodecOf<T> ObjectOf(const Fields<T>& fields) {
  const Fields<T>* const of = &fields;
  return Custom<T>(
      [of](SchemaDefs& defs) { return of->Schema(defs); },
      [of](const JsonReader& value, T& into, Context context) { of->ReadAny(value, &into, context); },
      [of](const T& from, std::string& text, Context context) { of->WriteAny(&from, text, context); });
}

}  // namespace as
}  // namespace tandem
