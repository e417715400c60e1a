// Lists in sentences: "a, b, c".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tandem {

// `text` says what stands for an item: a function or a member of it; a number stands for itself.
template <class Items, class Text = std::identity>
std::string Joined(const Items& items, std::string_view between = ", ", Text text = {}) {
  std::string all;
  bool first = true;
  for (const auto& item : items) {
    if (!first) all += between;
    first = false;
    const auto& shown = std::invoke(text, item);
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(shown)>>) {
      all += std::to_string(shown);
    } else {
      all += shown;
    }
  }
  return all;
}

}  // namespace tandem
