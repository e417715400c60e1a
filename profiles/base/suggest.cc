#include "profiles/base/suggest.h"

#include <algorithm>
#include <cctype>

#include "profiles/base/joined.h"
#include "profiles/base/printable.h"

namespace tandem {
namespace {

constexpr std::size_t kLongestWord = 64;  // a longer one is no slip of the fingers
constexpr std::size_t kShortList = 12;    // so many known words still fit a message
constexpr std::size_t kLongestQuote = 80;

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edit distance in which swapping two neighbours counts once; letters of the other case are equal.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) && Lower(a[i - 2]) == Lower(b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = Distance(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string Suggestion(std::string_view word, std::span<const std::string_view> known,
                       std::string_view command) {
  const std::string_view nearest = Nearest(word, known);
  if (!nearest.empty()) return "; did you mean " + Quoted(nearest) + "?";
  if (!known.empty() && known.size() <= kShortList) return "; known: " + Joined(known);
  return command.empty() ? std::string() : "; `" + std::string(command) + "` shows what there is";
}

std::string Suggestion(std::string_view word, const std::vector<std::string>& known,
                       std::string_view command) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return Suggestion(word, std::span<const std::string_view>(views), command);
}

std::string Quoted(std::string_view word) {
  std::string quoted = "\"";
  while (!word.empty()) {
    if (quoted.size() > kLongestQuote) {
      quoted += "...";
      break;
    }
    const Glyph glyph = FirstGlyph(word);
    if (word[0] == '"' || word[0] == '\\') quoted += '\\';
    quoted += glyph.shows ? word.substr(0, glyph.length) : std::string_view(glyph.written);
    word.remove_prefix(glyph.length);
  }
  return quoted + "\"";
}

}  // namespace tandem
