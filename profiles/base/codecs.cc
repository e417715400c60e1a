#include "profiles/base/codecs.h"

#include <nlohmann/json.hpp>

#include "profiles/base/decimal.h"

namespace tandem {

SchemaNode& SchemaNode::Add(std::string_view key, std::string_view json) {
  if (!members_.empty()) members_ += ", ";
  members_ += JsonString(key) + ": ";
  members_ += json;
  return *this;
}

std::shared_ptr<const AnyCodec> Owned(const AnyCodec* codec) {
  return std::shared_ptr<const AnyCodec>(codec);
}

SchemaNode SchemaDefs::Ref(std::string_view name, const std::function<SchemaNode()>& node) {
  const auto known = [&](const auto& def) { return def.first == name; };
  if (std::find_if(defs_.begin(), defs_.end(), known) == defs_.end()) {
    const std::size_t place = defs_.size();
    defs_.emplace_back(name, "");  // before `node`, which may refer to itself
    std::string text = node().Text();
    defs_[place].second = std::move(text);
  }
  return SchemaNode().AddString("$ref", id_ + "#/$defs/" + std::string(name));
}

std::string SchemaDefs::Text() const {
  SchemaNode defs;
  for (const auto& [name, node] : defs_) defs.Add(name, node);
  return defs.Text();
}

}  // namespace tandem

namespace tandem::as {
namespace {

// A scalar: neither context nor definitions.
template <class Value>
CodecOf<Value> Scalar(SchemaNode schema, std::function<Value(const JsonReader&)> read,
                      std::function<std::string(const Value&)> write) {
  return Custom<Value>(
      [schema = std::move(schema)](SchemaDefs&) { return schema; },
      [read = std::move(read)](const JsonReader& value, Value& into, Context) { into = read(value); },
      [write = std::move(write)](const Value& from, std::string& text, Context) { text += write(from); });
}

template <class Value>
SchemaNode Bounds(const char* type, Value least, Value most, std::string (*text)(Value)) {
  SchemaNode schema;
  schema.AddString("type", type);
  if (least > std::numeric_limits<Value>::lowest()) schema.Add("minimum", text(least));
  if (most < std::numeric_limits<Value>::max()) schema.Add("maximum", text(most));
  return schema;
}

std::string IntegerText(std::int64_t value) { return std::to_string(value); }

CodecOf<Nanos> Time(const WrittenUnit& unit, Nanos least, Nanos most) {
  SchemaNode schema;
  schema.AddString("type", "number").Add("minimum", DecimalText(least.count(), unit.decimals));
  schema.Add("maximum", DecimalText(most.count(), unit.decimals));
  return Custom<Nanos>(
      [schema](SchemaDefs&) { return schema; },
      [=](const JsonReader& value, Nanos& into, Context) { into = value.Duration(unit, least, most); },
      [=](Nanos time, std::string& text, Context) { text += DecimalText(time.count(), unit.decimals); },
      [=](const WrittenUnit& other) { return Time(other, least, most); });
}

std::string Written(const std::string& text) { return JsonString(text); }

}  // namespace

CodecOf<std::string> Name() {
  const auto schema = [](SchemaDefs& defs) {
    return defs.Ref("name", [] {
      return SchemaNode(
          R"("type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\u0000-\\u001f\\u007f]*$")");
    });
  };
  return TextReadBy(schema, [](const JsonReader& value, std::string& into, Context) { into = value.Name(); });
}

CodecOf<std::string> TextReadBy(
    std::function<SchemaNode(SchemaDefs& defs)> schema,
    std::function<void(const JsonReader& value, std::string& into, Context context)> read) {
  return Custom<std::string>(
      std::move(schema), std::move(read),
      [](const std::string& from, std::string& text, Context) { text += JsonString(from); });
}

CodecOf<std::string> Text() {
  return Scalar<std::string>(
      SchemaNode(R"("type": "string")"), [](const JsonReader& value) { return std::string(value.String()); },
      Written);
}

CodecOf<std::string> Words() {
  return Scalar<std::string>(
      SchemaNode(R"("type": "string", "minLength": 1)"),
      [](const JsonReader& value) {
        if (value.String().empty()) value.Fail("must not be empty");
        return std::string(value.String());
      },
      Written);
}

CodecOf<std::string> TextOrNull() {
  return Scalar<std::string>(
      SchemaNode(R"("type": ["string", "null"])"),
      [](const JsonReader& value) {
        return value.kind() == JsonKind::kNull ? std::string() : std::string(value.String());
      },
      [](const std::string& text) { return text.empty() ? "null" : JsonString(text); });
}

CodecOf<std::string> WordOf(std::vector<std::string_view> words) {
  return Scalar<std::string>(
      EnumSchema(words),
      [words](const JsonReader& value) {
        const std::string_view word = value.String();
        if (std::find(words.begin(), words.end(), word) == words.end()) {
          value.Fail("unknown word " + Quoted(word) + Suggestion(word, words));
        }
        return std::string(word);
      },
      Written);
}

CodecOf<bool> Boolean() {
  return Scalar<bool>(
      SchemaNode(R"("type": "boolean")"), [](const JsonReader& value) { return value.Boolean(); },
      [](bool value) { return std::string(value ? "true" : "false"); });
}

CodecOf<std::int64_t> Integer(std::int64_t least, std::int64_t most) {
  return Scalar<std::int64_t>(
      Bounds("integer", least, most, IntegerText),
      [=](const JsonReader& value) { return value.Integer(least, most); }, IntegerText);
}

CodecOf<std::uint64_t> Unsigned() {
  return Scalar<std::uint64_t>(
      SchemaNode(R"("type": "integer", "minimum": 0, "maximum": 18446744073709551615)"),
      [](const JsonReader& value) { return value.Unsigned(); },
      [](std::uint64_t value) { return std::to_string(value); });
}

CodecOf<double> Number(double least, double most) {
  return Scalar<double>(
      Bounds("number", least, most, JsonNumber),
      [=](const JsonReader& value) { return value.Number(least, most); }, JsonNumber);
}

CodecOf<double> Figure(double least, double most) {
  return Scalar<double>(
      Bounds("number", least, most, JsonNumber),
      [=](const JsonReader& value) { return value.Number(least, most); },
      [](double value) { return nlohmann::json(value).dump(); });
}

CodecOf<double> Positive(double most) {
  SchemaNode schema(R"("type": "number", "exclusiveMinimum": 0)");
  if (most < std::numeric_limits<double>::max()) schema.Add("maximum", JsonNumber(most));
  return Scalar<double>(
      schema,
      [=](const JsonReader& value) {
        const double number = value.Positive();
        return number > most ? value.Number(0, most) : number;
      },
      JsonNumber);
}

CodecOf<Nanos> Micros(Nanos least, Nanos most) { return Time(kMicroseconds, least, most); }
CodecOf<Nanos> Millis(Nanos least, Nanos most) { return Time(kMilliseconds, least, most); }
CodecOf<Nanos> Seconds(Nanos least, Nanos most) { return Time(kSeconds, least, most); }

CodecOf<Nanos> WholeNanos(Nanos least, Nanos most) {
  return Scalar<Nanos>(
      Bounds("integer", least.count(), most.count(), IntegerText),
      [=](const JsonReader& value) { return Nanos{value.Integer(least.count(), most.count())}; },
      [](Nanos time) { return IntegerText(time.count()); });
}

CodecOf<std::vector<std::string>> Command(std::string_view zero_byte, std::string_view no_program) {
  return Custom<std::vector<std::string>>(
      R"("type": "array", "minItems": 1, "prefixItems": [{"type": "string", "minLength": 1}],)"
      R"( "items": {"type": "string", "pattern": "^[^\\u0000]*$"})",
      [=](const JsonReader& value, std::vector<std::string>& into, Context) {
        into.clear();
        for (const JsonReader word : value.Elements()) {
          if (word.String().find('\0') != std::string_view::npos) word.Fail(std::string(zero_byte));
          into.emplace_back(word.String());
        }
        if (into.empty() || into[0].empty()) value.Fail(std::string(no_program));
      },
      [](const std::vector<std::string>& from, std::string& text, Context) {
        if (!from.empty()) text += JsonStrings(from);
      });
}

SchemaNode EnumSchema(const std::vector<std::string_view>& words) {
  return SchemaNode().Add("enum", JsonStrings({words.begin(), words.end()}));
}

SchemaNode AnyOfSchema(const std::vector<SchemaNode>& nodes) {
  std::string list;
  for (const SchemaNode& node : nodes) list += (list.empty() ? "" : ", ") + node.Text();
  return SchemaNode().Add("anyOf", "[" + list + "]");
}

SchemaNode NullableSchema(const SchemaNode& schema) {
  return AnyOfSchema({schema, SchemaNode(R"("type": "null")")});
}

SchemaNode MapSchema(const SchemaNode& value) {
  return SchemaNode(R"("type": "object")").Add("additionalProperties", value.Text());
}

void ListRule::CheckSize(const JsonReader& list) const {
  (void)list.Elements();  // is an array
  if (least == 0 && most == std::numeric_limits<std::size_t>::max()) return;
  const std::size_t size = list.size();
  if (size < least) list.Fail(std::string(few));
  if (size > most) list.Fail(std::string(many));
}

SchemaNode ListRule::Schema(const SchemaNode& element) const {
  SchemaNode schema(R"("type": "array")");
  if (least > 0) schema.Add("minItems", std::to_string(least));
  if (most < std::numeric_limits<std::size_t>::max()) schema.Add("maxItems", std::to_string(most));
  if (!twice.empty()) schema.Add("uniqueItems", "true");
  return schema.Add("items", element.Text());
}

void ListRule::FailTwice(const JsonReader& element) const {
  const std::string shown = element.IsString()
                                ? Quoted(element.String())
                                : std::to_string(element.Integer(std::numeric_limits<std::int64_t>::min()));
  const std::size_t star = twice.find('*');
  if (star == std::string_view::npos) element.Fail(std::string(twice));
  element.Fail(std::string(twice.substr(0, star)) + shown + std::string(twice.substr(star + 1)));
}

}  // namespace tandem::as
