#include "device/backends/cpu/onednn/conv_choice.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
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
  bool xnn = false;   // XNNPACK's
};

const char* const kXnnText = "channels last, xnnpack";

constexpr Pick kConvKinds[] = {{Layout::kPlain, Layout::kBlocked},
                               {Layout::kBlocked, Layout::kBlocked},
                               {Layout::kBlocked, Layout::kBlocked, true},
                               {Layout::kPlain, Layout::kPlain}};

std::string TextOf(const Pick& pick, const MadePrimitive& made) {
  if (pick.xnn) return kXnnText;
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
class Candidate {
 public:
  virtual ~Candidate() = default;
  virtual void ForgetWeights() = 0;
  virtual void Run() = 0;
};

class DnnlCandidate final : public Candidate {
 public:
  DnnlCandidate(const DnnlContext& dnnl, const ConvProblem& problem, MadePrimitive made)
      : stream_(dnnl.stream()), made_(std::move(made)) {
    Add(dnnl, DNNL_ARG_SRC, made_.src);
    Add(dnnl, DNNL_ARG_WEIGHTS, made_.weights);
    Add(dnnl, DNNL_ARG_DST, made_.dst);
    if (problem.bias) Add(dnnl, DNNL_ARG_BIAS, PlainDesc({problem.dst[1]}));
    if (made_.scratchpad.get_size() > 0) Add(dnnl, DNNL_ARG_SCRATCHPAD, made_.scratchpad);
  }

  void ForgetWeights() override {
    const dnnl::memory& weights = arguments_.at(DNNL_ARG_WEIGHTS);
    ForgetCached(weights.get_data_handle(), weights.get_desc().get_size());
  }
  void Run() override {
    made_.primitive.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  void Add(const DnnlContext& dnnl, int argument, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, dnnl.engine());
    std::memset(memory.get_data_handle(), 0, desc.get_size());
    arguments_.emplace(argument, std::move(memory));
  }

  dnnl::stream stream_;
  MadePrimitive made_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

class XnnCandidate final : public Candidate {
 public:
  XnnCandidate(std::unique_ptr<XnnConv> conv, const ConvProblem& problem)
      : conv_(std::move(conv)), from_(Zeros(problem.src)), to_(Zeros(problem.dst)) {}
  void ForgetWeights() override {
    for (const XnnConv::Piece& piece : conv_->Packed()) ForgetCached(piece.data, piece.bytes);
  }
  void Run() override { conv_->Run(from_.data(), to_.data()); }

 private:
  static AlignedFloats Zeros(const DnnlDims& dims) {
    AlignedFloats zeros(static_cast<std::size_t>(Product(dims)) + kMayReadBeyond);
    std::fill_n(zeros.data(), zeros.size(), 0.0f);
    return zeros;
  }
  static constexpr std::size_t kMayReadBeyond = 4;

  std::unique_ptr<XnnConv> conv_;
  AlignedFloats from_, to_;
};

class Trial {
 public:
  Trial(std::unique_ptr<Candidate> of, clockid_t clock, double extra)
      : of_(std::move(of)), clock_(clock), extra_(extra) {}

  void Measure() {
    of_->ForgetWeights();
    const double start = SecondsOf(clock_);
    of_->Run();
    times_.push_back(SecondsOf(clock_) - start);
  }
  void Forget() { times_.clear(); }

  // The lower median, with what it costs beside its own run.
  double Cost() const { return LowerMedian(times_) + extra_; }

 private:
  std::unique_ptr<Candidate> of_;
  clockid_t clock_;
  double extra_;
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

// A way of oneDNN's.
using Way = std::pair<Pick, MadePrimitive>;

// The candidates worth a run: at most two of a kind. oneDNN's plain loops, always the last, only on request.
void AddCandidates(const DnnlContext& dnnl, const ConvProblem& problem, Pick pick, bool plain_loops,
                   std::vector<Way>& candidates) {
  const ConvProblem p = With(problem, pick);
  if (pick.winograd && !MayBeWinograd(p)) return;
  for (pick.index = 0; pick.index < kMostOfAKind; ++pick.index) {
    MadePrimitive made = dnnl.Conv(p, pick.index);
    if (!made || (!plain_loops && made.implementation.find("ref") == 0)) return;
    candidates.emplace_back(pick, std::move(made));
  }
}

std::vector<Way> Candidates(const DnnlContext& dnnl, const ConvProblem& problem) {
  std::vector<Way> candidates;
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

// With weights of no meaning, which take as long.
std::unique_ptr<XnnConv> EmptyXnnConv(const ConvProblem& problem, const XnnFit& fit, std::size_t threads) {
  const std::vector<float> weights(static_cast<std::size_t>(Product(problem.weights)));
  const std::vector<float> bias(static_cast<std::size_t>(problem.dst[1]));
  return MakeXnnConv(fit.problem, weights.data(), problem.bias ? bias.data() : nullptr, threads);
}

// What XNNPACK leaves to loops over its output: they read it, and what is added, and write it.
double AfterCost(const ConvProblem& problem, const XnnFit& fit) {
  double cost = 0;
  for (const PostOp& post : fit.after) cost += (post.sum ? 1.5 : 1.0) * ChangeCost(problem.dst);
  return cost;
}

Pick MeasureConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available, std::size_t threads,
                 bool xnn) {
  // What else runs on the machine does not count, as far as the system can tell.
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const std::optional<XnnFit> fit = xnn ? FitOf(problem) : std::nullopt;
  std::unique_ptr<XnnConv> by_xnn = fit ? EmptyXnnConv(problem, *fit, threads) : nullptr;
  const Layout usual = dnnl.block() > 1 ? Layout::kBlocked : by_xnn ? Layout::kLast : Layout::kPlain;
  const auto extra_of = [&](const Pick& pick) {
    return (pick.src != available ? ChangeCost(problem.src) : 0) +
           (pick.dst != usual ? ChangeCost(problem.dst) : 0);
  };
  std::vector<Pick> picks;
  std::vector<Trial> trials;
  for (auto& [pick, made] : Candidates(dnnl, problem)) {
    picks.push_back(pick);
    trials.emplace_back(std::make_unique<DnnlCandidate>(dnnl, With(problem, pick), std::move(made)), clock,
                        extra_of(pick));
  }
  if (by_xnn) {
    Pick& pick = picks.emplace_back(Pick{Layout::kLast, Layout::kLast});
    pick.xnn = true;
    trials.emplace_back(std::make_unique<XnnCandidate>(std::move(by_xnn), problem), clock,
                        extra_of(pick) + AfterCost(problem, *fit));
  }
  if (picks.empty()) return {};
  if (picks.size() == 1) {
    picks[0].only = true;
    return picks[0];
  }
  ++convs_measured;
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
  return picks[best];
}

std::vector<std::int64_t> KeyOf(const ConvProblem& p, Layout available, std::size_t threads, bool xnn) {
  std::vector<std::int64_t> key = {p.transposed, p.bias, xnn, static_cast<std::int64_t>(available),
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
std::optional<ConvChoice> Taken(const DnnlContext& dnnl, const ConvProblem& problem, const std::string& text,
                                std::size_t threads, bool xnn) {
  if (text == kXnnText && xnn) {
    const std::optional<XnnFit> fit = FitOf(problem);
    if (!fit || !EmptyXnnConv(problem, *fit, threads)) return std::nullopt;
    return ConvChoice{With(problem, {Layout::kLast, Layout::kLast}), {}, true, text, false};
  }
  for (Pick pick : kConvKinds) {
    const ConvProblem p = With(problem, pick);
    if (pick.dst == Layout::kBlocked && dnnl.block() == 1) continue;
    if (!text.starts_with(TextOf(pick, {})) || (pick.winograd && !MayBeWinograd(p))) continue;
    for (pick.index = 0; pick.index < kMostOfAKind; ++pick.index) {
      MadePrimitive made = dnnl.Conv(p, pick.index);
      if (!made) break;
      if (TextOf(pick, made) == text) return ConvChoice{p, std::move(made), false, text, false};
    }
  }
  return std::nullopt;
}

}  // namespace

std::int64_t ConvsMeasured() { return convs_measured; }

ConvChoice ChooseConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available,
                      std::size_t threads, const std::string& take, bool xnn) {
  if (!take.empty()) {
    if (auto taken = Taken(dnnl, problem, take, threads, xnn)) return *std::move(taken);
  }
  static std::mutex mutex;
  static std::map<std::vector<std::int64_t>, Pick> known;
  const std::vector<std::int64_t> key = KeyOf(problem, available, threads, xnn);
  std::optional<Pick> pick;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) pick = found->second;
  }
  if (!pick) {
    pick = MeasureConv(dnnl, problem, available, threads, xnn);
    const std::lock_guard lock(mutex);
    pick = known.emplace(key, *pick).first->second;  // all units of a kind agree on the first answer
  }
  ConvChoice choice{With(problem, *pick), {}, pick->xnn, {}, true};
  if (pick->index >= 0) choice.made = dnnl.Conv(choice.problem, pick->index);
  if ((choice.made || choice.xnn) && !pick->only) choice.text = TextOf(*pick, choice.made);
  return choice;
}

}  // namespace tandem
