#include "device/profiler/co_running.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "device/profiler/co_running_jobs.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kMostPerJob{1'500'000'000};

struct Job {
  std::string name;  // by which a later run knows that it is done
  std::function<bool(Nanos time)> measure;
};

class CoRunning {
 public:
  CoRunning(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
            ProfilerSamples& samples)
      : bench_(bench),
        budget_(budget),
        samples_(samples),
        random_("co-running", request.seed),
        context_{request, bench, watch, samples, random_},
        models_(bench.FirstOfEachModel()) {}

  void Measure() {
    for (std::size_t unit = 0; unit < bench_.units(); ++unit) AddCurves(unit);
    if (context_.request.co_running == CoRunningWish::kPairs) AddPairs();
    const auto done = [&](const Job& job) {
      return std::find(samples_.finished.begin(), samples_.finished.end(), job.name) !=
             samples_.finished.end();
    };
    std::erase_if(jobs_, done);
    context_.total = static_cast<std::int64_t>(jobs_.size());
    const auto begin = Clock::now();
    for (const Job& job : jobs_) {
      const Nanos rest = budget_ - (Clock::now() - begin);
      const Nanos share = rest / (context_.total - context_.done);
      if (!job.measure(budget_ == Nanos{0} ? kMostPerJob : share)) return;
      ++context_.done;
      samples_.finished.push_back(job.name);
      context_.watch.Save(samples_);
    }
    CheckPairs();
  }

 private:
  // The stressor and the probe need cores of their own; a model's traffic is told by one other unit.
  void AddCurves(std::size_t unit) {
    bool traffic = bench_.unit(unit).cores.empty();
    for (std::size_t beside = 0; beside < bench_.units(); ++beside) {
      if (!bench_.BesideEachOther(unit, beside) || bench_.unit(beside).cores.empty()) continue;
      for (const std::size_t model : models_) {
        jobs_.push_back(
            {"curve " + Name(unit, model) + " " + bench_.unit(beside).name,
             [=, this](Nanos time) { return MeasureCurve(context_, unit, beside, model, time); }});
      }
      if (std::exchange(traffic, true)) continue;
      for (const std::size_t model : models_) {
        jobs_.push_back({"traffic " + Name(unit, model), [=, this](Nanos time) {
                           return MeasureTraffic(context_, unit, beside, model, time);
                         }});
      }
    }
  }

  void AddPairs() {
    for (std::size_t a = 0; a < bench_.units(); ++a) {
      for (std::size_t b = a + 1; b < bench_.units(); ++b) {
        if (bench_.BesideEachOther(a, b)) AddPairsOf(a, b);
      }
    }
  }

  void AddPairsOf(std::size_t a, std::size_t b) {
    for (const std::size_t one : models_) {
      for (const std::size_t other : models_) {
        jobs_.push_back({"pair " + Name(a, one) + " " + Name(b, other), [=, this](Nanos time) {
                           return MeasurePair(context_, {a, one}, {b, other}, time);
                         }});
      }
    }
  }

  std::string Name(std::size_t unit, std::size_t model) const {
    return bench_.unit(unit).name + " " + bench_.wish(model).model;
  }

  // What the curves say of the pairs that were measured, where they say anything.
  void CheckPairs() {
    samples_.pairs.clear();
    for (const CoRunningEntry& entry : samples_.co_running) {
      if (entry.beside_model.empty()) continue;
      const auto traffic =
          std::find_if(samples_.traffic.begin(), samples_.traffic.end(), [&](const TrafficEntry& candidate) {
            return candidate.unit == entry.beside && candidate.model == entry.beside_model;
          });
      if (traffic == samples_.traffic.end()) continue;
      const TrafficCurve curve = CurveOf(samples_, entry.unit, entry.model, entry.beside);
      samples_.pairs.push_back({entry.unit, entry.model, entry.beside, entry.beside_model, entry.slowdown,
                                curve.At(traffic->bytes_per_s)});
    }
  }

  ProfilerBench& bench_;
  Nanos budget_;
  ProfilerSamples& samples_;
  StreamRandom random_;
  CoRunningContext context_;
  std::vector<std::size_t> models_;  // the first of each, whatever the batch
  std::vector<Job> jobs_;
};

}  // namespace

void MeasureCoRunning(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples) {
  CoRunning(request, bench, budget, watch, samples).Measure();
}

}  // namespace tandem
