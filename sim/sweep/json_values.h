// Values of any kind, kept as they are: JSON text on one line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "profiles/base/asked_value.h"
#include "profiles/base/codecs.h"

namespace tandem {

std::string JsonTextOf(const JsonReader& value);

// As people and tables have it: a string without JSON's quotes.
std::string PlainValue(const std::string& json);

// The number at `place`, or each of a list there, times `factor`, in as many digits as a file has: of a time
// whole nanoseconds. The place ends in its key. Throws InputError where there is none.
void MultiplyJson(nlohmann::json& value, double factor, std::string_view place);
// A number of its own for such a place.
nlohmann::json JsonNumberFor(double value, std::string_view place);
// What people write for a value of that key, as a file has it.
nlohmann::json JsonForKey(const AskedValue& value, std::string_view key);

namespace as {

CodecOf<std::string> AnyValue();

}  // namespace as
}  // namespace tandem
