// Which policies there are and how their parameters are written in a scenario. A policy declares itself at
// namespace scope of its own file, policies/rules/<name>.cc, and nobody else knows its name: what others have
// to know of it stands in the declaration.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario/policy_keys.h"

namespace tandem {

struct PolicySpec;
struct Decisions;
struct Scenario;
class Problem;    // of policies/: what is decided on
struct Prepared;  // of policies/: who decides, and on what
struct Serving;   // of policies/: what a server is told
class StreamRandom;

// What a task waits for, and so when no slot may be idle: the judge of traces holds every run to it.
enum class Waiting : std::uint8_t {
  kSent,       // a unit to which it was sent, which takes any of those that were
  kShared,     // any unit that can run it
  kOwnOrder,   // its turn on its unit, which waits for the next task of its order though others could run
  kSchedule,   // the same, in an order that is fixed before the run
  kWholeUnit,  // any unit that can run it, which may finish what it does before
  kBoard,      // its turn among all tasks: only the whole board is not to be idle
  kOwnStream,  // the requests of its stream before it; then as kSent
};

// Which of several tasks an idle unit takes, where the judge can tell.
enum class TakesFirst : std::uint8_t { kOther, kEarliest, kShortest };

enum class PolicyRole : std::uint8_t {
  kRule,
  kBaseline,  // the simplest rule: whoever does no better gains nothing
  kSearch,    // has tried all rules, and is expected to be as good as any
};

struct PolicyDeclaration {
  std::string_view name;
  std::string_view summary;  // one line: its rule
  PolicyRole role = PolicyRole::kRule;
  Waiting waiting = Waiting::kSent;
  TakesFirst takes_first = TakesFirst::kOther;
  bool splits = false;       // may run a layer in parts on several units: their times are to be measured
  bool maps = false;         // may let tensors be reached by zero copy where the scenario copies
  bool clairvoyant = false;  // sees all arrivals; else online, sees what has been released
  bool searched = true;      // a search tries it
  bool takes_granularity = true;
  Granularity default_granularity = Granularity::kModel;  // where nobody says it
  PolicyKeys keys = {};                                   // its own, beside name, label and granularity
  bool takes_plan = false;  // the key "plan" names a file that decides instead of them
  // The key that the short form "name:value" gives as a string; empty: there is no short form.
  std::string_view short_key = {};
  // What a search tries of it, each as a scenario writes it; without this its name alone.
  std::vector<std::string> (*variants)(const Scenario& scenario) = nullptr;
  // Uses units well whatever they hold: a search tries every choice of residents with it.
  bool suits_any_residents = false;
  // One more of it for a search to try, as a scenario writes it, near the `numbers` that were the best so far
  // (empty: the first time), which become those of the answer. `round` counts from 0.
  std::string (*tuned)(const Scenario& scenario, StreamRandom& random, std::int64_t round,
                       std::vector<double>& numbers) = nullptr;
  // What a server that decides by this rule is told; null: there is none.
  Serving (*serving)(const PolicySpec& spec, const Problem& problem) = nullptr;
  // Throws InputError where the parameters do not fit the problem, which outlives the policy.
  Prepared (*make)(const PolicySpec& spec, const Problem& problem) = nullptr;
};

struct PolicyRegistration {
  explicit PolicyRegistration(PolicyDeclaration declaration);
};

// In order of name.
const std::vector<PolicyDeclaration>& Policies();
const PolicyDeclaration* FindPolicy(std::string_view name);
std::string UnknownPolicy(std::string_view name);  // what to say where there is none of that name
const PolicyDeclaration& BaselinePolicy();

struct PolicySpec {
  const PolicyDeclaration* declaration = nullptr;
  std::string label;  // the name where none is given
  Granularity granularity = Granularity::kModel;
  std::shared_ptr<const PolicyParameters> parameters;  // null where it has no keys of its own
  std::shared_ptr<const Decisions> decided;  // by an earlier run, which a plan has kept; null: not yet

  template <class P>
  const P& As() const {
    return static_cast<const P&>(*parameters);
  }
};

// Throws InputError, with "did you mean".
PolicySpec ReadPolicy(const JsonReader& value, const Scenario& scenario);
// What is wrong with it whatever the scenario is: its name, and the names of its keys.
void JudgePolicyName(const JsonReader& value);
// As --policy NAME gives it, or NAME:VALUE where the policy has a short form; `place` opens the message.
PolicySpec PolicyByName(std::string_view name, const Scenario& scenario, const std::string& place);

// Any of them, as a scenario may write it.
SchemaNode PolicySchema(SchemaDefs& defs);

// The policy as a scenario writes it: an object with its name and all of its keys.
std::string PolicyJson(const PolicySpec& policy, const Scenario& scenario);

}  // namespace tandem
