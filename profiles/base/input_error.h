// The one exception for everything that a user can get wrong. It is caught once, in main, and ends the
// program with exit status 2.
#pragma once

#include <stdexcept>
#include <string>

namespace tandem {

// what() reads "PLACE: what is wrong", PLACE being "file", "file:line:column" or "file:/json/pointer".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The device or the environment failed (a disk that is full, a unit that is lost): exit status 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tandem
