#include "device/backends/cpu/onednn/trial.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "device/host/info.h"
#include "profiles/base/statistics.h"

namespace tandem {
namespace {

// Runs of each, and how many times the least time so far makes another run not worth it: the first warms
// things up, the second tells most.
constexpr double kHopeless[] = {4, 1.5, 1.5, 1.5, 1.5, 1.5};

double SecondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What else runs on the machine does not count, as far as the system can tell.
double SecondsOfRun(const std::function<void()>& run, std::size_t threads) {
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const double start = SecondsOf(clock);
  run();
  return SecondsOf(clock) - start;
}

// Weights come from far away when the whole network runs: nothing of them is left near by the time that they
// are needed again.
void ForgetCached([[maybe_unused]] const XnnConv::Piece& piece) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < piece.bytes; i += 64) _mm_clflush(static_cast<const char*>(piece.data) + i);
  _mm_mfence();
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < piece.bytes; i += 64)
    __asm__ volatile("dc civac, %0" : : "r"(static_cast<const char*>(piece.data) + i) : "memory");
  __asm__ volatile("dsb ish" : : : "memory");
#endif
}

struct Tried {
  const Trial* of = nullptr;
  std::vector<double> seconds;

  double Least() const { return *std::min_element(seconds.begin(), seconds.end()) + of->extra; }
  double Cost() const { return LowerMedian(std::vector(seconds.begin() + 1, seconds.end())) + of->extra; }
};

}  // namespace

AlignedFloats Zeros(std::int64_t count) {
  constexpr std::int64_t kBeyond = 4;
  AlignedFloats zeros(static_cast<std::size_t>(count + kBeyond));
  std::fill_n(zeros.data(), zeros.size(), 0.0f);
  return zeros;
}

Trial TrialOf(const DnnlContext& dnnl, MadePrimitive made, std::int64_t bias) {
  std::unordered_map<int, dnnl::memory> arguments;
  const auto add = [&](int argument, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, dnnl.engine());
    std::memset(memory.get_data_handle(), 0, desc.get_size());
    arguments.emplace(argument, std::move(memory));
  };
  add(DNNL_ARG_SRC, made.src);
  add(DNNL_ARG_WEIGHTS, made.weights);
  add(DNNL_ARG_DST, made.dst);
  if (bias > 0) add(DNNL_ARG_BIAS, PlainDesc({bias}));
  if (made.scratchpad.get_size() > 0) add(DNNL_ARG_SCRATCHPAD, made.scratchpad);
  const dnnl::memory& weights = arguments.at(DNNL_ARG_WEIGHTS);
  Trial trial;
  trial.weights.push_back({weights.get_data_handle(), weights.get_desc().get_size()});
  trial.run = [stream = dnnl.stream(), primitive = std::move(made.primitive),
               arguments = std::move(arguments)]() mutable {
    primitive.execute(stream, arguments);
    stream.wait();
  };
  return trial;
}

Trial TrialOf(std::shared_ptr<XnnConv> conv, std::int64_t inputs, std::int64_t outputs) {
  const auto from = std::make_shared<AlignedFloats>(Zeros(inputs)),
             to = std::make_shared<AlignedFloats>(Zeros(outputs));
  std::vector<XnnConv::Piece> weights = conv->Packed();
  return {[=, conv = std::move(conv)] { conv->Run(from->data(), to->data()); }, std::move(weights), 0};
}

double LeastSeconds(const std::function<void()>& run, std::size_t threads) {
  constexpr int kRuns = 9;
  double least = SecondsOfRun(run, threads);
  for (int again = 1; again < kRuns; ++again) least = std::min(least, SecondsOfRun(run, threads));
  return least;
}

std::size_t FastestOf(const std::vector<Trial>& trials, std::size_t threads) {
  std::vector<Tried> tried(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) tried[i].of = &trials[i];
  for (const double hopeless : kHopeless) {
    for (Tried& one : tried) {
      for (const XnnConv::Piece& piece : one.of->weights) ForgetCached(piece);
      one.seconds.push_back(SecondsOfRun(one.of->run, threads));
    }
    const double least = std::ranges::min(tried, {}, [](const Tried& one) { return one.Least(); }).Least();
    std::erase_if(tried, [&](const Tried& one) { return one.Least() > hopeless * least; });
  }
  const auto cost = [](const Tried& one) { return one.Cost(); };
  const auto best = std::ranges::min_element(tried, {}, cost);
  return static_cast<std::size_t>(best->of - trials.data());
}

std::string KindOfThisCore() {
  static std::mutex mutex;
  static std::map<int, std::string> known;
  const int core = sched_getcpu();
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace(core);
  if (is_new) found->second = CoreKind(core);
  return found->second;
}

ChosenWay ChooseWay(const std::string& asked, const std::vector<std::string>& names, const std::string& take,
                    std::size_t threads, const std::function<std::vector<Trial>()>& trials) {
  if (const auto named = std::find(names.begin(), names.end(), take); named != names.end()) {
    return {static_cast<std::size_t>(named - names.begin()), false};
  }
  const std::string key = asked + " on " + KindOfThisCore();
  static std::mutex mutex;
  static std::map<std::string, std::size_t> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return {found->second, true};
  }
  const std::size_t fastest = FastestOf(trials(), threads);
  const std::lock_guard lock(mutex);
  return {known.emplace(key, fastest).first->second,
          true};  // all units of such cores agree on the first answer
}

}  // namespace tandem
