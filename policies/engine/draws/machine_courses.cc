#include "policies/engine/draws/machine_courses.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// Of the first profile that tells it, as yardsticks are.
const MachineCourse* CourseOf(const Scenario& scenario, const Unit& unit) {
  for (const Profile& profile : scenario.profiles) {
    const auto found = profile.origin.machine.find(unit.name);
    if (found != profile.origin.machine.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

MachineCourses::MachineCourses(const Scenario& scenario) {
  for (const Unit& unit : scenario.platform->units) {
    Course& course = units_.emplace_back();
    const MachineCourse* stretches = CourseOf(scenario, unit);
    if (!stretches) continue;
    Nanos end{0};
    for (const MachineStretch& stretch : *stretches) {
      if (stretch.lasts == Nanos{0}) continue;
      end = std::min(end + stretch.lasts, kLongestTime);
      course.ends.push_back(end);
      course.slowdowns.push_back(stretch.slowdown);
      course.undisturbed += static_cast<double>(stretch.lasts.count()) / stretch.slowdown;
      course.disturbed = course.disturbed || stretch.slowdown != 1;
    }
    lasts_ = std::max(lasts_, end);
  }
}

bool MachineCourses::any() const {
  return std::any_of(units_.begin(), units_.end(), [](const Course& course) { return course.disturbed; });
}

std::size_t MachineCourses::Course::At(Nanos at) const {
  return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
}

Nanos MachineCourses::Takes(UnitId unit, Nanos from, Nanos undisturbed) const {
  const Course& course = units_[unit.index()];
  if (!course.disturbed) return undisturbed;
  const double rounds = std::floor(static_cast<double>(undisturbed.count()) / course.undisturbed);
  double left = static_cast<double>(undisturbed.count()) - rounds * course.undisturbed;
  const double whole = rounds * static_cast<double>(course.ends.back().count());
  if (whole >= static_cast<double>(kLongestTime.count())) return kLongestTime;
  Nanos at = from % course.ends.back(), taken{std::llround(whole)};
  for (std::size_t s = course.At(at);; s = s + 1 == course.ends.size() ? 0 : s + 1) {
    const double needs = left * course.slowdowns[s];
    const Nanos has = course.ends[s] - at;
    if (needs <= static_cast<double>(has.count())) {
      return std::min(taken + Nanos{std::llround(needs)}, kLongestTime);
    }
    taken += has;
    if (taken >= kLongestTime) return kLongestTime;
    left -= static_cast<double>(has.count()) / course.slowdowns[s];
    at = s + 1 == course.ends.size() ? Nanos{0} : course.ends[s];
  }
}

bool MachineCourses::IsUndisturbed(Nanos at) const {
  return std::all_of(units_.begin(), units_.end(), [&](const Course& course) {
    return !course.disturbed || course.slowdowns[course.At(at % course.ends.back())] == 1;
  });
}

}  // namespace tandem
