// The options of the commands that look for the most that a board carries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/program/command_line.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/interval_option.h"
#include "sim/questions/capacity.h"

namespace tandem {

struct CapacityArgumentsOfLimit {
  std::string vary, until, from, to, engine = "virtual";
  std::vector<std::string> policies;
  std::int64_t replications = 0, digits = 0;
  double interval = 100 * kUsualInterval;
  std::optional<std::uint64_t> seed;
  bool most = false, least = false;
};

inline void AddLimit(Command& command, CapacityArgumentsOfLimit& arguments, bool required) {
  constexpr std::int64_t kMostReplications = 10000, kMostDigits = 12;
  auto vary =
      command.Add("--vary", &arguments.vary, "what varies: a path as --what-if has it, or count(STREAM)");
  vary.Shown("PATH");
  auto until = command.Add("--until", &arguments.until,
                           "what is to hold: \"misses <= 1 %\", \"p99 <= 50 ms and drops <= 0\"");
  until.Shown("CONDITION");
  if (required) {
    vary.Required();
    until.Required();
  }
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenario's, or any policies: fcfs,eft")
      .Separated(',');
  AddEngine(command, arguments.engine);
  command.Add("--from", &arguments.from, "look no lower than this").Shown("VALUE");
  command.Add("--to", &arguments.to, "look no higher than this").Shown("VALUE");
  command.Flag("--least", &arguments.least,
               "look for the least; else by what varies: of a period, of a speed");
  command.Flag("--most", &arguments.most, "look for the most");
  command
      .Add("--replications", &arguments.replications,
           "so many seeds and draws (20), where requests come by chance or times have samples")
      .Range(1, kMostReplications);
  command.Add("--digits", &arguments.digits, "of the limit (6, where requests come by chance 3)")
      .Range(1, kMostDigits);
  AddInterval(command, arguments.interval);
  command.Add("--seed", &arguments.seed, "instead of the scenario's");
}

inline CapacityOptions OptionsOf(const CapacityArgumentsOfLimit& arguments) {
  CapacityOptions options;
  options.vary = arguments.vary;
  options.until = arguments.until;
  options.policies = arguments.policies;
  options.engine = EngineNamed(arguments.engine);
  if (arguments.most && arguments.least) throw InputError("--most and --least: one of them");
  if (arguments.most) options.which = WhichLimit::kMost;
  if (arguments.least) options.which = WhichLimit::kLeast;
  if (!arguments.from.empty()) options.from = arguments.from;
  if (!arguments.to.empty()) options.to = arguments.to;
  if (arguments.replications > 0) options.replications = arguments.replications;
  if (arguments.digits > 0) options.digits = arguments.digits;
  options.interval = arguments.interval / 100;
  options.seed = arguments.seed;
  return options;
}

}  // namespace tandem
