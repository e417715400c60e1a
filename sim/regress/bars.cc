#include "sim/regress/bars.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

FigureName NamedBy(const std::string& option, const std::string& word) {
  const auto figure = FindFigure(word);
  if (!figure) throw InputError(option + ": " + WhyNoFigure(word));
  return *figure;
}

std::pair<FigureName, Tolerance> BarOf(const std::string& option, const std::string& word) {
  const std::size_t colon = word.rfind(':');
  const auto tolerance =
      colon == std::string::npos ? std::nullopt : ParseTolerance(std::string_view(word).substr(colon + 1));
  if (!tolerance) {
    throw InputError(option +
                     ": expected FIGURE:P% such as p99:5%, or FIGURE:AMOUNT in the figure's unit, not " +
                     Quoted(word));
  }
  return {NamedBy(option, word.substr(0, colon)), *tolerance};
}

// "p99" is that of all streams together and of each.
bool IsMeant(const FigureName& by, const FigureName& figure) {
  return by.kind == figure.kind && (by.stream.empty() || by.stream == figure.stream);
}

// The last that means it: what is more special is said later.
template <class Bars>
std::optional<Tolerance> LastOf(const Bars& bars, const FigureName& figure) {
  std::optional<Tolerance> found;
  for (const auto& [name, tolerance] : bars) {
    if (IsMeant(name, figure)) found = tolerance;
  }
  return found;
}

}  // namespace

Bars::Bars(const Words& words) {
  for (const std::string& word : words.only) only_.push_back(NamedBy("--only", word));
  for (const std::string& word : words.fail) fail_.push_back(BarOf("--fail", word));
  for (const std::string& word : words.warn) warn_.push_back(BarOf("--warn", word));
}

bool Bars::LooksAt(const FigureName& figure) const {
  return only_.empty() || std::any_of(only_.begin(), only_.end(),
                                      [&](const FigureName& name) { return IsMeant(name, figure); });
}

std::optional<Tolerance> Bars::Fail(const FigureName& figure, const Tolerance& kept) const {
  if (const auto bar = LastOf(fail_, figure)) return bar;
  return Warn(figure) ? std::nullopt : std::optional(kept);
}

std::optional<Tolerance> Bars::Warn(const FigureName& figure) const { return LastOf(warn_, figure); }

std::vector<FigureName> Bars::Named() const {
  std::vector<FigureName> all = only_;
  for (const auto& bars : {fail_, warn_}) {
    for (const Bar& bar : bars) {
      if (LooksAt(bar.first)) all.push_back(bar.first);
    }
  }
  return all;
}

}  // namespace tandem
