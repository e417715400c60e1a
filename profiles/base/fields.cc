#include "profiles/base/fields.h"

namespace tandem {
namespace {

constexpr std::string_view kKindKey = "tandem";

const void* At(const void* object, std::ptrdiff_t offset) {
  return static_cast<const char*>(object) + offset;
}
void* At(void* object, std::ptrdiff_t offset) { return static_cast<char*>(object) + offset; }

std::string ListText(const std::vector<std::string>& elements) {
  std::string list;
  for (const std::string& element : elements) list += (list.empty() ? "" : ", ") + element;
  return "[" + list + "]";
}

}  // namespace

void AnyFields::Add(Step step) {
  step.opening = JsonString(step.key) + ": ";
  steps_.push_back(std::move(step));
}

void AnyFields::Take(const AnyFields& part, std::ptrdiff_t offset) {
  for (Step step : part.steps_) {
    step.offset += offset;
    steps_.push_back(std::move(step));
  }
}

std::vector<std::string_view> AnyFields::Keys() const {
  std::vector<std::string_view> keys;
  if (!kind_.empty()) keys.push_back(kKindKey);
  for (const Step& step : steps_) {
    if (!step.key.empty()) keys.push_back(step.key);
  }
  return keys;
}

void AnyFields::ReadAny(const JsonReader& value, void* into, Context context) const {
  if (!kind_.empty() && (kind_in_place_ || value.Find(kKindKey) || value.Where() == value.file())) {
    ExpectFileKind(value, kind_);
  }
  const auto known = [&](std::string_view key) {
    const auto has_key = [&](const Step& step) { return step.key == key; };
    return std::any_of(steps_.begin(), steps_.end(), has_key) || (key == kKindKey && !kind_.empty());
  };
  for (const JsonReader member : value.Members()) {
    if (member.key().empty() || !known(member.key())) value.OnlyKeys(Keys());
  }
  ReadSteps(value, into, context);
}

void AnyFields::ReadSteps(const JsonReader& value, void* into, Context context) const {
  const Context outer = context;
  if (inside_) context = inside_(into, outer);
  const auto read = [&](const Step& step) {
    void* const member = At(into, step.offset);
    if (step.check) {
      step.check(value, member, context);
    } else if (step.needed) {
      step.codec->ReadAny(value.Get(step.key), member, context);
    } else if (const auto found = value.Find(step.key)) {
      step.codec->ReadAny(*found, member, context);
    }
  };
  for (const bool later : {false, true}) {
    for (const Step& step : steps_) {
      if (step.later == later) read(step);
    }
  }
}

// Whether there was something to write. `text` stands behind an opening brace or another member.
bool AnyFields::WriteStep(const Step& step, const void* from, std::string& text, Context context,
                          bool rows) const {
  if (!step.codec) return false;
  const std::size_t begin = text.size();
  text += step.written_key ? JsonString(step.written_key(from)) + ": " : step.opening;
  const std::size_t start = text.size();
  const void* const member = At(from, step.offset);
  if (rows) {
    step.codec->WriteRows(member, text, context);
  } else {
    step.codec->WriteAny(member, text, context);
  }
  const auto written = std::string_view(text).substr(start);
  if (!written.empty() && (step.always || written != step.standard)) return true;
  text.resize(begin);
  return false;
}

void AnyFields::WriteMembers(const void* from, JsonObject& into, Context context) const {
  const Context outer = context;
  if (inside_) context = inside_(from, outer);
  for (const Step& step : steps_) {
    std::string text;
    if (WriteStep(step, from, text, context, false)) into.Add(step.key, text.substr(step.opening.size()));
  }
}

void AnyFields::WriteAny(const void* from, std::string& text, Context context) const {
  const Context outer = context;
  if (inside_) context = inside_(from, outer);
  text += '{';
  if (!kind_.empty()) text += "\"tandem\": " + JsonString(kind_);
  bool first = kind_.empty();
  for (const Step& step : steps_) {
    const std::size_t start = text.size();
    if (!first) text += step.new_line ? ",\n  " : ", ";
    if (WriteStep(step, from, text, context, false)) {
      first = false;
    } else {
      text.resize(start);
    }
  }
  text += '}';
}

std::string AnyFields::FileAny(const void* from, Context context) const {
  const Context outer = context;
  if (inside_) context = inside_(from, outer);
  std::string text = "{\n  \"tandem\": " + JsonString(kind_);
  for (const Step& step : steps_) {
    const std::size_t start = text.size();
    text += ",\n  ";
    if (!WriteStep(step, from, text, context, true)) text.resize(start);
  }
  return text + "\n}\n";
}

void AnyFields::AddToSchema(SchemaDefs& defs, std::vector<std::string>& required, SchemaNode& properties,
                            std::vector<std::string>& rules) const {
  for (const Step& step : steps_) {
    if (!step.fragment.empty()) rules.emplace_back(step.fragment);
    if (!step.codec || step.written_key) continue;
    SchemaNode node = step.codec->Schema(defs);
    if (!step.needed && !step.standard.empty() && step.standard != "\"\"" && step.standard != "[]" &&
        step.standard != "{}") {
      node.Add("default", step.standard);
    }
    if (!step.help.empty()) node.AddString("description", step.help);
    properties.Add(step.key, node.Text());
    if (step.needed) required.push_back(JsonString(step.key));
  }
}

SchemaNode AnyFields::WholeSchema(SchemaDefs& defs, bool in_place) const {
  std::vector<std::string> required, rules;
  SchemaNode properties;
  if (!kind_.empty()) {
    properties.Add(kKindKey, SchemaNode().AddString("const", kind_).Text());
    if (!in_place || kind_in_place_) required.push_back(JsonString(kKindKey));
  }
  AddToSchema(defs, required, properties, rules);
  SchemaNode schema;
  schema.AddString("type", "object");
  if (!help_.empty() && in_place) schema.AddString("description", help_);
  if (!required.empty()) schema.Add("required", ListText(required));
  schema.Add("additionalProperties", "false").Add("properties", properties.Text());
  SchemaNode patterns;
  for (const Step& step : steps_) {
    if (step.written_key) patterns.Add(step.key, step.codec->Schema(defs).Text());
  }
  if (patterns.Text() != "{}") schema.Add("patternProperties", patterns.Text());
  if (!rules.empty()) schema.Add("allOf", ListText(rules));
  return schema;
}

SchemaNode AnyFields::Schema(SchemaDefs& defs) const {
  if (name_.empty()) return WholeSchema(defs, true);
  return defs.Ref(name_, [&] { return WholeSchema(defs, true); });
}

}  // namespace tandem
