#include "sim/board/install.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/program/shipped.h"
#include "profiles/program/version.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kProcessors = {"x86_64", "aarch64"};

// As `uname -m` calls systems of 32 bits: armv7l, i686.
bool Has32Bits(const std::string& processor) {
  return processor.starts_with("armv") || (processor.starts_with("i") && processor.ends_with("86"));
}

std::string Trimmed(std::string text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  return text;
}

// Letters, digits and a few signs, which every shell takes as they are: the folder is part of commands for
// two of them, that of who types and the board's.
bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("/._-+,:@%").find(c) != std::string_view::npos;
}

[[noreturn]] void RefuseFolder(const std::string& folder, const std::string& why) {
  throw InputError("--folder " + Quoted(folder) + ": " + why);
}

// From home, without slashes at its end.
std::string CheckedFolder(const std::string& given) {
  std::string folder = given;
  if (folder == "~" || folder.starts_with("~/"))
    folder.erase(0, std::min(folder.find_first_not_of('/', 1), folder.size()));
  while (folder.ends_with('/')) folder.pop_back();
  const std::string last = folder.substr(folder.rfind('/') + 1);
  if (folder.empty() || last == "." || last == "..") {
    RefuseFolder(given,
                 "names no folder of its own: what stands there would be replaced; such as td or ~/td");
  }
  if (folder.starts_with('-') || folder.starts_with('~') ||
      !std::all_of(folder.begin(), folder.end(), IsPlain)) {
    RefuseFolder(given,
                 "shells would take it as something else; letters, digits and / . _ - + , : @ % are taken as "
                 "they are, no blanks, and no - or ~ at its beginning but ~/");
  }
  return folder;
}

class Board {
 public:
  explicit Board(const InstallOrder& order) : order_(order), program_(order.shell, order.place) {}

  // What a shell there prints for the line.
  std::string Say(const std::string& line, const DeviceInput& input, const std::string& what) const {
    // 127 would mean that the command to the board is not there.
    const DeviceAnswer answer = program_.Run({"{ " + line + "; } || exit 1"}, input, order_.go_on);
    if (answer.status == 0 && answer.signal == 0) return answer.output;
    throw EnvironmentError(order_.shell + ": " + what + " failed (" +
                           (answer.signal != 0 ? "signal " + std::to_string(answer.signal)
                                               : "status " + std::to_string(answer.status)) +
                           "); what it said stands above" + Advice(answer));
  }

 private:
  static std::string Advice(const DeviceAnswer& answer) {
    constexpr int kNoConnection = 255;
    return answer.status == kNoConnection ? ": is the board reached by that command?" : "";
  }

  const InstallOrder& order_;
  DeviceProgram program_;
};

std::string ProcessorOf(const Board& board, const InstallOrder& order) {
  const std::string processor = Trimmed(board.Say("uname -m", {}, "asking for its processor"));
  if (processor == "arm64") return "aarch64";
  if (order.archive || std::find(kProcessors.begin(), kProcessors.end(), processor) != kProcessors.end()) {
    return processor;
  }
  if (Has32Bits(processor)) {
    throw InputError(order.shell + ": its processor is " + Quoted(processor) +
                     ", of 32 bits, for which tandem-device is not built: "
                     "docs/packages.md#32-bit-processors says why and what to do instead");
  }
  throw InputError(order.shell + ": its processor is " + Quoted(processor) +
                   ", for which no archive can be made; --archive names one of your own");
}

fs::path ArchiveFor(const std::string& processor) {
  const std::string name = "tandem-device-" + std::string(Version()) + "-linux-" + processor + ".tar.gz";
  std::vector<fs::path> places = {fs::path("build") / "packages" / name, fs::path(name)};
  places.push_back(ShippedDirectory() / "packages" / name);
  std::error_code error;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return place;
  }
  throw InputError("no " + name + " in build/packages or here: make it by `scripts/device_bundle " +
                   processor + " build/packages`, or name one with --archive");
}

// In a folder that is being unpacked into, and in none that is in its place.
constexpr std::string_view kUnpacking = ".tandem-unpacking";

using Names = std::vector<std::string>;

bool Has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What stands at a place of the board; nothing, or an empty folder, has no names.
struct Standing {
  Names names, in_bin, in_share;
};

// Has the board's shell say it: a heading has a slash, which no name has. No program is needed for it but
// those of the same package as `rm`.
std::string QuestionOf(const std::string& at) {
  const auto names = [](const std::string& folder) {
    return "echo /" + folder + "; ls -A " + folder + "/ 2>/dev/null || echo unreadable; ";
  };
  const auto within = [&](const std::string& folder) {
    return "if [ -d " + folder + " ]; then " + names(folder) + "fi; ";
  };
  return "if [ -e " + at + " ] || [ -L " + at + " ]; then if [ -d " + at + " ]; then " + names(at) +
         within(at + "/bin") + within(at + "/share") + "else echo /" + at + "; echo no-folder; fi; fi";
}

Standing StandingAt(const std::string& at, const std::string& answer) {
  Standing standing;
  Names* names = nullptr;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('/') == std::string::npos) {
      if (names != nullptr) names->push_back(line);
      continue;
    }
    names = line == "/" + at              ? &standing.names
            : line == "/" + at + "/bin"   ? &standing.in_bin
            : line == "/" + at + "/share" ? &standing.in_share
                                          : nullptr;
  }
  return standing;
}

// The first name that no archive brings (scripts/package, cmake/TandemInstall.cmake), if there is one:
// ~/.local may well have tandem-device in its bin, too.
std::string StrangerIn(const Standing& standing) {
  static const Names own = {"bin", "include", "lib", "lib64", "own", "share"};
  static const Names shared = {"bash-completion", "doc", "fish", "man", "tandem", "zsh"};
  for (const std::string& name : standing.names) {
    if (!Has(own, name)) return name;
  }
  for (const std::string& name : standing.in_bin) {
    if (!name.starts_with("tandem-device")) return "bin/" + name;
  }
  for (const std::string& name : standing.in_share) {
    if (!Has(shared, name)) return "share/" + name;
  }
  return {};
}

// Throws where something else than an install of before, or what one left, would be removed.
void RefuseLoss(const InstallOrder& order, const std::string& at, const Standing& standing) {
  if (standing.names.empty() || Has(standing.names, kUnpacking)) return;
  const bool installed = Has(standing.in_bin, "tandem-device");
  const std::string stranger = StrangerIn(standing);
  if (installed && stranger.empty()) return;
  std::string why = at + " is there, and tandem did not install it: ";
  if (Has(standing.names, "no-folder")) {
    why += "it is no folder";
  } else if (!installed) {
    why += "it has no bin/tandem-device, but " + Quoted(standing.names.front());
  } else {
    why += "it has " + Quoted(stranger) + ", too";
  }
  throw InputError(order.shell + ": " + why +
                   "; it would be removed: another --folder of `tandem boards install` leaves it as it is, "
                   "its --force removes it");
}

}  // namespace

std::string ProgramIn(const std::string& folder) { return folder + "/bin/tandem-device"; }

Installed InstallOnBoard(const InstallOrder& order) {
  const std::string folder = CheckedFolder(order.folder), fresh = folder + ".new", old = folder + ".old";
  const Board board(order);
  Installed installed;
  installed.processor = ProcessorOf(board, order);
  installed.archive = order.archive ? *order.archive : ArchiveFor(installed.processor);
  std::error_code error;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(installed.archive, error));
  if (error) throw InputError(installed.archive.string() + ": " + error.message());
  if (!order.force) {
    const Names places = {folder, fresh, old};
    const std::string answer =
        board.Say(Joined(places, "; ", QuestionOf), {}, "looking at what stands in " + folder);
    for (const std::string& at : places) RefuseLoss(order, at, StandingAt(at, answer));
  }
  // Beside it first: what is there stays whole until all of the new one has come.
  const std::string unpacking = fresh + "/" + std::string(kUnpacking);
  DeviceInput input;
  input.files = {installed.archive};
  if (order.sent) input.told = [&](std::int64_t sent) { order.sent(sent, bytes); };
  (void)board.Say("rm -rf " + fresh + " && mkdir -p " + fresh + " && : >" + unpacking + " && tar -xzf - -C " +
                      fresh + " --strip-components=1",
                  input, "unpacking the archive");
  const std::string said =
      Trimmed(board.Say(ProgramIn(fresh) + " --version", {}, "starting what was unpacked"));
  (void)board.Say("rm -rf " + old + " && if [ -e " + folder + " ] || [ -L " + folder + " ]; then mv " +
                      folder + " " + old + "; fi && rm -f " + unpacking + " && mv " + fresh + " " + folder +
                      " && rm -rf " + old,
                  {}, "putting it in its place");
  installed.version = said.substr(said.rfind(' ') + 1);
  installed.command = order.shell + " " + ProgramIn(folder);
  return installed;
}

}  // namespace tandem
