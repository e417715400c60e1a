#include "profiles/base/mistakes.h"

#include <algorithm>

#include "profiles/base/joined.h"

namespace tandem {
namespace {

constexpr std::size_t kMostTold = 10;
constexpr std::string_view kMoreMistakes = "and more mistakes, which are not told";

}  // namespace

// A part may have collected a few itself.
void Mistakes::Keep(std::string_view text) {
  some_ = true;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (std::find(lines_.begin(), lines_.end(), line) != lines_.end()) continue;
    more_ = more_ || line == kMoreMistakes || lines_.size() == kMostTold;
    if (!more_) lines_.emplace_back(line);
  }
  if (more_) Tell();
}

void Mistakes::Tell() const {
  if (!some_) return;
  if (lines_.empty()) throw NotJudged();
  throw InputError(Joined(lines_, "\n") + (more_ ? "\n" + std::string(kMoreMistakes) : ""));
}

bool Mistakes::Knows(const std::string& place) const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [&](const std::string& line) { return line.starts_with(place + ": "); });
}

}  // namespace tandem
