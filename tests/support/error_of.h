// What an action complains about, for tests of messages.
#pragma once

#include <string>

#include "profiles/base/input_error.h"

namespace tandem {

template <class Body>
std::string ErrorOf(Body body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tandem
