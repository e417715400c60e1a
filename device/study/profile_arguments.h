// What a command line of `tandem-device profile` asks for, and the request that comes of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/study/trial_arguments.h"
#include "scenarios/exchange/profile_order.h"

namespace tandem {

struct ProfileArguments {
  std::string request, output, co_running, sent;
  std::vector<std::string> models, units, cores;
  std::vector<std::int64_t> batches, threads;
  std::string state, before, read, expect, platform_out;
  std::vector<std::int64_t> loads;
  double budget_s = 0, noise = 0;
  TrialArguments trials;
  std::vector<std::string> precisions;
  bool layers = false, energy = false, memory = false, cold = false, mapped = false, resume = false,
       add = false, force = false, allow_commands = false, json = false, status = false, sharer = false;
};

bool GoesToFile(const ProfileArguments& arguments);
// Of several clock states each goes to a file of its own.
bool GoesToFolder(const ProfileArguments& arguments);
// Beside the profile; nothing where there is no file.
std::string PartialOf(const ProfileArguments& arguments);

// Before minutes are spent on measuring what could not be written then. Throws InputError.
void RefuseLosses(const ProfileArguments& arguments);

// Of a file, or of models on this device's units. Throws InputError.
ProfileOrder RequestOf(const ProfileArguments& arguments);

}  // namespace tandem
