#include "scenarios/scenario/heat_fit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
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
constexpr double kAtWork = 0.5;     // of the time: a row that is less busy says nothing of its clock
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

bool AtWork(const HeatLogRow& row) { return row.busy > kAtWork; }

// The clock at which the governor means the unit to work, and what is so low that it is held back.
struct FullClock {
  double full = 0, low = 0;
};

// Readings scatter, and a few of them are spikes. How far readings of one clock lie apart is told by rows
// that follow each other, of which a quarter differ by less than a ninth of that, evenly spread or normal.
FullClock FullClockOf(std::span<const HeatLogRow> rows) {
  constexpr double kNear = 0.75, kWidest = 0.12;  // of the fastest clock
  constexpr std::size_t kSpikes = 2;              // rows
  std::vector<double> clocks, steps, near;
  for (const HeatLogRow& row : rows) {
    if (AtWork(row)) clocks.push_back(row.mhz);
  }
  if (clocks.size() <= kSpikes) return {};
  std::sort(clocks.begin(), clocks.end(), std::greater<>());
  const double top = clocks[kSpikes];
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const HeatLogRow &row = rows[r], &before = rows[r - 1];
    if (AtWork(row) && AtWork(before) && std::min(row.mhz, before.mhz) >= kNear * top)
      steps.push_back(std::abs(row.mhz - before.mhz));
  }
  std::sort(steps.begin(), steps.end());
  const double width = steps.empty() ? 0 : std::min(9 * steps[steps.size() / 4], kWidest * top);
  for (const double clock : clocks) {
    if (clock >= top - width) near.push_back(clock);
  }
  const double full = LowerMedian(near);
  return {full, std::min(kHeldBack * full, full - width)};
}

// Of a log that does not tell when the unit worked: rows without work are idle, and those that may be without
// are left out, at either end.
std::vector<HeatLogRow> WithIdleRows(std::span<const HeatLogRow> log, double low, double ambient) {
  constexpr double kCooled = 0.5;  // of the warmth: no governor waits for so little
  constexpr double kOneClock = 1.25;
  std::vector<HeatLogRow> rows(log.begin(), log.end());
  const auto is_low = [&](const HeatLogRow& row) { return row.mhz < low; };
  const auto first = std::find_if_not(rows.begin(), rows.end(), is_low);
  const auto end = std::find_if_not(rows.rbegin(), rows.rend(), is_low).base();
  if (first == rows.end() ||
      std::any_of(rows.begin(), rows.end(), [](const HeatLogRow& row) { return row.tells_busy; })) {
    return rows;
  }
  const auto cooler = [](const HeatLogRow& a, const HeatLogRow& b) { return a.celsius < b.celsius; };
  const double before = (end - 1)->celsius;
  const auto cooled = [&](double celsius, double from) {
    return celsius - ambient < kCooled * (from - ambient);
  };
  bool leave_out_end = false;
  if (end != rows.end()) {
    const double last = rows.back().celsius, idle_mhz = kOneClock * rows.back().mhz;
    const bool falls = last < before && std::max_element(end, rows.end(), cooler)->celsius < before + 1;
    if (falls && cooled(last, before)) {
      for (auto row = rows.end(); row != end && (row - 1)->mhz <= idle_mhz; --row) (row - 1)->busy = 0;
    } else {
      leave_out_end = falls && std::any_of(first, end, is_low);  // that has shown it already
    }
  }
  const bool begins_cold =
      cooled(first->celsius, std::max_element(rows.begin(), rows.end(), cooler)->celsius);
  for (auto row = rows.begin(); row != first; ++row) row->busy = 0;
  return {begins_cold ? rows.begin() : first, leave_out_end ? end : rows.end()};
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
    HeatLogRow read{Number(table, row, "time_s"),
                    Number(table, row, "celsius"),
                    Number(table, row, "mhz"),
                    Number(table, row, "busy", 1.0),
                    row.place,
                    table.Cell(row, "busy").has_value()};
    if (!rows.empty() && read.time_s <= rows.back().time_s)
      throw InputError(row.place + ": time_s does not ascend: it is no later than in the line before");
    if (read.mhz <= 0) throw InputError(row.place + ": mhz is not above 0");
    if (read.busy < 0 || read.busy > 1) throw InputError(row.place + ": busy is a share, from 0 to 1");
    rows.push_back(std::move(read));
  }
  return rows;
}

HeatFit FitHeat(std::span<const HeatLogRow> log, const std::string& file, std::optional<double> ambient) {
  const auto check_rows = [&](std::size_t size) {
    if (size >= kFewestRows) return;
    throw InputError(file + ": has " + std::to_string(size) + " rows; a fit takes " +
                     std::to_string(kFewestRows) + ", better a hundred");
  };
  check_rows(log.size());
  double coolest = log[0].celsius, hottest = log[0].celsius;
  for (const HeatLogRow& row : log) {
    coolest = std::min(coolest, row.celsius);
    hottest = std::max(hottest, row.celsius);
  }
  HeatFit fit;
  fit.ambient = ambient.value_or(coolest);
  const auto [full, low] = FullClockOf(log);
  if (full == 0) throw InputError(file + ": the unit is hardly at work in it: log a run of hard work");
  const std::vector<HeatLogRow> rows = WithIdleRows(log, low, fit.ambient);
  check_rows(rows.size());
  std::vector<double> held_back, hot, cool;
  const auto held = [&, below = low](const HeatLogRow& row) { return AtWork(row) && row.mhz < below; };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (held(rows[r])) held_back.push_back(rows[r].mhz);
    if (r == 0 || !AtWork(rows[r]) || !AtWork(rows[r - 1]) || held(rows[r]) == held(rows[r - 1])) continue;
    // Somewhere between the two. A clock that comes up without having gone down says nothing of heat.
    const double between = (rows[r].celsius + rows[r - 1].celsius) / 2;
    if (held(rows[r])) hot.push_back(between);
    if (!held(rows[r]) && !hot.empty()) cool.push_back(between);
  }
  if (hot.empty()) {
    throw InputError(file + ": the clock never falls below " + Percent(low / full, 0) + " of its " +
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
  fit.heat.cool = fit.recovered ? std::min(std::max((Mean(cool) - fit.ambient) / fit.rise, 0.0001),
                                           kMostCool * fit.heat.hot)
                                : usual;
  fit.cool = fit.ambient + fit.heat.cool * fit.rise;
  fit.heat.warmth = std::clamp(best.first / fit.rise, 0.0, 1.0);
  return fit;
}

}  // namespace tandem
