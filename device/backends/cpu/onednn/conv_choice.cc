#include "device/backends/cpu/onednn/conv_choice.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device/backends/cpu/onednn/trial.h"

namespace tandem {
namespace {

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

// What oneDNN takes to bring a tensor of some size from one layout into another, per float: the least of some
// passes. Of two that are the same: to read and to write it.
double SecondsPerFloat(const DnnlContext& dnnl, Layout from_layout, Layout to_layout, std::size_t threads) {
  const DnnlDims dims = {1, 64, 56, 56};
  const dnnl::memory from(dnnl.Describe(dims, from_layout), dnnl.engine()),
      to(dnnl.Describe(dims, to_layout), dnnl.engine());
  std::memset(from.get_data_handle(), 0, from.get_desc().get_size());
  const MadePrimitive made = dnnl.Reorder(from.get_desc(), to.get_desc());
  dnnl::stream stream = dnnl.stream();
  const auto change = [&] {
    made.primitive.execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    stream.wait();
  };
  return LeastSeconds(change, threads) / static_cast<double>(Product(dims));
}

// The same, measured once for so many cores of this kind. Bytes count as what they are brought into.
double ChangeRate(const DnnlContext& dnnl, std::size_t threads, Layout from, Layout to) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::size_t, Layout, Layout>, double> known;
  const auto floats = [](Layout layout) { return layout == Layout::kBytes ? Layout::kPlain : layout; };
  const std::tuple key(KindOfThisCore(), threads, floats(from), floats(to));
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const double rate = SecondsPerFloat(dnnl, floats(from), floats(to), threads);
  known.emplace(key, rate);
  return rate;
}

// With weights of no meaning, which take as long.
std::unique_ptr<XnnConv> EmptyXnnConv(const ConvProblem& problem, const XnnFit& fit, std::size_t threads) {
  const std::vector<float> weights(static_cast<std::size_t>(Product(problem.weights)));
  const std::vector<float> bias(static_cast<std::size_t>(problem.dst[1]));
  return MakeXnnConv(fit.problem, weights.data(), problem.bias ? bias.data() : nullptr, threads);
}

// What XNNPACK leaves to loops over its output: they read it, and what is added, and write it.
double PassesAfter(const XnnFit& fit) {
  double passes = 0;
  for (const PostOp& post : fit.after) passes += post.sum ? 1.5 : 1.0;
  return passes;
}

Pick MeasureConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available, std::size_t threads,
                 bool xnn) {
  const std::optional<XnnFit> fit = xnn ? FitOf(problem) : std::nullopt;
  std::unique_ptr<XnnConv> by_xnn = fit ? EmptyXnnConv(problem, *fit, threads) : nullptr;
  const Layout usual = dnnl.block() > 1 ? Layout::kBlocked : by_xnn ? Layout::kLast : Layout::kPlain;
  const auto change = [&](const DnnlDims& dims, Layout from, Layout to) {
    return ChangeRate(dnnl, threads, from, to) * static_cast<double>(Product(dims));
  };
  const auto extra_of = [&](const Pick& pick) {
    return (pick.src != available ? change(problem.src, available, pick.src) : 0) +
           (pick.dst != usual ? change(problem.dst, pick.dst, usual) : 0);
  };
  std::vector<Pick> picks;
  std::vector<Trial> trials;
  for (auto& [pick, made] : Candidates(dnnl, problem)) {
    picks.push_back(pick);
    trials.push_back(TrialOf(dnnl, std::move(made), problem.bias ? problem.dst[1] : 0));
    trials.back().extra = extra_of(pick);
  }
  if (by_xnn) {
    Pick& pick = picks.emplace_back(Pick{Layout::kLast, Layout::kLast});
    pick.xnn = true;
    trials.push_back(TrialOf(std::move(by_xnn), Product(problem.src), Product(problem.dst)));
    trials.back().extra = extra_of(pick);
    if (const double passes = PassesAfter(*fit); passes > 0) {
      trials.back().extra += passes * change(problem.dst, Layout::kPlain, Layout::kPlain);
    }
  }
  if (picks.empty()) return {};
  if (picks.size() == 1) {
    picks[0].only = true;
    return picks[0];
  }
  ++convs_measured;
  return picks[FastestOf(trials, threads)];
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
  static std::map<std::pair<std::string, std::vector<std::int64_t>>, Pick> known;
  const std::pair key(KindOfThisCore(), KeyOf(problem, available, threads, xnn));
  std::optional<Pick> pick;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) pick = found->second;
  }
  if (!pick) {
    pick = MeasureConv(dnnl, problem, available, threads, xnn);
    const std::lock_guard lock(mutex);
    pick = known.emplace(key, *pick).first->second;  // all units of such cores agree on the first answer
  }
  ConvChoice choice{With(problem, *pick), {}, pick->xnn, {}, true};
  if (pick->index >= 0) choice.made = dnnl.Conv(choice.problem, pick->index);
  if ((choice.made || choice.xnn) && !pick->only) choice.text = TextOf(*pick, choice.made);
  return choice;
}

}  // namespace tandem
