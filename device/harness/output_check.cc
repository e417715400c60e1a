#include "device/harness/output_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

constexpr double kMostPinned = 1 << 29;  // bytes: pages that cannot be put out are taken from everybody

// A cache line, so that no two outputs share one.
std::size_t Padded(std::int64_t floats) { return (static_cast<std::size_t>(floats) + 15) / 16 * 16; }

// What leaves the model, in order of its layer.
std::vector<WholeTensor> OutputsOf(const Cut& cut) {
  std::vector<WholeTensor> outputs;
  const std::vector<WholeTensor> whole = WholeTensorsOf(cut);
  for (std::size_t t = 0; t < cut.tensors.size(); ++t) {
    const bool first = whole[t].first == static_cast<std::int32_t>(t);
    if (first && cut.tensors[t].leaves && cut.tensors[t].producer.valid()) outputs.push_back(whole[t]);
  }
  return outputs;
}

std::size_t FloatsOf(const std::vector<WholeTensor>& outputs) {
  std::size_t floats = 0;
  for (const WholeTensor& output : outputs) floats += Padded(output.elements);
  return floats;
}

}  // namespace

double RelativeError(std::span<const float> a, std::span<const float> b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += apart * apart;
    norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  if (difference == 0) return 0;
  const double error = std::sqrt(difference / norm);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double MostOutputError(const std::string& precision) {
  if (precision == "fp32") return kMostOutputError;
  if (precision == "tf32") return 1e-2;  // 10 bits behind the point, sums in fp32
  if (precision == "fp16") return 2e-2;  // the same, and what lies between layers too
  if (precision == "bf16") return 1e-1;
  return 0.25;  // whole numbers
}

StoredOutputs::StoredOutputs(const Problem& problem, const std::vector<std::int64_t>& requests,
                             std::int64_t most_bytes, std::size_t places, TensorMemory& memory)
    : problem_(&problem), streams_(requests.size()) {
  for (const UnitUse& unit : problem.scenario().units) {
    tolerances_.push_back(MostOutputError(unit.variant.value_or(Variant{}).precision));
  }
  double wanted = 0;
  std::size_t most_floats = 0;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    streams_[s].outputs = OutputsOf(problem.cut(StreamId(s)));
    streams_[s].stride = FloatsOf(streams_[s].outputs);
    most_floats = std::max(most_floats, streams_[s].stride);
    wanted += static_cast<double>(requests[s]) * static_cast<double>(streams_[s].stride * sizeof(float));
  }
  TensorMemory& kept_in = wanted <= kMostPinned ? memory : HostMemory();
  const double share = std::min(1.0, static_cast<double>(most_bytes) / std::max(wanted, 1.0));
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    OfStream& of = streams_[s];
    const auto kept = static_cast<std::size_t>(static_cast<double>(requests[s]) * share);
    of.values = Buffer(kept * of.stride, kept_in);
    std::fill_n(of.values.data(), of.values.size(), std::numeric_limits<float>::quiet_NaN());
    of.marks.resize(kept);
  }
  for (std::size_t p = 0; p < places; ++p) shared_.emplace_back(most_floats, memory);
}

std::size_t StoredOutputs::OffsetOf(const OfStream& of, std::int32_t tensor) {
  std::size_t offset = 0;
  for (const WholeTensor& output : of.outputs) {
    if (output.first == tensor) break;
    offset += Padded(output.elements);
  }
  return offset;
}

float* StoredOutputs::At(const Task& task, std::int32_t tensor, std::size_t place) {
  OfStream& of = streams_[task.stream.index()];
  const std::size_t offset = OffsetOf(of, tensor);
  const auto index = static_cast<std::size_t>(task.index);
  if (index >= of.marks.size()) return shared_[place].data() + offset;
  return of.values.data() + index * of.stride + offset;
}

void StoredOutputs::Ended(const Task& task, UnitId unit, bool computes, const std::string& hash,
                          std::size_t together, std::size_t input_set) {
  OfStream& of = streams_[task.stream.index()];
  if (static_cast<std::size_t>(task.index) >= of.marks.size()) return;
  Mark& mark = of.marks[static_cast<std::size_t>(task.index)];
  if (!computes) mark.computed = false;
  if (unit.index() < tolerances_.size()) mark.tolerance = std::max(mark.tolerance, tolerances_[unit.index()]);
  if (hash.empty()) return;
  mark.hashed = true;
  // Of a part of a model it says nothing of what the parts after it were given.
  if (problem_->cut(task.stream).segments > 1) mark.computed = false;
  const auto [known, is_new] =
      hashes_.try_emplace({problem_->cut_of(task.stream), unit, together, input_set}, hash);
  mark.wrong_hash = mark.wrong_hash || known->second != hash;
}

void StoredOutputs::Completed(StreamId stream, std::int32_t index) {
  OfStream& of = streams_[stream.index()];
  ++of.completed;
  if (static_cast<std::size_t>(index) < of.marks.size())
    of.marks[static_cast<std::size_t>(index)].completed = true;
}

double StoredOutputs::ErrorOf(const OfStream& of, std::size_t index, const std::vector<Buffer>& whole) {
  double worst = 0;
  const float* values = of.values.data() + index * of.stride;
  for (std::size_t output = 0; output < of.outputs.size(); ++output) {
    const std::span<const float> expected = whole[output].values();
    worst = std::max(worst, RelativeError({values, expected.size()}, expected));
    values += Padded(of.outputs[output].elements);
  }
  return worst;
}

void StoredOutputs::CompareStream(std::size_t stream, const WholeRun& run, OutputVerdict& verdict) const {
  const OfStream& of = streams_[stream];
  OutputCheck& check = verdict.check;
  std::int64_t compared = 0;
  for (std::size_t index = 0; index < of.marks.size(); ++index) {
    const Mark& mark = of.marks[index];
    if (!mark.completed) continue;
    if (!mark.computed) {
      verdict.why_unchecked = "units that compute nothing, or keep the outputs of parts to themselves";
    } else if (mark.hashed) {
      ++compared;
      check.wrong += mark.wrong_hash ? 1 : 0;
    } else if (run.outputs.empty()) {
      verdict.why_unchecked = "no unit runs the whole model alone";
    } else {
      ++compared;
      const double error = ErrorOf(of, index, run.outputs[index % run.outputs.size()]);
      const double tolerance = std::max(mark.tolerance, tolerances_[run.unit.index()]);
      check.worst = std::max(check.worst, error);
      check.tolerance = std::max(check.tolerance, tolerance);
      check.wrong += error <= tolerance ? 0 : 1;
    }
  }
  check.checked += compared;
  check.unchecked += of.completed - compared;
  if (of.completed > compared && verdict.why_unchecked.empty()) {
    verdict.why_unchecked = "no room to keep them all";
  }
}

OutputVerdict StoredOutputs::Compare(const WholeOutputsOf& whole) const {
  OutputVerdict verdict;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const OfStream& of = streams_[s];
    const bool some = std::any_of(of.marks.begin(), of.marks.end(), [](const Mark& mark) {
      return mark.completed && mark.computed && !mark.hashed;
    });
    static const WholeRun kNone;
    CompareStream(s, some ? whole(problem_->cut_of(StreamId(s))) : kNone, verdict);
  }
  return verdict;
}

}  // namespace tandem
