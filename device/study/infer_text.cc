#include <algorithm>
#include <nlohmann/json.hpp>

#include "device/study/infer.h"
#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Nanos Least(const Timing& time) { return *std::min_element(time.samples.begin(), time.samples.end()); }
Nanos Most(const Timing& time) { return *std::max_element(time.samples.begin(), time.samples.end()); }

std::string Source(bool random, std::uint64_t seed) {
  return random ? "random, seed " + std::to_string(seed) : "from a file";
}

std::string Mib(std::int64_t bytes) { return Fixed(static_cast<double>(bytes) / (1 << 20), 1) + " MiB"; }

Json StepsJson(const std::vector<InferStep>& steps) {
  Json list = Json::array();
  for (const InferStep& step : steps) {
    list.push_back({{"layers", step.layers}, {"how", step.how}, {"median_ms", InMillis(step.median)}});
  }
  return list;
}

std::string LayersText(const InferStep& step) {
  if (step.layers.empty()) return "(layout)";
  return Joined(step.layers, " ");
}

std::string StepsText(const std::vector<InferStep>& steps, std::size_t width) {
  Nanos sum{0};
  for (const InferStep& step : steps) sum += step.median;
  Table table({{"#", true}, {"ms", true}, {"share", true}, {"layers", false, true}, {"how", false, true}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double share = sum > Nanos{0} ? InMillis(steps[i].median) / InMillis(sum) : 0;
    table.Add({std::to_string(i + 1), kMillis.Text(steps[i].median), Fixed(100 * share, 1) + "%",
               LayersText(steps[i]), steps[i].how});
  }
  return table.Text(width) + "sum of the steps' medians " + kMillis.Text(sum) + " ms\n";
}

std::string KernelsText(const std::optional<bool>& taken) {
  if (!taken) return "kernels without another way: there was nothing to choose\n";
  return *taken ? "kernels as they were kept\n"
                : "kernels chosen anew, all or some: the profile has none for these\n";
}

}  // namespace

std::string InferJson(const InferResult& result) {
  Json json = {{"model", result.model},
               {"unit", result.unit},
               {"backend", result.backend},
               {"precision", result.precision},
               {"batch", result.batch},
               {"weights", Source(result.random_weights, result.seed)},
               {"input", Source(result.random_input, result.seed)},
               {"load_ms", InMillis(result.load)},
               {"median_ms", InMillis(result.time.median)},
               {"min_ms", InMillis(Least(result.time))},
               {"max_ms", InMillis(Most(result.time))},
               {"samples", result.time.samples.size()},
               {"core_share", result.core_share},
               {"not_finite", {{"input", result.input_not_finite}, {"output", result.not_finite}}},
               {"output_sha256", nullptr}};
  if (result.output_sha256) json["output_sha256"] = *result.output_sha256;
  if (result.memory) {
    json["memory"] = {{"counted_bytes", result.memory->counted_bytes},
                      {"held_bytes", result.memory->taken.held_bytes},
                      {"peak_bytes", result.memory->taken.peak_bytes}};
  }
  if (!result.output_hash.empty()) json["output_hash"] = result.output_hash;
  if (result.output_hash_changed) json["output_hash_changed"] = true;
  if (result.told_kernels) json["kernels_taken"] = nullptr;
  if (result.told_kernels && result.kernels_taken) json["kernels_taken"] = *result.kernels_taken;
  if (result.trials) {
    json["trials"] = {{"most_s", InSeconds(*result.trials)},
                      {"choices", result.choices},
                      {"unfinished", result.unfinished}};
  }
  if (!result.steps.empty()) json["steps"] = StepsJson(result.steps);
  if (!result.warmth.heat.empty()) json["heat"] = result.warmth.heat;
  if (!result.warmth.held_back.empty()) json["held_back"] = result.warmth.held_back;
  return JsonOutput(json);
}

std::string InferText(const InferResult& result, std::size_t width) {
  std::string text;
  if (!result.steps.empty()) text = StepsText(result.steps, width) + "\n";
  const std::size_t runs = result.time.samples.size();
  text += result.model + " on " + result.unit + ", batch " + std::to_string(result.batch) + "\n";
  text += "median " + kMillis.Text(result.time.median) + " ms, min " + kMillis.Text(Least(result.time)) +
          ", max " + kMillis.Text(Most(result.time)) + ", of " + std::to_string(runs) +
          (runs == 1 ? " run" : " runs") + "; made ready in " + kMillis.Text(result.load) + " ms\n";
  if (const auto& memory = result.memory) {
    text += "its memory: " + Mib(memory->taken.held_bytes) + " taken by its own word, " +
            Mib(memory->taken.peak_bytes) + " at most; " + Mib(memory->counted_bytes) + " are counted\n";
  }
  if (result.told_kernels) text += KernelsText(result.kernels_taken);
  if (result.unfinished > 0) {
    text += "for " + std::to_string(result.unfinished) + " of " + std::to_string(result.choices) +
            " choices not every way was tried: trials took at most " + Short(InSeconds(*result.trials)) +
            " s; --trials gives more\n";
  }
  text += "weights " + Source(result.random_weights, result.seed) + "; input " +
          Source(result.random_input, result.seed) + "\n";
  if (result.output_sha256) return text + "output sha256 " + *result.output_sha256 + "\n";
  if (result.output_hash.empty()) return text + "no output\n";
  return text + "output hash " + result.output_hash +
         (result.output_hash_changed ? " of the last run, and others of runs before" : "") + "\n";
}

}  // namespace tandem
