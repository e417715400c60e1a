// A state of the board's clocks that a command of the user's has reached, held to what it read then.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {

class ReachedState {
 public:
  // Reaches it and reads it back. `others`: what other states read, by their names. Throws EnvironmentError
  // where a command fails, nothing tells the state, it reads other than is expected, or as another one does.
  ReachedState(ClockState state, std::vector<std::int64_t> cores, std::map<std::string, std::string> others,
               std::filesystem::path root = "/");

  const std::string& reading() const { return reading_; }
  // Throws EnvironmentError where it reads otherwise now, but for what holds clocks back meanwhile: samples
  // of then are set aside one by one.
  void CheckStill() const;
  void AddTo(Origin& origin) const;

 private:
  std::string What() const;
  std::string Read() const;
  void RefuseAnother(const std::string& now) const;

  ClockState state_;
  std::vector<std::int64_t> cores_;
  std::map<std::string, std::string> others_;
  std::filesystem::path root_;
  std::string reading_;
};

// Where AddTo has put them; empty: there was no state.
std::string StateOf(const Origin& origin);

}  // namespace tandem
