#include "tests/fuzz/message_mutations.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <vector>

#include "tests/fuzz/mutations.h"

namespace tandem {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;
using pb::Message;
using pb::Reflection;

constexpr std::size_t kMostRepeats = 40, kMostMessages = 4000;

std::size_t Under(std::size_t end, std::mt19937_64& chance) { return chance() % end; }
template <class List>
const auto& OneOf(const List& list, std::mt19937_64& chance) {
  return list[Under(list.size(), chance)];
}

pb::TextFormat::Parser SilentParser() {
  static class Silent final : public pb::io::ErrorCollector {
    void AddError(int, int, const std::string&) override {}
  } silent;
  pb::TextFormat::Parser parser;
  parser.AllowPartialMessage(true);
  parser.RecordErrorsTo(&silent);
  return parser;
}

bool IsMessage(const FieldDescriptor& field) { return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE; }

// As protobuf's text has it; it may be none of the field's, and changes nothing then.
std::string DrawnValue(const FieldDescriptor& field, std::mt19937_64& chance) {
  static constexpr std::array kNumbers = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "-1",
                                          "64",
                                          "1048576",
                                          "2147483647",
                                          "9223372036854775807",
                                          "-9223372036854775808"};
  static constexpr std::array kReals = {"0.5", "-1", "0", "1e-30", "1e30", "nan", "inf"};
  static constexpr std::array kWords = {R"("")",        R"("x")",    R"("y")",
                                        R"("\x1b[2J")", R"("\xff")", R"("\0\0\x80\x7f")"};
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return OneOf(kReals, chance);
    case FieldDescriptor::CPPTYPE_BOOL:
      return chance() % 2 == 0 ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto values = static_cast<std::size_t>(field.enum_type()->value_count());
      return field.enum_type()->value(static_cast<int>(Under(values, chance)))->name();
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return OneOf(kWords, chance);
    default:
      return OneOf(kNumbers, chance);
  }
}

// Sets it, or adds one where it is repeated; like element `one`, if there is that.
void Give(Message& of, const FieldDescriptor& field, std::mt19937_64& chance, int one = -1) {
  const Reflection& reflection = *of.GetReflection();
  if (!IsMessage(field)) {
    SilentParser().ParseFieldValueFromString(DrawnValue(field, chance), &field, &of);
  } else if (!field.is_repeated()) {
    reflection.MutableMessage(&of, &field);  // whose own fields are changed another time
  } else {
    Message& added = *reflection.AddMessage(&of, &field);
    if (one >= 0) added.CopyFrom(reflection.GetRepeatedMessage(of, &field, one));
  }
}

void ChangeElement(Message& of, const FieldDescriptor& field, std::mt19937_64& chance) {
  const Reflection& reflection = *of.GetReflection();
  const int last = reflection.FieldSize(of, &field) - 1;
  if (last < 0) return Give(of, field, chance);
  const int one = static_cast<int>(Under(static_cast<std::size_t>(last) + 1, chance));
  switch (chance() % 4) {
    case 0:
      reflection.SwapElements(&of, &field, one, last);
      return reflection.RemoveLast(&of, &field);
    case 1:
      return reflection.SwapElements(&of, &field, one, last / 2);
    case 2:
      for (std::size_t times = Under(kMostRepeats, chance); times > 0; --times) Give(of, field, chance, one);
      return;
    default:  // another one in its place
      Give(of, field, chance);
      const int added = reflection.FieldSize(of, &field) - 1;
      if (added == last) return;
      reflection.SwapElements(&of, &field, one, added);
      reflection.RemoveLast(&of, &field);
  }
}

void ChangeField(Message& of, const FieldDescriptor& field, std::mt19937_64& chance) {
  if (field.is_repeated()) return ChangeElement(of, field, chance);
  if (chance() % 5 == 0) return of.GetReflection()->ClearField(&of, &field);
  Give(of, field, chance);
}

void Collect(Message& message, std::vector<Message*>& all) {
  if (all.size() >= kMostMessages) return;
  all.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!IsMessage(*field)) continue;
    if (!field->is_repeated()) {
      Collect(*reflection.MutableMessage(&message, field), all);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      Collect(*reflection.MutableRepeatedMessage(&message, field, i), all);
    }
  }
}

// One of the same kind, which may be the same.
Message& OneLike(const Message& of, const std::vector<Message*>& all, std::mt19937_64& chance) {
  std::vector<Message*> like;
  std::copy_if(all.begin(), all.end(), std::back_inserter(like),
               [&](const Message* other) { return other->GetDescriptor() == of.GetDescriptor(); });
  return *OneOf(like, chance);
}

// What one place says another says, too: a layer is there twice, or reads what it makes.
void Repeat(const std::vector<Message*>& all, std::mt19937_64& chance) {
  Message &to = *OneOf(all, chance), &from = OneLike(to, all, chance);
  const std::unique_ptr<Message> copy(from.New());  // one may lie inside the other
  copy->CopyFrom(from);
  to.CopyFrom(*copy);
}

// A name becomes that of another of its kind: names lead elsewhere.
void Rename(const std::vector<Message*>& all, std::mt19937_64& chance) {
  Message &to = *OneOf(all, chance), &from = OneLike(to, all, chance);
  const Reflection& reflection = *from.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(from, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    if (!field->is_repeated()) {
      if (chance() % 2 == 0) reflection.SetString(&to, field, reflection.GetString(from, field));
      continue;
    }
    const auto one = [&](const Message& of) {
      return static_cast<int>(Under(static_cast<std::size_t>(reflection.FieldSize(of, field)), chance));
    };
    const std::string name = reflection.GetRepeatedString(from, field, one(from));
    if (reflection.FieldSize(to, field) == 0) {
      reflection.AddString(&to, field, name);
    } else {
      reflection.SetRepeatedString(&to, field, one(to), name);
    }
  }
}

void ChangeOnce(Message& root, std::mt19937_64& chance) {
  std::vector<Message*> all;
  Collect(root, all);
  if (chance() % 8 == 0) return Repeat(all, chance);
  if (chance() % 8 == 0) return Rename(all, chance);
  Message& of = *OneOf(all, chance);
  std::vector<const FieldDescriptor*> fields;
  of.GetReflection()->ListFields(of, &fields);
  if (fields.empty() || chance() % 4 == 0) {  // one that is not there
    for (int i = 0; i < of.GetDescriptor()->field_count(); ++i)
      fields.push_back(of.GetDescriptor()->field(i));
  }
  if (!fields.empty()) ChangeField(of, *OneOf(fields, chance), chance);
}

void ChangeSome(Message& root, std::mt19937_64& chance) {
  for (std::size_t times = 1 + Under(3, chance); times > 0; --times) ChangeOnce(root, chance);
}

}  // namespace

std::string WithFieldsChanged(const Message& kind, const std::string& bytes, std::mt19937_64& chance) {
  const std::unique_ptr<Message> message(kind.New());
  if (!message->ParsePartialFromString(bytes)) return WithBytesChanged(bytes, chance);
  ChangeSome(*message, chance);
  return message->SerializePartialAsString();
}

std::string WithTextFieldsChanged(const Message& kind, const std::string& text, std::mt19937_64& chance) {
  const std::unique_ptr<Message> message(kind.New());
  if (!SilentParser().ParseFromString(text, message.get())) return WithBytesChanged(text, chance);
  ChangeSome(*message, chance);
  std::string changed;
  pb::TextFormat::PrintToString(*message, &changed);
  return changed;
}

}  // namespace tandem
