#include "device/study/application.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "device/host/starter.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

// "begin NANOS"; nothing: it is to go.
std::optional<std::chrono::steady_clock::time_point> AwaitBegin() {
  constexpr std::string_view kBegin = "begin ";
  TellStarter("ready");
  const std::string line = HearStarter();
  std::int64_t date = 0;
  if (!line.starts_with(kBegin)) return std::nullopt;
  const char* const digits = line.data() + kBegin.size();
  if (std::from_chars(digits, line.data() + line.size(), date).ec != std::errc()) return std::nullopt;
  return std::chrono::steady_clock::time_point(Nanos{date});
}

std::string OneLine(std::string json) {
  std::replace(json.begin(), json.end(), '\n', ' ');  // those inside of strings are escaped
  return json;
}

}  // namespace

// What belongs to all streams together belongs to nobody here: loads, limits, and the other slots.
PlanFile PlanOfApplication(const RunOrder& request, const std::string& place_and_stream) {
  const auto colon = place_and_stream.find(':');
  std::size_t place = 0;
  const char* const end = place_and_stream.data() + std::min(colon, place_and_stream.size());
  if (colon == std::string::npos || std::from_chars(place_and_stream.data(), end, place).ptr != end ||
      place >= request.plans.size()) {
    throw InputError("--application " + Quoted(place_and_stream) +
                     ": expected the place of a plan and a stream of it, as in \"0:camera\"");
  }
  PlanFile plan = request.plans[place];
  Scenario& scenario = plan.scenario;
  const std::string name = place_and_stream.substr(colon + 1);
  const auto found = std::find_if(scenario.streams.begin(), scenario.streams.end(),
                                  [&](const Stream& stream) { return stream.name == name; });
  if (found == scenario.streams.end())
    throw InputError("--application " + Quoted(place_and_stream) + ": " + scenario.file +
                     " has no such stream");
  const auto position = static_cast<std::size_t>(found - scenario.streams.begin());
  scenario.streams = {Stream(*found)};
  if (!scenario.alone.empty()) scenario.alone = {std::optional<Nanos>(scenario.alone[position])};
  scenario.limits.clear();
  scenario.loads.clear();
  scenario.programs.clear();
  if (scenario.platform) {
    for (Unit& unit : scenario.platform->units) unit.slots = 1;
  }
  return plan;
}

int RunAsApplication(PlanFile plan, RunSettings settings, HarnessHost host) {
  RunOrder order;
  static_cast<RunSettings&>(order) = settings;
  order.plans.push_back(std::move(plan));
  order.repeats = std::numeric_limits<std::int64_t>::max();
  order.tries = 1;
  order.trace = order.each = true;
  bool began = false;
  host.energy = nullptr;
  host.pause = Nanos{0};
  host.begins = [&] {
    const auto date = AwaitBegin();
    began = date.has_value();
    return date;
  };
  host.ended = [&] {
    if (!began) return;
    TellStarter("ended");
    began = HearStarter() == "tell";
  };
  host.told = [&](const RunAnswer& one) {
    if (std::exchange(began, false)) TellStarter(OneLine(RunAnswerJson(one)));
  };
  RunPlans(order, host);
  return kExitDone;
}

}  // namespace tandem
