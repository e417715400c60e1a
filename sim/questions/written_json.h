// A value that is written of its own accord elsewhere, as JSON text.
#pragma once

#include <string>

#include "profiles/base/codecs.h"

namespace tandem {

inline CodecOf<std::string> WrittenJson(const char* schema) {
  return as::Custom<std::string>(
      schema, [](const JsonReader&, std::string&, Context) {},
      [](const std::string& json, std::string& text, Context) { text += json; });
}

}  // namespace tandem
