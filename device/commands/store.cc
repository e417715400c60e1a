// tandem-device store
#include <iostream>

#include "device/study/store.h"
#include "profiles/program/command_line.h"

namespace tandem::store {
namespace {

struct StoreArguments {};

int Store(const StoreArguments&) {
  WriteOutput(StoreAnswerJson(FileStore(StoreFolder()).Take(std::cin)));
  return kExitDone;
}

void Declare(Command& command, StoreArguments&) {
  command.Footer(
      "`tandem validate --device` uses it, so that models of one's own need not be copied to the device by "
      "hand: on\nstandard input come what files there are, by their hashes, and those that are lacking. They "
      "are kept in\n$XDG_CACHE_HOME/tandem or ~/.cache/tandem, which may be removed at any time.\n"
      "Examples:\n  tandem-device store < offer.txt\n  tandem-device store < offer.txt > answer.json");
}

const CommandRegistration kStore{
    {.name = "store", .summary = "take files of models that another machine sends", .order = 60},
    Declare,
    Store};

}  // namespace
}  // namespace tandem::store
