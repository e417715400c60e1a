// tandem-device: the part of tandem that runs on the board.
#include "profiles/program/command_line.h"
#include "profiles/program/version.h"

int main(int argc, char** argv) {
  return tandem::RunProgram({.name = "tandem-device",
                             .summary = "The part of tandem that runs on the board and knows its processors.",
                             .version = std::string(tandem::Version()),
                             .footer = "Examples:\n  tandem-device info\n"
                                       "  tandem-device infer squeezenet_1_1 --repeat 3"},
                            argc, argv);
}
