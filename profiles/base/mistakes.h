// The mistakes of one file, told together: what one part of it gets wrong is kept while the others are read.
// What follows from a mistake is no other one, so that nothing is judged that rests on what could not be
// read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/input_error.h"

namespace tandem {

// Thrown where something asks for what could not be read; whoever collects leaves it out in silence.
struct NotJudged {};

class Mistakes {
 public:
  // Reads a part: what it complains about is kept.
  template <class Read>
  void Try(Read read) {
    try {
      read();
    } catch (const InputError& error) {
      Keep(error.what());
    } catch (const NotJudged&) {
      some_ = true;
    }
  }
  // Throws one InputError with a line for each, if there are any.
  void Tell() const;

  bool some() const { return some_; }
  const bool* flag() const { return &some_; }  // of what is read in view of it
  bool Knows(const std::string& place) const;  // has something been said of it?

 private:
  void Keep(std::string_view text);

  bool some_ = false;
  bool more_ = false;  // than are told
  std::vector<std::string> lines_;
};

}  // namespace tandem
