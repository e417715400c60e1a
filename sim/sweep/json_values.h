// Values of any kind, kept as they are: JSON text on one line.
#pragma once

#include <string>

#include "profiles/base/codecs.h"

namespace tandem {

std::string JsonTextOf(const JsonReader& value);

// As people and tables have it: a string without JSON's quotes.
std::string PlainValue(const std::string& json);

namespace as {

CodecOf<std::string> AnyValue();

}  // namespace as
}  // namespace tandem
