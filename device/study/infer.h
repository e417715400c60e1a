// Room device/study: what the smaller commands of tandem-device do, without a command line.
//
// `tandem-device infer`: one model on one unit, run again and again, its inputs and outputs in the unit's own
// memory. Raw files are tensors one after the other, dense little-endian float32 in plain order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/machine/chosen_unit.h"
#include "device/study/heat_meanwhile.h"
#include "profiles/costs/profile.h"

namespace tandem {

struct InferRequest {
  std::string model;              // a name of the zoo or a file
  std::filesystem::path weights;  // a file of their own; may be empty
  std::int64_t batch = 0;         // 0: the model's own
  std::filesystem::path input;    // raw; empty: random
  std::filesystem::path output;   // raw, to be written; empty: nowhere
  std::int64_t repeat = 10;
  std::uint64_t seed = 1;  // of random inputs and weights
  std::string precision = "fp32";
  std::filesystem::path kernels;       // a profile whose choices are taken; empty: all is chosen anew
  std::filesystem::path kernel_store;  // the same, and what is chosen anew is added; empty: none
  std::optional<Nanos> trials;         // OpenRequest::trials
  bool steps = false;                  // look into the executable
  ClockSources clocks = {};            // where heat and throttling are read
  // Called before anything is run: so many bytes `output` will have.
  std::function<void(std::int64_t output_bytes)> inputs_read = nullptr;
  std::function<bool()> go_on = nullptr;  // asked between runs; false: it comes to its end
};

struct InferStep {
  std::vector<std::string> layers;  // empty: a change of layout
  std::string how;
  Nanos median{0};
};

// Bytes of the unit's memory: what its backend counts of the model; and by the word of the memory itself what
// is gone since before it was made ready, and the most that was meanwhile, libraries and others' work in it.
struct InferMemory {
  std::int64_t counted_bytes = 0;
  MemoryTaken taken;
};

struct InferResult {
  std::string model, unit, backend, precision;
  std::int64_t batch = 1;
  bool random_weights = false, random_input = false;
  std::uint64_t seed = 1;
  Nanos load{0};  // to make it ready
  Timing time;
  double core_share = 0;              // of the time of the runs, that the unit's thread kept a core busy
  std::optional<InferMemory> memory;  // nothing: of a unit whose memory does not tell
  // Was it told to take kernels, and are all of them those that were kept? Nothing: none has another way.
  bool told_kernels = false;
  std::optional<bool> kernels_taken;
  // What trials could take at most, where there is such a bound, and for how many of its choices of kernels
  // not every way was tried for lack of time.
  std::optional<Nanos> trials;
  std::int64_t choices = 0, unfinished = 0;
  std::vector<InferStep> steps;
  HeatMeanwhile warmth;                      // from before the runs that are timed to after them
  std::optional<std::string> output_sha256;  // of the raw output; nothing where the unit gives none
  std::string output_hash;                   // what a program outside says instead, of its last run
  bool output_hash_changed = false;          // it has told others, of the same input
  // Numbers of the input and of the output that are infinite or none.
  std::int64_t input_not_finite = 0, not_finite = 0;
  bool stopped = false;  // by InferRequest::go_on: nothing is timed, no file of outputs written
};

// Throws InputError and EnvironmentError; a file of outputs is then not written.
InferResult Infer(const ChosenUnit& chosen, const InferRequest& request);

std::string InferJson(const InferResult& result);
std::string InferText(const InferResult& result, std::size_t width);

}  // namespace tandem
