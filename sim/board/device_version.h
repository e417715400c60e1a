// Is the program on the board of the same release as this one? Asked of every answer: two releases read each
// other's files where the kinds are the same, and their figures need not mean the same.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "profiles/base/json_reader.h"
#include "sim/board/device_program.h"

namespace tandem {

// What an answer says of the program that gave it: "0.1.0"; empty: nothing.
std::string VersionIn(const JsonReader& answer);

// "0.1.0", as the program says by itself; empty where it says none. Throws where it cannot be started.
std::string VersionSaidBy(const DeviceProgram& program, const std::function<bool()>& go_on);

// Of the same major and minor number? Others mend and change no file.
bool AreOneRelease(std::string_view one, std::string_view other);

// The device's version, once it has said it.
class DeviceVersion {
 public:
  void Heard(const std::string& version);  // empty: it has not said it
  bool known() const { return !version_.empty(); }

  // A sentence where the releases differ, with what to do; empty: they do not, or nobody knows.
  std::string Warning(const std::string& command) const;
  // The same the first time only.
  std::string FirstWarning(const std::string& command);
  // Behind a message about what one of them did not understand: "; it is ..., which may be why". May be
  // empty.
  std::string Hint() const;

 private:
  bool Differs() const;

  std::string version_;
  bool told_ = false;
};

// Where the kind of the answer is another version of the one that this program reads ("run-result/2"), says
// so; else nothing.
std::string OtherKindThan(std::string_view expected, const JsonReader& answer);

}  // namespace tandem
