#include "device/backends/cpu/onednn/conv_choice.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

constexpr int kRuns = 5;
constexpr int kMostOfAKind = 2;

std::atomic<std::int64_t> convs_measured{0};

// Which candidate: layouts, algorithm and place in oneDNN's list.
struct Pick {
  Layout src = Layout::kPlain, dst = Layout::kPlain;
  bool winograd = false;
  int index = -1;     // -1: none
  bool only = false;  // there is no other
};

constexpr Pick kConvKinds[] = {{Layout::kPlain, Layout::kBlocked},
                               {Layout::kBlocked, Layout::kBlocked},
                               {Layout::kBlocked, Layout::kBlocked, true},
                               {Layout::kPlain, Layout::kPlain}};

std::string TextOf(const Pick& pick, const MadePrimitive& made) {
  const auto name = [](Layout layout) { return layout == Layout::kBlocked ? "blocked" : "plain"; };
  return std::string(name(pick.src)) + " to " + name(pick.dst) + ", " + (pick.winograd ? "winograd, " : "") +
         made.implementation;
}

std::int64_t Product(const DnnlDims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

double SecondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Weights come from far away when the whole network runs: nothing of them is left near by the time that they
// are needed again.
void ForgetCached([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < bytes; i += 64) _mm_clflush(static_cast<const char*>(data) + i);
  _mm_mfence();
#elif defined(__aarch64__)
  for (std::size_t i = 0; i < bytes; i += 64)
    __asm__ volatile("dc civac, %0" : : "r"(static_cast<const char*>(data) + i) : "memory");
  __asm__ volatile("dsb ish" : : : "memory");
#endif
}

// A candidate with tensors to run on.
class Trial {
 public:
  Trial(const DnnlContext& dnnl, const ConvProblem& problem, MadePrimitive made, clockid_t clock,
        double extra)
      : stream_(dnnl.stream()), made_(std::move(made)), clock_(clock), extra_(extra) {
    Add(dnnl, DNNL_ARG_SRC, made_.src);
    Add(dnnl, DNNL_ARG_WEIGHTS, made_.weights);
    Add(dnnl, DNNL_ARG_DST, made_.dst);
    if (problem.bias) Add(dnnl, DNNL_ARG_BIAS, PlainDesc({problem.dst[1]}));
    if (made_.scratchpad.get_size() > 0) Add(dnnl, DNNL_ARG_SCRATCHPAD, made_.scratchpad);
  }

  void Measure() {
    const dnnl::memory& weights = arguments_.at(DNNL_ARG_WEIGHTS);
    ForgetCached(weights.get_data_handle(), weights.get_desc().get_size());
    const double start = SecondsOf(clock_);
    made_.primitive.execute(stream_, arguments_);
    stream_.wait();
    times_.push_back(SecondsOf(clock_) - start);
  }
  void Forget() { times_.clear(); }

  // The lower median, with what it costs beside its own run.
  double Cost() const { return LowerMedian(times_) + extra_; }

 private:
  void Add(const DnnlContext& dnnl, int argument, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, dnnl.engine());
    std::memset(memory.get_data_handle(), 0, desc.get_size());
    arguments_.emplace(argument, std::move(memory));
  }

  dnnl::stream stream_;
  MadePrimitive made_;
  clockid_t clock_;
  double extra_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::vector<double> times_;
};

ConvProblem With(ConvProblem problem, const Pick& pick) {
  problem.src_layout = pick.src;
  problem.dst_layout = pick.dst;
  problem.winograd = pick.winograd;
  return problem;
}

bool MayBeWinograd(const ConvProblem& p) {
  return !p.transposed && p.weights.size() == 4 && p.weights[2] == 3 && p.weights[3] == 3 &&
         p.strides == DnnlDims{1, 1} && p.dilates == DnnlDims{0, 0} && p.src_layout == p.dst_layout;
}

using Candidate = std::pair<Pick, MadePrimitive>;

// The candidates worth a run: at most two of a kind. oneDNN's plain loops, always the last, only on request.
void AddCandidates(const DnnlContext& dnnl, const ConvProblem& problem, Pick pick, bool plain_loops,
                   std::vector<Candidate>& candidates) {
  const ConvProblem p = With(problem, pick);
  if (pick.winograd && !MayBeWinograd(p)) return;
  for (pick.index = 0; pick.index < kMostOfAKind; ++pick.index) {
    MadePrimitive made = dnnl.Conv(p, pick.index);
    if (!made || (!plain_loops && made.implementation.find("ref") == 0)) return;
    candidates.emplace_back(pick, std::move(made));
  }
}

std::vector<Candidate> Candidates(const DnnlContext& dnnl, const ConvProblem& problem) {
  std::vector<Candidate> candidates;
  if (dnnl.block() > 1) {
    if (problem.src[1] <= 4) {
      AddCandidates(dnnl, problem, {Layout::kPlain, Layout::kBlocked, false, 0}, false, candidates);
    }
    for (const bool winograd : {false, true}) {
      AddCandidates(dnnl, problem, {Layout::kBlocked, Layout::kBlocked, winograd, 0}, false, candidates);
    }
  }
  if (candidates.empty()) {
    AddCandidates(dnnl, problem, {Layout::kPlain, Layout::kPlain, false, 0}, false, candidates);
  }
  if (candidates.empty()) {
    AddCandidates(dnnl, problem, {Layout::kPlain, Layout::kPlain, false, 0}, true, candidates);
  }
  return candidates;
}

// Reading and writing every element once at a rate that one core reaches.
double ChangeCost(const DnnlDims& dims) { return static_cast<double>(Product(dims)) * 8 / 10e9; }

Pick MeasureConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available, std::size_t threads) {
  // What else runs on the machine does not count, as far as the system can tell.
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<Candidate> candidates = Candidates(dnnl, problem);
  if (candidates.empty()) return {};
  if (candidates.size() == 1) {
    candidates[0].first.only = true;
    return candidates[0].first;
  }
  ++convs_measured;
  std::vector<Trial> trials;
  for (auto& [pick, made] : candidates) {
    double extra = 0;
    if (dnnl.block() > 1 && pick.src != available) extra += ChangeCost(problem.src);
    if (dnnl.block() > 1 && pick.dst == Layout::kPlain) extra += ChangeCost(problem.dst);
    trials.emplace_back(dnnl, With(problem, pick), std::move(made), clock, extra);
  }
  for (int run = 0; run <= kRuns; ++run) {
    for (Trial& trial : trials) {
      trial.Measure();
      if (run == 0) trial.Forget();
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    if (trials[i].Cost() < trials[best].Cost()) best = i;
  }
  return candidates[best].first;
}

std::vector<std::int64_t> KeyOf(const ConvProblem& p, Layout available, std::size_t threads) {
  std::vector<std::int64_t> key = {p.transposed, p.bias, static_cast<std::int64_t>(available),
                                   static_cast<std::int64_t>(threads)};
  for (const DnnlDims* dims :
       {&p.src, &p.weights, &p.dst, &p.strides, &p.dilates, &p.pad_before, &p.pad_after}) {
    key.push_back(static_cast<std::int64_t>(dims->size()));
    key.insert(key.end(), dims->begin(), dims->end());
  }
  // A slope that is not 0 can rule a kernel out: relu and leaky_relu are one function to oneDNN.
  for (const PostOp& post : p.posts) {
    key.push_back(post.sum ? -1 : static_cast<std::int64_t>(post.function));
    key.push_back(std::bit_cast<std::int32_t>(post.alpha));
    key.push_back(std::bit_cast<std::int32_t>(post.beta));
  }
  return key;
}

// Nothing: oneDNN has not got it for this problem.
std::optional<ConvChoice> Taken(const DnnlContext& dnnl, const ConvProblem& problem,
                                const std::string& text) {
  for (Pick pick : kConvKinds) {
    const ConvProblem p = With(problem, pick);
    if (pick.dst == Layout::kBlocked && dnnl.block() == 1) continue;
    if (!text.starts_with(TextOf(pick, {})) || (pick.winograd && !MayBeWinograd(p))) continue;
    for (pick.index = 0; pick.index < kMostOfAKind; ++pick.index) {
      MadePrimitive made = dnnl.Conv(p, pick.index);
      if (!made) break;
      if (TextOf(pick, made) == text) return ConvChoice{p, std::move(made), text, false};
    }
  }
  return std::nullopt;
}

}  // namespace

std::int64_t ConvsMeasured() { return convs_measured; }

ConvChoice ChooseConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available,
                      std::size_t threads, const std::string& take) {
  if (!take.empty()) {
    if (auto taken = Taken(dnnl, problem, take)) return *std::move(taken);
  }
  static std::mutex mutex;
  static std::map<std::vector<std::int64_t>, Pick> known;
  const std::vector<std::int64_t> key = KeyOf(problem, available, threads);
  std::optional<Pick> pick;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) pick = found->second;
  }
  if (!pick) {
    pick = MeasureConv(dnnl, problem, available, threads);
    const std::lock_guard lock(mutex);
    pick = known.emplace(key, *pick).first->second;  // all units of a kind agree on the first answer
  }
  ConvChoice choice{With(problem, *pick), {}, {}, true};
  if (pick->index >= 0) choice.made = dnnl.Conv(choice.problem, pick->index);
  if (choice.made && !pick->only) choice.text = TextOf(*pick, choice.made);
  return choice;
}

}  // namespace tandem
