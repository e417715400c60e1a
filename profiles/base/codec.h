// How values of one type stand in a file: read strictly, written, and described as a JSON Schema. codecs.h
// has those that there are; fields.h puts them together to the keys of an object.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "profiles/base/check.h"
#include "profiles/base/json_reader.h"
#include "profiles/base/json_write.h"
#include "profiles/base/mistakes.h"
#include "profiles/base/time.h"

namespace tandem {

// What a value is read and written in view of, such as the platform whose memories it names; perhaps inside
// of another context, which outlives it.
class Context {
 public:
  Context() = default;
  template <class T>
  static Context Of(const T& object, const Context* outer = nullptr) {
    return Context(&object, &typeid(T), outer);
  }
  // What could not be read, once `failed` is true, is nothing to judge by; it outlives the context.
  Context UnlessFailed(const bool* failed) const {
    Context context = *this;
    context.failed_ = failed;
    return context;
  }
  template <class T>
  const T& As() const {
    const Context* found = this;
    while (found && !(found->type_ && *found->type_ == typeid(T))) found = found->outer_;
    TANDEM_CHECK(found, "a value is read in the context that it was described for");
    if (found->failed_ && *found->failed_) throw NotJudged();
    return *static_cast<const T*>(found->object_);
  }

 private:
  Context(const void* object, const std::type_info* type, const Context* outer)
      : object_(object), type_(type), outer_(outer) {}

  const void* object_ = nullptr;
  const std::type_info* type_ = nullptr;
  const Context* outer_ = nullptr;
  const bool* failed_ = nullptr;
};

// The members of one node of a JSON Schema, as text.
class SchemaNode {
 public:
  SchemaNode() = default;
  explicit SchemaNode(std::string members)
      : members_(std::move(members)) {}  // `"type": "integer", "minimum": 1`

  SchemaNode& Add(std::string_view key, std::string_view json);
  SchemaNode& AddString(std::string_view key, std::string_view text) { return Add(key, JsonString(text)); }
  std::string Text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// In the "$comment" of a duration's keys: what the reference of a kind leaves out, and what it calls needed.
inline constexpr std::string_view kOtherUnit = "in another unit", kNeededInSomeUnit = "needed in some unit";

// The named parts of one JSON Schema, its "$defs".
class SchemaDefs {
 public:
  explicit SchemaDefs(std::string id = {}) : id_(std::move(id)) {}

  // {"$ref": "ID#/$defs/NAME"}, with the schema's own id: not all validators come back from another schema;
  // `node` makes what stands there, when it is first asked for.
  SchemaNode Ref(std::string_view name, const std::function<SchemaNode()>& node);
  std::string Text() const;  // {} where there are none

 private:
  std::string id_;
  std::vector<std::pair<std::string, std::string>> defs_;
};

// Of a type that the caller knows: codecs of all types in one list.
class AnyCodec {
 public:
  virtual ~AnyCodec() = default;
  // Throws InputError. All of `into` is set.
  virtual void ReadAny(const JsonReader& value, void* into, Context context) const = 0;
  // Appends JSON on one line; nothing where there is no value, which leaves a key out.
  virtual void WriteAny(const void* from, std::string& text, Context context) const = 0;
  // The same as a member of a whole file: a list of objects has one a line.
  virtual void WriteRows(const void* from, std::string& text, Context context) const {
    WriteAny(from, text, context);
  }
  virtual SchemaNode Schema(SchemaDefs& defs) const = 0;
  // The same values written in another unit of time; null where they are no durations.
  virtual std::shared_ptr<const AnyCodec> InUnit(const WrittenUnit&) const { return nullptr; }
};

// There are hundreds of codecs, in rooms that take long to compile: what derives from this has as few
// functions of its own as can be.
template <class Value>
class Codec : public AnyCodec {
 public:
  void Read(const JsonReader& value, Value& into, Context context) const { ReadAny(value, &into, context); }
  void Write(const Value& from, std::string& text, Context context) const { WriteAny(&from, text, context); }
};

template <class Value>
using CodecOf = std::shared_ptr<const Codec<Value>>;

std::shared_ptr<const AnyCodec> Owned(const AnyCodec* codec);

// Counts what `codec` is owned by without a counter of that type's own.
template <class Value>
CodecOf<Value> Owned(const Codec<Value>* codec) {
  return CodecOf<Value>(Owned(static_cast<const AnyCodec*>(codec)), codec);
}
// The same values in the unit, where they are durations.
template <class Value>
CodecOf<Value> InUnit(const CodecOf<Value>& codec, const WrittenUnit& unit) {
  return std::static_pointer_cast<const Codec<Value>>(codec->InUnit(unit));
}

}  // namespace tandem
