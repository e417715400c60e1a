#include "sim/engine/simgrid_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kLargestPlatform = std::size_t{16} << 20;
constexpr std::size_t kDeepest = 32;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf", kBlanks = " \t\r\n";

// SimGrid starts programs that have the right name, and knows XML by nothing but that.
void CheckIsXml(const std::string& name, const std::string& text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin != std::string::npos && text[begin] == '<' && text.find('\0') == std::string::npos) return;
  throw InputError(name +
                   ": SimGrid cannot read it: it is no XML, which is text and begins with \"<\"; save the "
                   "platform as XML, in UTF-8");
}

// Of one without SimGrid dies.
void CheckHasAZone(const std::string& name, const std::string& text) {
  if (text.find("<platform") == std::string::npos) return;  // it says itself what that is not
  for (const char* zone : {"<zone", "<AS", "<cluster"}) {
    if (text.find(zone) != std::string::npos) return;
  }
  throw InputError(name +
                   ": it has no zone; the hosts of a SimGrid platform are in one: <zone id=\"lab\" "
                   "routing=\"Full\">");
}

// A stranger's file may have SimGrid read and write others: nothing that does is taken.
void CheckWords(const std::string& name, const std::string& text) {
  for (const char* word : {"<config", "<include", "<trace", "_file", "<actor", "<process"}) {
    if (text.find(word) == std::string::npos) continue;
    throw InputError(name + ": \"" + word +
                     "\" sets SimGrid up or names other files, which a board has no use for; leave that out");
  }
}

// Behind the tag that begins at `at`: a '>' within quotes is not its end.
std::size_t EndOfTag(const std::string& text, std::size_t at) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char letter = text[at];
    if (quote != '\0') {
      if (letter == quote) quote = '\0';
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (letter == '>') {
      return at + 1;
    }
  }
  return at;
}

std::size_t Behind(const std::string& text, std::string_view end, std::size_t from) {
  const std::size_t found = text.find(end, from);
  return found == std::string::npos ? text.size() : found + end.size();
}

void CheckDepth(const std::string& name, const std::string& text, std::size_t at, std::size_t depth) {
  if (depth <= kDeepest) return;
  const std::string_view before = std::string_view(text).substr(0, at);
  throw InputError(name + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
                   ": elements are within each other " + std::to_string(depth) +
                   " deep, of which SimGrid may die; at most " + std::to_string(kDeepest) +
                   " are taken: put the hosts into one zone");
}

// Of what is nested deep SimGrid writes beyond its memory. It ends comments and instructions elsewhere than
// XML does: the text comes back without them, in lines as before.
std::string CheckNesting(const std::string& name, const std::string& text) {
  constexpr std::string_view kComment = "<!--", kInstruction = "<?";
  std::string kept;
  std::size_t depth = 0, done = 0;
  bool first = true;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', done)) {
    kept.append(text, done, at - done);
    const std::string_view rest = std::string_view(text).substr(at);
    const bool comment = rest.starts_with(kComment), instruction = rest.starts_with(kInstruction);
    if (comment || instruction) {
      done = comment ? Behind(text, "-->", at + kComment.size()) : Behind(text, "?>", at);
      const std::string_view dropped = rest.substr(0, done - at);
      if (std::exchange(first, false) && dropped.starts_with("<?xml")) {
        kept += dropped;
      } else {
        kept += ' ';
        kept.append(static_cast<std::size_t>(std::count(dropped.begin(), dropped.end(), '\n')), '\n');
      }
      continue;
    }
    first = false;
    done = EndOfTag(text, at);
    kept.append(text, at, done - at);
    const bool closes = rest.starts_with("</"), empty = done - at > 2 && text[done - 2] == '/';
    if (closes) {
      depth -= depth > 0 ? 1 : 0;
    } else if (!rest.starts_with("<!") && !empty) {
      CheckDepth(name, text, at, ++depth);
    }
  }
  return kept.append(text, done);
}

}  // namespace

std::string ReadSimGridText(const std::string& name) {
  std::string text = ReadTextFile(name, kLargestPlatform);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());  // SimGrid knows none
  CheckIsXml(name, text);
  CheckWords(name, text);
  CheckHasAZone(name, text);
  return CheckNesting(name, text);
}

NamelessFile::NamelessFile(const std::string& text)
    : descriptor_(::memfd_create("platform.xml", MFD_CLOEXEC)) {
  int cause = descriptor_ < 0 ? errno : 0;
  for (std::string_view left = text; cause == 0 && !left.empty();) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno != EINTR) cause = errno;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (cause == 0) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw EnvironmentError(std::string("no file can be made for SimGrid: ") + std::strerror(cause));
}

NamelessFile::~NamelessFile() { ::close(descriptor_); }

std::string NamelessFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace tandem
