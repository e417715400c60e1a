#include "sim/sweep/design.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "profiles/base/json_write.h"
#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

constexpr int kDigitsOfLevel = 12;  // 0.3, not 0.30000000000000004
constexpr int kDigitsOfDraw = 6;    // what nobody chose need not be longer

// In so many significant digits, or decimals; by functions that know no locale.
double Rounded(double value, std::chars_format format, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, format, digits).ptr;
  double rounded = value;
  std::from_chars(text, end, rounded);
  return rounded;
}

bool EndIn(const SweepAxis& axis, std::string_view suffix) {
  return std::any_of(axis.pointers.begin(), axis.pointers.end(),
                     [&](const std::string& pointer) { return pointer.ends_with(suffix); });
}

// As the file may have it: whole numbers, and times to the nanosecond.
std::string Written(const SweepAxis& axis, double value, int digits) {
  value = Rounded(value, std::chars_format::general, digits);
  if (axis.range->IsInteger()) value = std::floor(value + 0.5);
  if (EndIn(axis, "_us")) value = Rounded(value, std::chars_format::fixed, 3);
  if (EndIn(axis, "_ms")) value = Rounded(value, std::chars_format::fixed, 6);
  return JsonNumber(std::clamp(value, axis.range->from, axis.range->to));
}

double Between(const SweepRange& range, double share) {
  if (range.log) return range.from * Exp(share * NaturalLog(range.to / range.from));
  return range.from + share * (range.to - range.from);
}

std::int64_t StepsOf(const SweepRange& range, double step) {
  return static_cast<std::int64_t>(std::floor((range.to - range.from) / step + 1e-9)) + 1;
}

// 0: it has none of its own.
std::int64_t LevelCount(const SweepRange& range) {
  if (range.points) return *range.points;
  if (range.step) return StepsOf(range, *range.step);
  return range.IsInteger() && !range.log ? StepsOf(range, 1) : 0;
}

double LevelAt(const SweepRange& range, std::int64_t level, std::int64_t count) {
  if (!range.points) return range.from + static_cast<double>(level) * range.step.value_or(1);
  if (count == 1) return range.from;
  if (level == count - 1) return range.to;
  return Between(range, static_cast<double>(level) / static_cast<double>(count - 1));
}

std::string Drawn(const SweepAxis& axis, double share) {
  const SweepRange& range = *axis.range;
  if (range.log || !range.IsInteger()) return Written(axis, Between(range, share), kDigitsOfDraw);
  // Each integer as likely as any other.
  return JsonNumber(std::min(range.from + std::floor(share * (range.to - range.from + 1)), range.to));
}

std::vector<double> DrawsOf(const SweepAxis& axis, const SweepDesign& design) {
  StreamRandom random("sweep axis " + axis.name, design.seed);
  const auto points = static_cast<std::size_t>(design.points);
  std::vector<double> draws(points);
  if (design.type == SweepDesignType::kRandom) {
    for (double& draw : draws) draw = random.Uniform();
    return draws;
  }
  const std::vector<std::size_t> order = ShuffledOrder(points, random);
  for (std::size_t p = 0; p < points; ++p) {
    draws[p] = (static_cast<double>(order[p]) + random.Uniform()) / static_cast<double>(points);
  }
  return draws;
}

// None: a range that values are drawn from.
std::vector<std::string> LevelsOf(const SweepAxis& axis, bool grid) {
  if (!axis.range) return axis.values;
  const bool chosen = grid || axis.range->points || axis.range->step;
  return chosen ? RangeLevels(axis) : std::vector<std::string>();
}

}  // namespace

bool SweepRange::IsInteger() const {
  const auto whole = [](double value) { return value == std::floor(value); };
  return integer.value_or(!points && whole(from) && whole(to) && whole(step.value_or(1)));
}

std::vector<std::string> RangeLevels(const SweepAxis& axis) {
  const std::int64_t count = LevelCount(*axis.range);
  const int digits = axis.range->log ? kDigitsOfDraw : kDigitsOfLevel;
  std::vector<std::string> levels;
  for (std::int64_t level = 0; level < count; ++level) {
    levels.push_back(Written(axis, LevelAt(*axis.range, level, count), digits));
  }
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

SweepPoints::SweepPoints(const Sweep& sweep) : sweep_(sweep) {
  const bool grid = sweep.design.type == SweepDesignType::kGrid;
  if (!grid) size_ = sweep.design.points;
  for (const SweepAxis& axis : sweep.axes) {
    levels_.push_back(LevelsOf(axis, grid));
    if (grid) {
      size_ *= static_cast<std::int64_t>(levels_.back().size());
    } else {
      draws_.push_back(DrawsOf(axis, sweep.design));
    }
  }
}

std::string SweepPoints::ValueOf(std::size_t axis, std::int64_t point) const {
  const double share = draws_[axis][static_cast<std::size_t>(point)];
  const std::vector<std::string>& levels = levels_[axis];
  if (levels.empty()) return Drawn(sweep_.axes[axis], share);
  const auto level = static_cast<std::size_t>(share * static_cast<double>(levels.size()));
  return levels[std::min(level, levels.size() - 1)];
}

std::vector<std::string> SweepPoints::At(std::int64_t point) const {
  std::vector<std::string> values(levels_.size());
  for (std::size_t axis = levels_.size(); axis-- > 0;) {
    if (!draws_.empty()) {
      values[axis] = ValueOf(axis, point);
      continue;
    }
    const auto count = static_cast<std::int64_t>(levels_[axis].size());
    values[axis] = levels_[axis][static_cast<std::size_t>(point % count)];
    point /= count;
  }
  return values;
}

std::int64_t CountPoints(const Sweep& sweep, std::int64_t most) {
  if (sweep.design.type != SweepDesignType::kGrid) return std::min(sweep.design.points, most + 1);
  std::int64_t count = 1;
  for (const SweepAxis& axis : sweep.axes) {
    const auto levels = axis.range ? LevelCount(*axis.range) : static_cast<std::int64_t>(axis.values.size());
    if (levels > most / count) return most + 1;
    count *= levels;
  }
  return count;
}

}  // namespace tandem
