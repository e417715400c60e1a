#include "sim/engine/simgrid_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"

namespace tandem {
namespace {

constexpr std::size_t kLargestPlatform = std::size_t{16} << 20;
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

}  // namespace

std::string ReadSimGridText(const std::string& name) {
  std::string text = ReadTextFile(name, kLargestPlatform);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());  // SimGrid knows none
  CheckIsXml(name, text);
  CheckWords(name, text);
  CheckHasAZone(name, text);
  return text;
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
