// Questions to the person at the terminal, for commands that begin files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem {

// What a command needs and was not given: an option, and what it is.
struct Missing {
  std::string option;  // as the command line has it
  bool is_missing = false;
};

// Is who stands at the terminal asked, and says yes? No where nobody is there.
bool IsAnsweredYes(const std::string& question);

class Questions {
 public:
  // Asks where something is missing and somebody is there: standard input and standard error are a terminal.
  // Throws InputError that names all that is missing where nobody is.
  Questions(const std::string& command, const std::vector<Missing>& needed);

  bool asks() const { return asks_; }
  // On standard error; empty is `standard`. What `judge` throws InputError of is told and asked again. Where
  // nobody is asked `value` stays what it is, as where it was given.
  using Judge = std::function<void(const std::string& answer)>;
  void Ask(const std::string& question, const std::string& standard, std::string& value,
           const Judge& judge = {}) const;
  // One a line, an empty one ends them; the first may not be empty where there is no standard. `judge` sees
  // in `values` those that were taken before. Names: several may stand on a line, between commas.
  enum class Line : std::uint8_t { kOne, kNames };
  void AskList(const std::string& question, const std::vector<std::string>& standard,
               std::vector<std::string>& values, const Judge& judge = {}, Line line = Line::kOne) const;

 private:
  std::string Answer(const std::string& prompt) const;
  void Take(const std::string& answer, std::vector<std::string>& values, const Judge& judge, Line line) const;
  bool IsTaken(const std::string& answer, const Judge& judge) const;

  bool asks_ = false;
};

}  // namespace tandem
