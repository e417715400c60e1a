#include "profiles/base/fields.h"

#include "profiles/base/key_units.h"

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
  const TimeKey time(step.key);
  for (const WrittenUnit& unit : kWrittenUnits) {
    if (!step.codec || !time.has_unit() || unit.name == time.unit()) continue;
    if (auto codec = step.codec->InUnit(unit)) {
      step.others.push_back({time.In(unit.name), unit.words, std::move(codec)});
    }
  }
  steps_.push_back(std::move(step));
}

void AnyFields::AddNeeded(std::string_view key, std::string_view help, std::ptrdiff_t offset,
                          std::shared_ptr<const AnyCodec> codec) {
  Add({key, help, offset, true, true, std::move(codec)});
}

void AnyFields::AddOptional(std::string_view key, std::string_view help, std::ptrdiff_t offset,
                            std::shared_ptr<const AnyCodec> codec, const void* fresh) {
  std::string standard;
  if (fresh) codec->WriteAny(At(fresh, offset), standard, {});
  Add({key, help, offset, false, false, std::move(codec), {}, std::move(standard)});
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

std::vector<std::string_view> AnyFields::OtherSpellings() const {
  std::vector<std::string_view> keys;
  for (const Step& step : steps_) {
    for (const Step::Spelling& other : step.others) keys.push_back(other.key);
  }
  return keys;
}

bool AnyFields::IsSpelled(const Step& step, std::string_view key) {
  const auto spells = [&](const Step::Spelling& other) { return other.key == key; };
  return step.key == key || std::any_of(step.others.begin(), step.others.end(), spells);
}

void AnyFields::ReadAny(const JsonReader& value, void* into, Context context) const {
  if (!kind_.empty() && (kind_in_place_ || value.Find(kKindKey) || value.Where() == value.file())) {
    ExpectFileKind(value, kind_);
  }
  const auto known = [&](std::string_view key) {
    const auto has_key = [&](const Step& step) { return IsSpelled(step, key); };
    return std::any_of(steps_.begin(), steps_.end(), has_key) || (key == kKindKey && !kind_.empty());
  };
  Mistakes mistakes;
  for (const JsonReader member : value.Members()) {
    if (!member.key().empty() && known(member.key())) continue;
    mistakes.Try([&] { value.FailUnknown(member.key(), Keys(), OtherSpellings()); });
  }
  ReadKeys(value, into, context, mistakes);
}

void AnyFields::ReadSteps(const JsonReader& value, void* into, Context context) const {
  Mistakes mistakes;
  ReadKeys(value, into, context, mistakes);
}

// Keys that are not there may be the unknown ones, misspelt, or what a rule has spoken of. What a rule has
// said of a value stays the only word.
void AnyFields::ReadKeys(const JsonReader& value, void* into, Context context, Mistakes& mistakes) const {
  const Context outer = context;
  if (inside_) context = inside_(into, outer).UnlessFailed(mistakes.flag());
  bool explained = mistakes.some();  // is it said why a key is missing?
  const auto is_told = [&](const Step& step) {
    for (const JsonReader member : value.Members()) {
      if (IsSpelled(step, member.key())) return mistakes.Knows(member.Where());
    }
    return explained;
  };
  const auto read = [&](const Step& step) {
    void* const member = At(into, step.offset);
    if (step.check) {
      if (!mistakes.some() || step.regardless) step.check(value, member, context);
    } else if (!mistakes.some() || !is_told(step)) {
      ReadKey(step, value, member, context);
    }
  };
  for (const bool later : {false, true}) {
    for (const Step& step : steps_) {
      if (step.later != later) continue;
      const bool some = mistakes.some();
      mistakes.Try([&] { read(step); });
      explained = explained || (step.check && !some && mistakes.some());
    }
  }
  mistakes.Tell();
}

void AnyFields::ReadKey(const Step& step, const JsonReader& value, void* member, Context context) {
  const auto found = step.others.empty() ? value.Find(step.key) : value.FindTime(step.key);
  if (!found) {
    if (step.needed) (void)value.Get(step.key);
    return;
  }
  const AnyCodec* codec = step.codec.get();
  for (const Step::Spelling& other : step.others) {
    if (other.key == found->key()) codec = other.codec.get();
  }
  codec->ReadAny(*found, member, context);
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
    if (step.needed && !step.others.empty()) node.AddString("$comment", kNeededInSomeUnit);
    properties.Add(step.key, node.Text());
    if (!step.others.empty()) {
      AddOthersToSchema(step, defs, properties, rules);
    } else if (step.needed) {
      required.push_back(JsonString(step.key));
    }
  }
}

// A duration is given once, in one of its units.
void AnyFields::AddOthersToSchema(const Step& step, SchemaDefs& defs, SchemaNode& properties,
                                  std::vector<std::string>& rules) {
  std::vector<std::string> keys = {JsonString(step.key)}, given, twice;
  for (const Step::Spelling& other : step.others) {
    SchemaNode node = other.codec->Schema(defs);
    node.AddString("$comment", kOtherUnit).AddString("description", "In " + std::string(other.unit) + ".");
    properties.Add(other.key, node.Text());
    keys.push_back(JsonString(other.key));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    given.push_back("{\"required\": [" + keys[i] + "]}");
    for (std::size_t j = 0; j < i; ++j) twice.push_back("{\"required\": [" + keys[j] + ", " + keys[i] + "]}");
  }
  rules.push_back(step.needed ? "{\"oneOf\": " + ListText(given) + "}"
                              : "{\"not\": {\"anyOf\": " + ListText(twice) + "}}");
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
