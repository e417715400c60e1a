#include "profiles/importers/caffe/text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/importers/caffe/upgrade.h"

namespace tandem {
namespace {

namespace pb = google::protobuf;

constexpr std::size_t kLargestText = std::size_t{16} << 20;
constexpr int kDeepest = 32;                    // Caffe's own schema nests six deep
constexpr std::size_t kMostMessages = 200'000;  // each costs up to a kilobyte once parsed

// Places in the text. Protobuf counts from zero, widens tabs to eight columns and points behind the word that
// it complains of; messages count from one, in bytes, and point at the word.
class Places {
 public:
  Places(std::string file, const std::string& text) : file_(std::move(file)), text_(text), lines_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') lines_.push_back(i + 1);
    }
  }

  std::string At(int line, int column) const { return Name(Offset(line, column)); }

  // Of the last `word` before there.
  std::string Before(int line, int column, const std::string& word) const {
    const std::size_t end = Offset(line, column);
    const std::size_t found = end < word.size() ? std::string::npos : text_.rfind(word, end - word.size());
    return Name(found == std::string::npos ? end : found);
  }

 private:
  std::size_t Offset(int line, int column) const {
    const auto index = static_cast<std::size_t>(std::max(line, 0));
    if (index >= lines_.size()) return text_.size();
    std::size_t at = lines_[index];
    for (int reached = 0; reached < column && at < text_.size() && text_[at] != '\n'; ++at) {
      reached = text_[at] == '\t' ? reached / 8 * 8 + 8 : reached + 1;
    }
    return at;
  }

  std::string Name(std::size_t offset) const {
    const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin();
    const std::size_t column = offset - lines_[static_cast<std::size_t>(line) - 1] + 1;
    return file_ + ":" + std::to_string(line) + ":" + std::to_string(column);
  }

  std::string file_;
  const std::string& text_;
  std::vector<std::size_t> lines_;  // where each starts
};

// Where a string or a comment that starts at `at` ends; `at` itself where none does.
std::size_t SkipQuiet(const std::string& text, std::size_t at) {
  const char opener = text[at];
  if (opener == '#') return std::min(text.find('\n', at), text.size() - 1);
  if (opener != '"' && opener != '\'') return at;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == opener || text[i] == '\n') return i;
    if (text[i] == '\\') ++i;
  }
  return text.size() - 1;
}

// Not every version of protobuf bounds the nesting of the fields that it passes over.
void CheckNesting(const std::string& file, const std::string& text) {
  int depth = 0, line = 0;
  std::size_t messages = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    i = SkipQuiet(text, i);
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '}' || c == '>' || c == ']') --depth;
    if (c != '{' && c != '<' && c != '[') continue;
    if (++depth > kDeepest) {
      throw InputError(file + ":" + std::to_string(line + 1) + ": is nested more than " +
                       std::to_string(kDeepest) + " deep");
    }
    if (++messages > kMostMessages) {
      throw InputError(file + ": has more than " + std::to_string(kMostMessages) +
                       " messages, the most that is read");
    }
  }
}

// The name of the field that holds messages of this type in a layer, as the user wrote it.
std::string FieldOfType(const pb::Descriptor& type) {
  const pb::Descriptor& layer = *caffe::LayerParameter::descriptor();
  for (int i = 0; i < layer.field_count(); ++i) {
    if (layer.field(i)->message_type() == &type) return layer.field(i)->name();
  }
  if (&type == caffe::NetParameter::descriptor()) return "the network";
  const bool is_layer = &type == &layer || &type == caffe::V1LayerParameter::descriptor();
  return is_layer ? "a layer" : "a " + type.name();
}

std::string UnknownField(const std::string& type_name, const std::string& field) {
  const pb::Descriptor* type = pb::DescriptorPool::generated_pool()->FindMessageTypeByName(type_name);
  std::string message = "unknown field " + Quoted(field);
  if (type == nullptr) return message;
  std::vector<std::string> known;
  for (int i = 0; i < type->field_count(); ++i) known.push_back(type->field(i)->name());
  return message + " in " + FieldOfType(*type) + Suggestion(field, known);
}

// The names of every enumeration that a field called `field` takes in one message or another.
std::string UnknownValue(const std::string& value, const std::string& field) {
  std::set<std::string> known;
  const pb::FileDescriptor& schema = *caffe::NetParameter::descriptor()->file();
  for (int i = 0; i < schema.message_type_count(); ++i) {
    const pb::FieldDescriptor* found = schema.message_type(i)->FindFieldByName(field);
    const pb::EnumDescriptor* values = found == nullptr ? nullptr : found->enum_type();
    for (int j = 0; values != nullptr && j < values->value_count(); ++j)
      known.insert(values->value(j)->name());
  }
  return "unknown value " + Quoted(value) + " of " + Quoted(field) +
         Suggestion(value, std::vector<std::string>(known.begin(), known.end()));
}

// Keeps the first error and the first unknown field, in this project's words.
class FirstErrors : public pb::io::ErrorCollector {
 public:
  explicit FirstErrors(const Places& places) : places_(places) {}

  void AddError(int line, int column, const std::string& message) override {
    static const std::regex kNoSuchValue(R"re(Unknown enumeration value of "(.*)" for field "(.*)"\.)re");
    if (!error.empty()) return;
    std::smatch match;
    const bool no_such_value = message.size() < 1000 && std::regex_match(message, match, kNoSuchValue);
    error = no_such_value ? places_.Before(line, column, match[1]) + ": " + UnknownValue(match[1], match[2])
                          : places_.At(line, column) + ": " + message;
  }

  void AddWarning(int line, int column, const std::string& message) override {
    static const std::regex kNoSuchField(R"re(Message type "(.*)" has no field named "(.*)"\.)re");
    if (!unknown_field.empty()) return;
    std::smatch match;
    const bool no_such_field = message.size() < 1000 && std::regex_match(message, match, kNoSuchField);
    if (no_such_field && match[1] == caffe::Ignored::descriptor()->full_name()) return;
    unknown_field = no_such_field
                        ? places_.Before(line, column, match[2]) + ": " + UnknownField(match[1], match[2])
                        : places_.At(line, column) + ": " + message;
  }

  std::string error, unknown_field;

 private:
  const Places& places_;
};

std::string PlaceOf(const Places& places, const pb::TextFormat::ParseInfoTree& tree, const char* field,
                    int index) {
  const auto place = tree.GetLocation(caffe::NetParameter::descriptor()->FindFieldByName(field), index);
  return places.At(place.line, place.column);
}

// The name of the first field of `message` that holds nan or an infinity, or nothing.
std::string NotFinite(const pb::Message& message) {
  const pb::Reflection& values = *message.GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  values.ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const bool number = field->cpp_type() == pb::FieldDescriptor::CPPTYPE_DOUBLE;
    if (!number && field->message_type() == nullptr) continue;
    const int count = field->is_repeated() ? values.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (number) {
        const double value = field->is_repeated() ? values.GetRepeatedDouble(message, field, i)
                                                  : values.GetDouble(message, field);
        if (!std::isfinite(value)) return field->name();
        continue;
      }
      const std::string inside = NotFinite(field->is_repeated() ? values.GetRepeatedMessage(message, field, i)
                                                                : values.GetMessage(message, field));
      if (!inside.empty()) return inside;
    }
  }
  return "";
}

void CheckFinite(const CaffeLayer& layer) {
  const std::string field = NotFinite(layer.param);
  if (field.empty()) return;
  throw InputError(layer.place + ": layer " + Quoted(layer.param.name()) + ": " + field +
                   " is no finite number");
}

}  // namespace

CaffeText ReadCaffeText(const std::filesystem::path& path) {
  CaffeText text;
  text.file = path.string();
  const std::string contents = ReadTextFile(path, kLargestText);
  CheckNesting(text.file, contents);

  const Places places(text.file, contents);
  FirstErrors errors(places);
  pb::TextFormat::ParseInfoTree tree;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&tree);
  parser.AllowUnknownField(true);  // they come as warnings, so that all of the file is seen
  parser.SetRecursionLimit(2 * kDeepest);
  const bool parsed = parser.ParseFromString(contents, &text.net);
  // Words of just any text, which another file names, are not repeated.
  const bool quotes = MayBeQuoted(path) || text.net.layer_size() + text.net.layers_size() > 0;
  if (!quotes && (!parsed || !errors.unknown_field.empty())) {
    throw InputError(text.file + ": is not the text of a Caffe network: no layer is in it");
  }
  if (!parsed) {
    throw InputError(errors.error.empty() ? text.file + ": is not the text of a Caffe network"
                                          : errors.error);
  }
  text.unknown_field = errors.unknown_field;

  for (int i = 0; i < text.net.layer_size(); ++i) {
    text.layers.push_back({{}, PlaceOf(places, tree, "layer", i)});
    text.layers.back().param.Swap(text.net.mutable_layer(i));
  }
  if (text.net.layer_size() > 0 && text.net.layers_size() > 0) {
    throw InputError(PlaceOf(places, tree, "layers", 0) +
                     ": mixes the old syntax `layers` with the new one `layer`");
  }
  for (int i = 0; i < text.net.layers_size(); ++i) {
    const std::string place = PlaceOf(places, tree, "layers", i);
    text.layers.push_back({UpgradeCaffeLayer(text.net.layers(i), place), place});
  }
  for (const CaffeLayer& layer : text.layers) CheckFinite(layer);
  text.net.clear_layer();
  text.net.clear_layers();
  return text;
}

}  // namespace tandem
