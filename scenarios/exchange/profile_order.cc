#include "scenarios/exchange/profile_order.h"

#include <algorithm>
#include <optional>
#include <set>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "scenarios/arrivals/arrivals.h"
#include "scenarios/scenario/decisions.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

// Does anything come by zero copy, or may a search try what that gains?
bool Maps(const Scenario& scenario) {
  if (scenario.transfer == TransferMode::kZeroCopy) return true;
  const bool memories = scenario.platform->memories.size() > 1;
  return std::any_of(scenario.policies.begin(), scenario.policies.end(), [&](const PolicySpec& policy) {
    if (!policy.decided) {
      return memories && scenario.transfer == TransferMode::kCopy && policy.declaration->maps;
    }
    if (!policy.decided->cuts) return false;
    const auto& edges = policy.decided->cuts->edges;
    return std::any_of(edges.begin(), edges.end(),
                       [](const EdgeMode& edge) { return edge.mode == TransferMode::kZeroCopy; });
  });
}

// Does the policy split layers, or may it?
bool MaySplit(const PolicySpec& policy) {
  if (!policy.decided) return policy.declaration->splits;
  if (!policy.decided->cuts) return false;
  const auto& cuts = policy.decided->cuts->cuts;
  return std::any_of(cuts.begin(), cuts.end(), [](const ModelPieces& cut) {
    return std::any_of(cut.pieces.begin(), cut.pieces.end(),
                       [](const CutPiece& piece) { return piece.part.has_value(); });
  });
}

// The granularity at which a policy hands out tasks; nothing: it chooses itself.
std::optional<Granularity> GranularityOf(const PolicySpec& policy) {
  if (policy.decided) {  // its own cuts may go through groups
    return policy.decided->cuts ? Granularity::kLayer : policy.decided->granularity;
  }
  if (!policy.declaration->takes_granularity) return std::nullopt;
  return policy.granularity;
}

bool SomeShareAMemory(const Platform& platform) {
  for (std::size_t a = 0; a < platform.units.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (platform.units[a].memory == platform.units[b].memory) return true;
    }
  }
  return false;
}

// What is to be measured does not hang on the profiles that it names: they may not be there yet, or lack what
// is asked for now. Where they do for it, they tell in which variant units run.
Scenario ReadToMeasure(const JsonReader& root, ScenarioOptions options) {
  const bool plan = FileKind(root).starts_with("plan/");
  const auto read = [&] { return plan ? ReadPlan(root, options).scenario : ReadScenario(root, options); };
  try {
    return read();
  } catch (const InputError&) {
    options.profiles = NamedProfiles::kNone;
    return read();
  }
}

}  // namespace

ProfileOrder ReadProfileOrderFrom(const JsonReader& root, const ScenarioOptions& options) {
  const std::string_view kind = FileKind(root);
  if (kind.starts_with("plan/") || kind.starts_with("scenario/"))
    return RequestFor(ReadToMeasure(root, options));
  if (kind.starts_with("profile-request/")) return ReadProfileOrder(root, options);
  const std::array<std::string_view, 3> known = {"profile-request/1", "scenario/1", "plan/1"};
  root.Get("tandem").Fail("a request, a scenario or a plan says what is to be measured, this is " +
                          Quoted(kind) + Suggestion(kind, std::span<const std::string_view>(known)));
}

ProfileOrder RequestFor(const Scenario& scenario) {
  if (!scenario.platform) {
    throw InputError(scenario.file + ":/platform: \"device\" is known only where the device answers");
  }
  ProfileOrder request;
  request.platform = *scenario.platform;
  request.seed = scenario.seed;
  for (const Stream& stream : scenario.streams) {
    ProfiledModel wish{scenario.model(stream.model).key, stream.batch};
    const auto add = [&](ProfiledModel one) {
      if (std::find(request.models.begin(), request.models.end(), one) == request.models.end())
        request.models.push_back(std::move(one));
    };
    // Of batches that form powers of two, the largest and those that are preferred; others lie between.
    std::set<std::int64_t> sizes;
    if (stream.batching) {
      for (std::int64_t size = 2; size < stream.batching->most; size *= 2) sizes.insert(size);
      sizes.insert(stream.batching->preferred.begin(), stream.batching->preferred.end());
      sizes.insert(stream.batching->most);
    }
    add(wish);
    for (const std::int64_t size : sizes) add({wish.model, size});
  }
  request.groups = false;
  for (const PolicySpec& policy : scenario.policies) {
    const auto granularity = GranularityOf(policy);
    request.groups = request.groups || granularity != Granularity::kModel;
    request.layers = request.layers || granularity == Granularity::kLayer;
    if (MaySplit(policy)) request.parts.emplace();
  }
  for (const UnitLoad& load : scenario.loads) {
    const Unit& unit = request.platform.unit(load.unit);
    // Others cannot be kept busy from outside.
    const bool of_cores = unit.OwnsCores();
    if (load.load_pct == 0 || (of_cores ? unit.cores.empty() : !unit.backend || unit.backend->loads.empty()))
      continue;
    request.background.push_back({unit.name, load.load_pct});
  }
  request.mapped = Maps(scenario);
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const auto& variant = scenario.units[u].variant;
    const Unit& unit = request.platform.units[u];
    if (!variant || unit.backend == nullptr || unit.backend->precisions.size() < 2) continue;
    request.variants[unit.name] = {variant->precision};
  }
  request.hand_overs = request.groups && SomeShareAMemory(request.platform);
  request.pauses = std::any_of(scenario.streams.begin(), scenario.streams.end(), ComesByTheClock);
  request.switches = scenario.models.size() > 1;
  request.repeats = request.groups;
  request.memory = std::ranges::any_of(
      request.platform.memories, [](const Memory& memory) { return memory.capacity_bytes.has_value(); });
  request.energy = !KeyOfEnergy(scenario).empty();
  request.co_running = CoRunningWish::kPairs;
  return request;
}

}  // namespace tandem
