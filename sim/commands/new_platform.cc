// tandem new platform -o FILE
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/platform.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/questions.h"
#include "profiles/program/shipped.h"
#include "sim/commands/new_names.h"
#include "sim/engine/simgrid_platform.h"
#include "sim/study/begin_platform.h"

namespace tandem::new_platform {
namespace {

struct NewPlatformArguments {
  PlatformWords words;
  std::string file, simgrid, from;
  bool force = false;
};

// With what was answered before.
void Judge(const PlatformWords& words, PlatformWords more) {
  more.units.insert(more.units.begin(), words.units.begin(), words.units.end());
  more.memories.insert(more.memories.begin(), words.memories.begin(), words.memories.end());
  if (more.units.empty()) more.units.emplace_back("cpu");
  if (more.name.empty()) more.name = words.name;
  (void)PlatformFrom(more, "the board");
}

void AskFor(const Questions& questions, NewPlatformArguments& arguments) {
  PlatformWords& words = arguments.words;
  questions.Ask("The board's name", "", words.name, [](const std::string& name) {
    Judge({}, {name, {}, {}, {}});
  });
  questions.AskList(
      "Its units, NAME:KIND with a kind of cpu, gpu, npu, vpu, tpu, dsp; cores and memories of their own as "
      "in cpu:cpu:cores=0-3 or gpu:gpu:memory=vram",
      {}, words.units, [&](const std::string& word) {
        Judge(words, {"", {word}, {}, {}});
      });
  questions.AskList("Its memories, NAME=SIZE; the first one is where inputs start", {"dram"}, words.memories,
                    [&](const std::string& word) {
                      Judge(words, {"", {}, {word}, {}});
                    });
  questions.Ask("Write it to", words.name + ".platform.json", arguments.file,
                [&](const std::string& file) { JudgeBegunFile(file, arguments.force); });
}

std::string TextOf(const NewPlatformArguments& arguments) {
  const bool written = !arguments.from.empty();
  if (arguments.simgrid.empty() && !written) return PlatformFrom(arguments.words, arguments.file);
  std::vector<std::string> notes;
  Platform platform = written ? ReadPlatformFile(FindFile(arguments.from, "", "boards", ".platform.json"))
                              : ReadSimGridPlatform(arguments.simgrid, &notes);
  for (const std::string& note : notes) WriteNote("tandem: " + arguments.simgrid + ": note: " + note + "\n");
  if (!arguments.words.name.empty()) platform.name = arguments.words.name;
  return PlatformJson(platform);
}

int NewPlatform(NewPlatformArguments arguments) {
  const bool given = !arguments.simgrid.empty() || !arguments.from.empty();
  const Questions questions("new platform", {{"--unit NAME:KIND", arguments.words.units.empty() && !given},
                                             {"-o FILE", arguments.file.empty()}});
  if (!given && arguments.words.name.empty() && !arguments.file.empty()) {
    arguments.words.name = NameOfFile(arguments.file, ".platform.json", "board");
  }
  if (!given) AskFor(questions, arguments);
  const Outputs outputs = BegunFile(arguments.file, arguments.force);
  const std::string text = TextOf(arguments);
  WriteFile(arguments.file, text);
  const Platform platform = ReadPlatform(JsonDocument::Parse(text, arguments.file).root());
  outputs.Say(arguments.file + ": " + Counted(static_cast<std::int64_t>(platform.units.size()), "unit") +
              ", " + Counted(static_cast<std::int64_t>(platform.memories.size()), "memory", "memories") +
              "\n");
  WriteNextStep(arguments.file, ", its times: tandem new profile --board " + arguments.file + " -o FILE");
  return kExitDone;
}

void Declare(Command& command, NewPlatformArguments& arguments) {
  command.Add("-o,--output", &arguments.file, "the board's file").Shown("FILE");
  command.Add("--name", &arguments.words.name, "the board's name; else its file's");
  std::vector<Command::Option> words;
  words.push_back(
      command
          .Add("--unit", &arguments.words.units,
               "a processor; KIND is cpu, gpu, npu, vpu, tpu or dsp, and told by names such as gpu0")
          .OneWord()
          .Shown("NAME[:KIND][:KEY=VALUE]"));
  words.push_back(
      command
          .Add("--memory", &arguments.words.memories, "a memory, dram=8GB; the first is where inputs start")
          .OneWord()
          .Shown("NAME[=SIZE][:KEY=VALUE]"));
  words.push_back(command.Add("--link", &arguments.words.links, "between two memories: dram-vram=12GB/s")
                      .OneWord()
                      .Shown("A-B=BANDWIDTH[:KEY=VALUE]"));
  words.push_back(
      command.Add("--hub", &arguments.words.hubs, "what several links are plugged into: usb=400MB/s")
          .OneWord()
          .Shown("NAME=BANDWIDTH"));
  const Command::Option simgrid =
      command.Add("--simgrid", &arguments.simgrid, "a platform file of SimGrid, of which the board is made")
          .Shown("FILE")
          .Excludes(words);
  words.push_back(simgrid);
  command
      .Add("--from", &arguments.from,
           "a board, a file or one that tandem ships, which is written once more as tandem writes it")
      .Shown("BOARD")
      .Excludes(words);
  AddForce(command, arguments.force);
  command.Footer(
      "What is not given is asked for on a terminal.\n"
      "Keys of a unit: memory, cores=0-3, device, backend, command, slots, time_shared, "
      "preempts,\nslice=2ms, switch=5us, dispatch=10us, resident, on_chip=8MB, stream=320MB/s, idle=2W, "
      "busy=9W;\nof a memory: bandwidth=25.6GB/s; of a link: latency=10us, engine, hub.\n"
      "Of this machine `tandem-device info -o FILE` writes the board.\n"
      "Examples:\n  tandem new platform --unit cpu --unit gpu -o board.platform.json\n"
      "  tandem new platform -o myboard.platform.json --unit cpu:cpu:cores=0-3:idle=1W:busy=4W "
      "--unit gpu:gpu:memory=vram --memory dram=8GB --memory vram=4GB --link dram-vram=12GB/s:latency=10us");
}

const CommandRegistration kNewPlatform{
    {.name = "new platform", .summary = "a board: its units, memories and links", .order = 20},
    Declare,
    NewPlatform};

}  // namespace
}  // namespace tandem::new_platform
