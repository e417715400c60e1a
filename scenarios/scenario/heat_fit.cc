#include "scenarios/scenario/heat_fit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "profiles/dumps/csv.h"

namespace tandem {
namespace {

constexpr std::size_t kFewestRows = 10;
constexpr double kHeldBack = 0.97;  // of the fastest clock: a lower one is not what the governor meant
constexpr double kLongest = 10;     // time constants, of the log's length: beyond, it says nothing
constexpr int kSteps = 200;         // of the search over time constants, then again between the best ones

double Number(const CsvTable& table, const CsvRow& row, std::string_view heading,
              std::optional<double> absent = {}) {
  const auto cell = table.Cell(row, heading);
  if (!cell && absent) return *absent;
  double value = 0;
  const std::string text = cell.value_or("");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw InputError(row.place + ": " + std::string(heading) + " is " + Quoted(text) +
                     ", which is no number");
  }
  return value;
}

// What is left of temperatures where the unit warms up with this time constant, and what follows from it: how
// warm work makes it in the end, and how warm it is at first, both above the surroundings.
struct Try {
  double constant = 0, rise = 0, first = 0, off = 0;
  std::vector<double> warmth;  // per row, of a unit that begins cold
};

class Temperatures {
 public:
  Temperatures(std::span<const HeatLogRow> rows, double full, double ambient)
      : rows_(rows), full_(full), ambient_(ambient) {}

  Try With(double constant) const {
    Try made;
    made.constant = constant;
    double warmth = 0;
    std::vector<double> left;  // of how warm it is at first
    // Least squares in the two others, in which the temperature is linear.
    double ww = 0, wl = 0, ll = 0, wt = 0, lt = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r > 0) {
        const double kept = std::exp(-(rows_[r].time_s - rows_[r - 1].time_s) / constant);
        const double towards = rows_[r].busy * rows_[r - 1].mhz / full_;
        warmth = towards + (warmth - towards) * kept;
      }
      made.warmth.push_back(warmth);
      left.push_back(std::exp(-(rows_[r].time_s - rows_[0].time_s) / constant));
      const double above = rows_[r].celsius - ambient_;
      ww += warmth * warmth;
      wl += warmth * left[r];
      ll += left[r] * left[r];
      wt += warmth * above;
      lt += left[r] * above;
    }
    const double determinant = ww * ll - wl * wl;
    if (determinant <= 1e-12 * ww * ll) {
      made.off = std::numeric_limits<double>::infinity();
      return made;
    }
    made.rise = (wt * ll - lt * wl) / determinant;
    made.first = (lt * ww - wt * wl) / determinant;
    double squares = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double off = made.rise * made.warmth[r] + made.first * left[r] + ambient_ - rows_[r].celsius;
      squares += off * off;
    }
    made.off = std::sqrt(squares / static_cast<double>(rows_.size()));
    return made;
  }

  // Over a grid of logarithms, then over a finer one about the best of it.
  Try Best(double least, double most) const {
    Try best = With(least);
    double low = std::log(least), high = std::log(most);
    for (int round = 0; round < 3; ++round) {
      const double step = (high - low) / kSteps;
      for (int s = 0; s <= kSteps; ++s) {
        Try here = With(std::exp(low + step * s));
        if (here.off < best.off) best = std::move(here);
      }
      low = std::max(std::log(least), std::log(best.constant) - step);
      high = std::min(std::log(most), std::log(best.constant) + step);
    }
    return best;
  }

 private:
  std::span<const HeatLogRow> rows_;
  double full_, ambient_;
};

}  // namespace

std::vector<HeatLogRow> ReadHeatLog(std::string_view text, const std::string& file) {
  const CsvTable table(text, file);
  for (const std::string_view needed : {"time_s", "celsius", "mhz"}) {
    if (!table.Has(needed)) {
      throw InputError(file + ": has no column " + Quoted(needed) +
                       "; it needs time_s, celsius and mhz, and has " +
                       (table.Headings().empty() ? "none" : table.Headings()));
    }
  }
  std::vector<HeatLogRow> rows;
  for (const CsvRow& row : table.rows()) {
    HeatLogRow read{Number(table, row, "time_s"), Number(table, row, "celsius"), Number(table, row, "mhz"),
                    Number(table, row, "busy", 1.0), row.place};
    if (!rows.empty() && read.time_s <= rows.back().time_s)
      throw InputError(row.place + ": time_s does not ascend: it is no later than in the line before");
    if (read.mhz <= 0) throw InputError(row.place + ": mhz is not above 0");
    if (read.busy < 0 || read.busy > 1) throw InputError(row.place + ": busy is a share, from 0 to 1");
    rows.push_back(std::move(read));
  }
  return rows;
}

HeatFit FitHeat(std::span<const HeatLogRow> rows, const std::string& file, std::optional<double> ambient) {
  if (rows.size() < kFewestRows) {
    throw InputError(file + ": has " + std::to_string(rows.size()) + " rows; a fit takes " +
                     std::to_string(kFewestRows) + ", better a hundred");
  }
  double full = 0, coolest = rows[0].celsius, hottest = rows[0].celsius;
  for (const HeatLogRow& row : rows) {
    full = std::max(full, row.mhz);
    coolest = std::min(coolest, row.celsius);
    hottest = std::max(hottest, row.celsius);
  }
  HeatFit fit;
  fit.ambient = ambient.value_or(coolest);
  std::vector<double> held_back, hot, cool;
  const auto held = [&](std::size_t r) { return rows[r].mhz < kHeldBack * full; };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (held(r)) held_back.push_back(rows[r].mhz);
    if (r == 0 || held(r) == held(r - 1)) continue;
    // Somewhere between the two.
    (held(r) ? hot : cool).push_back((rows[r].celsius + rows[r - 1].celsius) / 2);
  }
  if (hot.empty()) {
    throw InputError(file + ": the clock never falls below " + Percent(kHeldBack, 0) + " of its " +
                     Fixed(full, 0) + " MHz for the heat, " + Fixed(hottest, 1) +
                     " degrees at most: log a longer run, or one of harder work");
  }
  const double length = rows.back().time_s - rows[0].time_s;
  const Try best = Temperatures(rows, full, fit.ambient).Best(length / 1e4, kLongest * length);
  fit.rise = best.rise;
  fit.off = best.off;
  fit.hot = Mean(hot);
  fit.recovered = !cool.empty();
  fit.heat.time_constant = Nanos{std::llround(best.constant * static_cast<double>(kNanosPerSecond))};
  fit.heat.hot = (fit.hot - fit.ambient) / fit.rise;
  if (best.constant > 0.99 * kLongest * length || fit.rise <= 0 || fit.heat.hot <= 0 || fit.heat.hot >= 1) {
    throw InputError(file +
                     ": does not tell how warm the unit would become: temperatures rise in nearly a straight "
                     "line until it is held back. Log it cooling down, too, or a longer run");
  }
  fit.heat.speed = LowerMedian(held_back) / full;
  const double usual = kUsualCool * fit.heat.hot;
  fit.heat.cool = fit.recovered
                      ? std::clamp((Mean(cool) - fit.ambient) / fit.rise, 0.0001, kMostCool * fit.heat.hot)
                      : usual;
  fit.cool = fit.ambient + fit.heat.cool * fit.rise;
  fit.heat.warmth = std::clamp(best.first / fit.rise, 0.0, 1.0);
  return fit;
}

}  // namespace tandem
