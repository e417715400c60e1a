// "did you mean": the nearest known word to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// The nearest of `known` to `word` when it is near enough to be a slip of the fingers, else empty. The first
// of equals wins, so the answer depends on the order of `known` alone.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> known);

// `; did you mean "x"?`, or `; known: a, b, c` while the list is short, or `; COMMAND shows what there is`
// where a command does, or nothing.
std::string Suggestion(std::string_view word, std::span<const std::string_view> known,
                       std::string_view command = {});
std::string Suggestion(std::string_view word, const std::vector<std::string>& known,
                       std::string_view command = {});

// `"word"` in quotes as messages show it: cut when long, and printable.
std::string Quoted(std::string_view word);

}  // namespace tandem
