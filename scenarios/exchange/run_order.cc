#include "scenarios/exchange/run_order.h"

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "scenarios/scenario/parts.h"

namespace tandem {
namespace {

constexpr std::string_view kOrderKind = "run-request/1";
constexpr std::int64_t kMostRepeats = 100'000;

// In place, or a file's name.
PlanFile ReadOnePlan(const JsonReader& value, const ScenarioOptions& options) {
  if (value.IsObject()) return ReadPlan(value, options);
  return Within(value, [&] {
    const JsonDocument document = JsonDocument::ReadFile(ResolvePath(value.Name(), value.file()));
    return ReadPlan(document.root(), options);
  });
}

void ReadFlag(const JsonReader& root, std::string_view key, bool& into) {
  if (const auto value = root.Find(key)) into = value->Boolean();
}

}  // namespace

RunOrder ReadRunOrder(const JsonReader& root, const ScenarioOptions& options) {
  RunOrder request;
  if (FileKind(root).starts_with("plan/")) {
    request.plans.push_back(ReadPlan(root, options));
    return request;
  }
  ExpectFileKind(root, kOrderKind);
  root.OnlyKeys({"tandem", "plans", "repeats", "seed", "check", "trace", "force"});
  const JsonReader plans = root.Get("plans");
  for (const JsonReader plan : plans.Elements()) request.plans.push_back(ReadOnePlan(plan, options));
  if (request.plans.empty()) plans.Fail("a request has at least one plan");
  if (const auto repeats = root.Find("repeats")) request.repeats = repeats->Integer(1, kMostRepeats);
  if (const auto seed = root.Find("seed")) request.seed = seed->Unsigned();
  ReadFlag(root, "check", request.check);
  ReadFlag(root, "trace", request.trace);
  ReadFlag(root, "force", request.force);
  return request;
}

}  // namespace tandem
