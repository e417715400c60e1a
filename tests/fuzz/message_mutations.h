// Damage to protobuf's messages by their fields, so that what comes of it is still read deeply.
#pragma once

#include <google/protobuf/message.h>

#include <random>
#include <string>

namespace tandem {

// `bytes` are of messages as `kind` is one, in protobuf's bytes or in its text; else they are changed as
// WithBytesChanged does.
std::string WithFieldsChanged(const google::protobuf::Message& kind, const std::string& bytes,
                              std::mt19937_64& chance);
std::string WithTextFieldsChanged(const google::protobuf::Message& kind, const std::string& text,
                                  std::mt19937_64& chance);

}  // namespace tandem
