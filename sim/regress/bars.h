// What a command line says of figures: which are looked at, and how far each may move.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/baseline/figure.h"
#include "scenarios/baseline/tolerance.h"

namespace tandem {

class Bars {
 public:
  struct Words {
    std::vector<std::string> only, fail, warn;  // "p99", "p99:5%"
  };

  Bars() = default;
  explicit Bars(const Words& words);  // throws InputError

  bool LooksAt(const FigureName& figure) const;
  // How much worse it may be before the answer is no, `kept` being the baseline's; nothing: as much as it
  // likes, for a bar of --warn alone takes the place of the baseline's.
  std::optional<Tolerance> Fail(const FigureName& figure, const Tolerance& kept) const;
  std::optional<Tolerance> Warn(const FigureName& figure) const;
  // What the words name one by one: a baseline without them cannot answer.
  std::vector<FigureName> Named() const;

 private:
  using Bar = std::pair<FigureName, Tolerance>;
  std::vector<FigureName> only_;
  std::vector<Bar> fail_, warn_;
};

}  // namespace tandem
