// What a board carries as JSON, file kind "capacity/1".
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiles/base/file_kinds.h"
#include "profiles/base/json_output.h"
#include "scenarios/report/unchanged.h"
#include "sim/questions/capacity.h"

namespace tandem {
namespace {

constexpr double kLowest = std::numeric_limits<double>::lowest();

std::optional<std::vector<double>> EndsOrNull(const std::optional<Interval>& interval) {
  return interval ? std::optional(std::vector{interval->low, interval->high}) : std::nullopt;
}
CodecOf<std::optional<std::vector<double>>> TwoEnds() {
  return as::OrNull(as::ListOf(as::Number(kLowest), {.least = 2, .most = 2}));
}

// Where nothing completed a figure is infinite, which JSON has no number for.
std::vector<std::optional<double>> Finite(const std::vector<double>& values) {
  std::vector<std::optional<double>> finite;
  for (const double value : values)
    finite.push_back(std::isfinite(value) ? std::optional(value) : std::nullopt);
  return finite;
}

const Fields<PolicyCapacity>& PolicyCapacityFields() {
  using P = PolicyCapacity;
  const auto figures = as::ListOf(as::OrNull(as::Number(kLowest)));
  static const auto fields =
      Fields<P>("capacity_policy")
          .Needed("policy", &P::policy, as::Words())
          .Needed("label", &P::label, as::Words())
          .Says(
              "limit", as::OrNull(as::Number(kLowest)), [](const P& of) { return of.limit.value; },
              "The last value at which the condition holds; null: it holds at none that was tried.")
          .Says(
              "ended", as::Boolean(), [](const P& of) { return of.limit.ended; },
              "The search ended there; it may hold beyond.")
          .Says(
              "fails_at", as::OrNull(as::Number(kLowest)), [](const P& of) { return of.limit.fails_at; },
              "The next value that was tried, where it does not hold.")
          .Says(
              "fails_below", as::ListOf(as::Number(kLowest)),
              [](const P& of) { return of.limit.fails_below; },
              "Values with less load than the limit's where it does not hold: it is not monotone.")
          .Says(
              "tried", as::Integer(0), [](const P& of) { return of.limit.tried; }, "So many values.")
          .Says(
              "interval", TwoEnds(), [](const P& of) { return EndsOrNull(of.interval); },
              "Of the limit, over draws of the times and seeds.")
          .Needed("interval_why", &P::interval_why, as::TextOrNull(), "Why there is none.")
          .Says(
              "over_seeds", TwoEnds(), [](const P& of) { return EndsOrNull(of.over_seeds); },
              "Of the limits of single seeds, with times as they are; null where no arrival is random.")
          .Says(
              "figures", figures, [](const P& of) { return Finite(of.at_limit); },
              "At the limit, a figure per condition: in ns, requests, shares, 1/s, J or W.")
          .Says(
              "figures_beyond", figures, [](const P& of) { return Finite(of.beyond_limit); }, "At fails_at.")
          .Needed("why", &P::why, as::TextOrNull(), "Why there is no limit, or nothing beyond it was tried.")
          .Needed("winner", &P::winner, as::Boolean(), "The best, where nobody is close to it.")
          .Needed("best", &P::best, as::Boolean(),
                  "By the median over the draws, where all that have a limit have such.")
          .Needed("close", &P::close, as::Boolean(), "The draws cannot tell it from the best.")
          .MaySay(
              "median", as::Number(kLowest),
              [](const P& of) {
                return of.draws.objective ? std::optional(of.draws.objective->median) : std::nullopt;
              },
              "Of the limit, over the draws.");
  return fields;
}

const Fields<Capacity>& CapacityFields() {
  using C = Capacity;
  static const auto fields =
      Fields<C>("capacity", "the most that a board carries; `tandem capacity --json` prints it")
          .Kind("capacity/1")
          .Needed("scenario", &C::scenario, as::Words())
          .Optional("what_if", &C::what_if, as::ListOf(as::ObjectOf(WhatIfFields())))
          .Needed("vary", &C::vary, as::Words())
          .Needed("until", &C::until, as::Words())
          .Needed("unit", &C::unit, as::TextOrNull(), "Of the values.")
          .Says("find", as::WordOf({"most", "least"}),
                [](const C& capacity) { return std::string(capacity.least ? "least" : "most"); })
          .Needed("now", &C::now, as::Number(kLowest), "As the scenario has it.")
          .Needed("engine", &C::engine, as::WordOf({"simgrid", "virtual", "fluid"}))
          .Needed("seed", &C::seed, as::Unsigned())
          .Needed("seeds", &C::seeds, as::Integer(1), "So many seeds for every value, from this one on.")
          .Says("interval", as::Number(0, 1), [](const C& capacity) { return capacity.probability; })
          .Needed("estimated", &C::estimated, as::ListOf(as::Text()),
                  "What was taken for want of a measurement at the limits, a sentence each.")
          .Needed("profiles", &C::profiles, UsedProfiles())
          .MaySay(
              "win_probability", as::Number(0, 1), [](const C& capacity) { return capacity.win_probability; },
              "In what share of the draws the best is that.")
          .Needed("policies", &C::policies, as::ListOf(as::ObjectOf(PolicyCapacityFields())));
  return fields;
}

const FileKindRegistration kCapacityKind{{"capacity/1", AsAnyFields<Capacity, CapacityFields>}};

}  // namespace

std::string CapacityJson(const Capacity& capacity) {
  return JsonOutput(nlohmann::ordered_json::parse(CapacityFields().Text(capacity)));
}

}  // namespace tandem
