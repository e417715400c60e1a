// Values of any kind, kept as they are: JSON text on one line.
#pragma once

#include <string>

#include "profiles/base/codecs.h"

namespace tandem {

std::string JsonTextOf(const JsonReader& value);

namespace as {

CodecOf<std::string> AnyValue();

}  // namespace as
}  // namespace tandem
