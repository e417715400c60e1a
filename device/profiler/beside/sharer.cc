#include "device/profiler/beside/sharer.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "device/host/starter.h"
#include "device/profiler/bench/continuous_run.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr Nanos kToBeReady{600'000'000'000}, kToRun{600'000'000'000};
constexpr std::string_view kBegin = "begin", kAwait = "await ", kStop = "stop";

class OfThread : public Sharer {
 public:
  OfThread(UnitThread& thread, ProfiledChain& chain) : thread_(&thread), chain_(&chain) {}

  void Begin() override { run_.emplace(*thread_, *chain_); }
  void Await(std::size_t runs) override { run_->Await(runs); }
  double Stop() override { return run_->Stop().MeanTime(0); }

 protected:
  std::optional<ContinuousRun> run_;

 private:
  UnitThread* thread_;
  ProfiledChain* chain_;
};

class OfOwnThread : public OfThread {
 public:
  OfOwnThread(std::unique_ptr<UnitThread> thread, std::unique_ptr<ProfiledChain> chain)
      : OfThread(*thread, *chain), thread_(std::move(thread)), chain_(std::move(chain)) {}
  ~OfOwnThread() override {
    run_.reset();
    thread_->Do([this](Processor&) { chain_.reset(); });
  }

 private:
  std::unique_ptr<UnitThread> thread_;
  std::unique_ptr<ProfiledChain> chain_;
};

class OfProgram : public Sharer {
 public:
  explicit OfProgram(std::unique_ptr<ChildProgram> program) : program_(std::move(program)) {
    program_->ReadLine(kToBeReady, "\"ready\"");
  }

  void Begin() override { program_->Ask(kBegin, kToRun, "the answer to begin"); }
  void Await(std::size_t runs) override {
    program_->Ask(std::string(kAwait) + std::to_string(runs), kToRun, "the answer to await");
  }
  double Stop() override {
    const std::string said = program_->Ask(kStop, kToRun, "the answer to stop");
    double mean = 0;
    const char* const end = said.data() + said.size();
    if (std::from_chars(said.data(), end, mean).ptr != end || !(mean >= 0)) {
      program_->Fail("expected how long a run took, not " + Quoted(said));
    }
    return mean;
  }

 private:
  std::unique_ptr<ChildProgram> program_;
};

// Nothing but that model on that unit, in its first variant.
ProfileOrder OrderOfOne(const ProfileOrder& request, const ProfilerBench& bench, std::size_t unit,
                        std::size_t model) {
  ProfileOrder one;
  one.platform = request.platform;
  one.units = {bench.unit(unit).name};
  one.models = {bench.wish(model)};
  const auto variants = request.variants.find(bench.unit(unit).name);
  if (variants != request.variants.end() && !variants->second.empty()) {
    one.variants[variants->first] = {variants->second.front()};
  }
  one.groups = false;
  one.co_running = CoRunningWish::kNone;
  one.seed = request.seed;
  return one;
}

}  // namespace

std::unique_ptr<Sharer> SharerThread(ProfilerBench& bench, std::size_t unit, std::int64_t slot,
                                     std::size_t model) {
  if (slot == 0) {
    ProfiledChain* const own = bench.Chain(unit, model, ProfileCut::kWhole);
    return own == nullptr ? nullptr : std::make_unique<OfThread>(bench.thread(unit), *own);
  }
  std::unique_ptr<UnitThread> thread = bench.AnotherThread(unit, slot);
  std::unique_ptr<ProfiledChain> chain = bench.ChainOn(*thread, unit, model);
  if (!chain) return nullptr;
  return std::make_unique<OfOwnThread>(std::move(thread), std::move(chain));
}

std::unique_ptr<Sharer> SharerProgram(const StartSharer& start, const ProfileOrder& request,
                                      const ProfilerBench& bench, std::size_t unit, std::size_t model,
                                      const ProfilerSamples& samples) {
  ProfilerSamples known;
  known.host = samples.host;
  known.libraries = samples.libraries;
  known.kernels = samples.kernels;
  return std::make_unique<OfProgram>(start(R"({"order": )" +
                                           ProfileOrderJson(OrderOfOne(request, bench, unit, model)) +
                                           R"(, "known": )" + ProfilerSamplesJson(known) + "}"));
}

SharerOrder ReadSharerOrder(const JsonReader& root) {
  return {ReadProfileOrder(root.Get("order")), ReadProfilerSamples(root.Get("known"))};
}

void RunAsSharer(SharerOrder order, const FindBackend& backend_of) {
  const auto none = [](const Unit&, Processor&, std::int64_t&) { return ReadYardstick(); };
  ProfilerBench bench(order.request, backend_of, order.samples, none);
  ProfiledChain* const chain = bench.Chain(0, 0, ProfileCut::kWhole);
  if (chain == nullptr) throw EnvironmentError(Joined(order.samples.notes, "; "));
  std::optional<ContinuousRun> run;
  TellStarter("ready");
  for (std::string line = HearStarter(); !line.empty(); line = HearStarter()) {
    if (line == kBegin) {
      run.emplace(bench.thread(0), *chain);
      TellStarter("begun");
    } else if (run && line.starts_with(kAwait)) {
      std::size_t runs = 0;
      std::from_chars(line.data() + kAwait.size(), line.data() + line.size(), runs);
      run->Await(runs);
      TellStarter("so many");
    } else if (run && line == kStop) {
      TellStarter(JsonNumber(run->Stop().MeanTime(0)));
      run.reset();
    } else {
      return;
    }
  }
}

}  // namespace tandem
