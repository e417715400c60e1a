// Every request's outputs, kept apart during a run and compared after it with what one unit alone gives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "device/harness/buffers.h"
#include "device/harness/units.h"
#include "device/processor/buffer.h"
#include "policies/problem/problem.h"
#include "policies/problem/task.h"
#include "scenarios/exchange/run_answer.h"

namespace tandem {

// |a - b| / |b| in the l2 norm, sums in double; infinite where any of `a` is no number.
double RelativeError(std::span<const float> a, std::span<const float> b);
inline constexpr double kMostOutputError = 1e-4;
// The same where a unit computes in that precision ("tf32").
double MostOutputError(const std::string& precision);

struct OutputVerdict {
  OutputCheck check;
  std::string why_unchecked;  // of those that were not compared
};

class StoredOutputs {
 public:
  // Memory for the outputs of the first requests of every stream, as many as `requests` (per stream) says and
  // fit into `most_bytes` together; the others of a place share theirs. `memory`: that the host reads; what
  // would take too much of it lies in the host's own.
  StoredOutputs(const Problem& problem, const std::vector<std::int64_t>& requests, std::int64_t most_bytes,
                std::size_t places, TensorMemory& memory = HostMemory());

  // Where the task puts `tensor`, an output of its model or the first part of one. Poisoned, unless it is
  // shared.
  float* At(const Task& task, std::int32_t tensor, std::size_t place);

  // A task that made outputs has ended. `hash`: of a program that keeps them to itself, else empty; it is to
  // be the same for the same input, model and unit, of so many that ran `together`.
  void Ended(const Task& task, UnitId unit, bool computes, const std::string& hash, std::size_t together,
             std::size_t input_set);
  void Completed(StreamId stream, std::int32_t index);

  // After the run. `whole`: what one unit gives. Request k had set of inputs k modulo their number. How far
  // a request may be off is what the least precise of its units may be, or that one.
  using WholeOutputsOf = std::function<const WholeRun&(CutId)>;
  OutputVerdict Compare(const WholeOutputsOf& whole) const;

 private:
  struct Mark {
    bool completed = false, computed = true, hashed = false, wrong_hash = false;
    double tolerance = kMostOutputError;
  };
  struct OfStream {
    std::vector<WholeTensor> outputs;  // in order of their layers
    std::size_t stride = 0;            // floats per request
    Buffer values;                     // of the requests that have room
    std::vector<Mark> marks;
    std::int64_t completed = 0;  // all of the stream
  };
  static std::size_t OffsetOf(const OfStream& of, std::int32_t tensor);
  static double ErrorOf(const OfStream& of, std::size_t index, const std::vector<Buffer>& whole);
  void CompareStream(std::size_t stream, const WholeRun& run, OutputVerdict& verdict) const;

  const Problem* problem_;
  std::vector<OfStream> streams_;
  std::vector<Buffer> shared_;      // per place
  std::vector<double> tolerances_;  // per unit
  std::map<std::tuple<CutId, UnitId, std::size_t, std::size_t>, std::string> hashes_;
};

}  // namespace tandem
