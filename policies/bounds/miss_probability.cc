#include "policies/bounds/miss_probability.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/bounds/coming.h"
#include "policies/bounds/fixed_service.h"
#include "policies/bounds/request_work.h"
#include "policies/bounds/work_on_grid.h"
#include "policies/bounds/worst_latency.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr int kThetas = 80;               // that are tried, of which the best counts
constexpr int kMostWindows = 20'000;      // that are looked at one by one
constexpr double kCellsOfDeadline = 400;  // of the grid, ...
constexpr std::size_t kCells = 1200;      // ... which ends at three deadlines
constexpr double kCellsRounded = 1e-12;   // of a sum of probabilities
constexpr double kRoundedUp = 1e-9;       // what is reckoned in floating point
constexpr double kEnough = 1e-3;          // of the sum, or ...
constexpr double kNothing = 1e-18;        // ... in itself: then the windows that are left add no more

struct Interfering {
  Coming coming;
  RequestWork work;
  bool own = false;
};

// What has to be done in a window before a request's deadline, as far as chance goes.
class Windows {
 public:
  Windows(std::vector<Interfering> level, std::vector<TaskLeft> begun, Nanos deadline)
      : level_(std::move(level)), begun_(std::move(begun)), deadline_(deadline.count()) {
    FindThetas();
    FindMost();
    FindCells();
  }

  // The sum over all windows; nothing: it may have no end.
  std::optional<double> Sum() {
    double sum = 0;
    std::int64_t window = deadline_;
    for (int step = 0; step < kMostWindows; ++step) {
      if (IsImpossibleFrom(window)) return sum;
      sum += IsImpossible(window) ? 0 : std::min(ByMoments(window), ByCells(window));
      if (sum >= 1) return 1;
      const auto next = Next(window);
      if (!next) return sum;
      window = *next;
      if (const double left = Left(window); left <= std::max(kEnough * sum, kNothing)) return sum + left;
    }
    const double left = Left(window);
    if (!std::isfinite(left)) return std::nullopt;
    return std::min(sum + left, 1.0);
  }

 private:
  struct Theta {
    double theta = 0, begun = 0;
    std::vector<RequestWork::Moments> of;  // per stream of the level
    double drift = 0, offset = 0;          // windows of x: at most e^(offset - drift x)
  };

  std::int64_t RequestsIn(const Interfering& one, std::int64_t window) const {
    return one.own ? one.coming.Within(Nanos{window - deadline_}) : one.coming.Before(Nanos{window});
  }

  void FindThetas() {
    double tail = 0;
    for (const Interfering& one : level_) tail = std::max(tail, one.work.greatest_tail());
    for (const TaskLeft& task : begun_) {
      for (const double mean : task.tails) tail = std::max(tail, mean);
    }
    const auto deadline = static_cast<double>(std::max<std::int64_t>(deadline_, 1));
    for (int i = 0; i < kThetas; ++i) {
      // From 0.01 to 10,000 / deadline; where there are tails close to the greatest of which there are
      // moments.
      double theta = 0.01 / deadline * std::pow(1e6, i / (kThetas - 1.0));
      if (tail > 0) theta = theta / (1 + theta * tail);
      thetas_.push_back(Of(theta));
    }
  }

  Theta Of(double theta) const {
    Theta of;
    of.theta = theta;
    for (const TaskLeft& task : begun_) of.begun = std::max(of.begun, task.LogMoment(theta));
    of.drift = theta;
    of.offset = of.begun;
    for (const Interfering& one : level_) {
      const RequestWork::Moments& moments = of.of.emplace_back(one.work, theta);
      of.offset += moments.offset();
      if (one.coming.period == 0) {
        of.offset += moments.slope() * static_cast<double>(one.coming.count);
        continue;
      }
      const auto period = static_cast<double>(one.coming.period);
      of.drift -= moments.slope() / period;
      of.offset += moments.slope() * (static_cast<double>(one.coming.jitter.count()) / period + 1);
    }
    return of;
  }

  void FindMost() {
    for (const TaskLeft& task : begun_) {
      most_begun_ = std::max(most_begun_, task.tails.empty() ? task.fixed : RequestWork::kNone);
    }
    double load = 0, beside = most_begun_;
    for (const Interfering& one : level_) {
      const double most = one.work.most();
      if (one.coming.period == 0) {
        beside += most * static_cast<double>(one.coming.count);
        continue;
      }
      const auto period = static_cast<double>(one.coming.period);
      load += most / period;
      beside += most * (static_cast<double>(one.coming.jitter.count()) / period + 1);
    }
    if (load < 1 && std::isfinite(beside)) impossible_from_ = beside / (1 - load) * (1 + kRoundedUp) + 1;
  }

  bool IsImpossibleFrom(std::int64_t window) const { return static_cast<double>(window) >= impossible_from_; }
  // Is there less to do in the window than it has room for, whatever is drawn?
  bool IsImpossible(std::int64_t window) const {
    double most = most_begun_;
    for (const Interfering& one : level_)
      most += one.work.most() * static_cast<double>(RequestsIn(one, window));
    return most * (1 + kRoundedUp) <= static_cast<double>(window);
  }

  double ByMoments(std::int64_t window) {
    double least = 0;  // of logarithms: a probability is 1 at most
    for (Theta& of : thetas_) {
      const double room = of.theta * static_cast<double>(window);
      double work = of.begun;
      for (std::size_t i = 0; i < level_.size(); ++i) work += of.of[i].Log(RequestsIn(level_[i], window));
      if (std::isfinite(work)) least = std::min(least, work - room + kRoundedUp * (work + room));
    }
    return std::exp(least);
  }

  // Of windows that are no longer than the grid; sharper where few requests count.
  double ByCells(std::int64_t window) {
    double room = static_cast<double>(window);
    for (const Interfering& one : level_) {
      const std::int64_t requests = RequestsIn(one, window);
      if (requests > WorkOnGrid::kMostRequests) return 1;
      room -= one.work.fixed() * static_cast<double>(requests);
    }
    const double last = std::floor(room * (1 - kRoundedUp) / cell_);  // that is not too late
    if (last < 0 || last >= static_cast<double>(kCells)) return 1;
    Cells all = begun_cells_;
    for (std::size_t i = 0; i < level_.size(); ++i)
      all = Added(all, on_grid_[i].Of(RequestsIn(level_[i], window)));
    double in_time = 0;
    for (std::size_t c = 0; c <= static_cast<std::size_t>(last); ++c) in_time += all[c];
    return std::clamp(1 - in_time + kCellsRounded, 0.0, 1.0);
  }

  void FindCells() {
    cell_ = static_cast<double>(std::max<std::int64_t>(deadline_, 1)) / kCellsOfDeadline;
    for (const TaskLeft& task : begun_) {
      const Cells left = OnGrid(task, cell_, kCells);
      begun_cells_ = begun_cells_.empty() ? left : LargerOf(begun_cells_, left);
    }
    if (begun_cells_.empty()) {
      begun_cells_.resize(kCells);
      begun_cells_[0] = 1;
    }
    for (const Interfering& one : level_) on_grid_.emplace_back(one.work, cell_, kCells);
  }

  // The next window in which more requests may come.
  std::optional<std::int64_t> Next(std::int64_t window) const {
    std::optional<std::int64_t> next;
    for (const Interfering& one : level_) {
      const std::int64_t period = one.coming.period;
      if (period == 0) continue;
      const std::int64_t jitter = one.coming.jitter.count(), requests = RequestsIn(one, window);
      const std::int64_t date =
          one.own ? deadline_ + requests * period - jitter : requests * period - jitter + 1;
      next = std::min(next.value_or(INT64_MAX), std::max(date, window + 1));
    }
    return next;
  }

  // Of all windows from this one on.
  double Left(std::int64_t window) const {
    if (IsImpossibleFrom(window)) return 0;
    double stretch = RequestWork::kNone;
    for (const Interfering& one : level_) {
      if (one.coming.period > 0) stretch = std::min(stretch, static_cast<double>(one.coming.period));
    }
    double in_stretch = 0;  // windows at which more may come
    for (const Interfering& one : level_) {
      if (one.coming.period > 0) in_stretch += stretch / static_cast<double>(one.coming.period) + 1;
    }
    double least = RequestWork::kNone;
    for (const Theta& of : thetas_) {
      if (!(of.drift > kRoundedUp * of.theta) || !std::isfinite(of.offset)) continue;
      const double drift = of.drift - kRoundedUp * of.theta, room = drift * static_cast<double>(window);
      const double log = of.offset - room + kRoundedUp * (of.offset + room);
      least = std::min(least, in_stretch * std::exp(log) / -std::expm1(-drift * stretch));
    }
    return least;
  }

  std::vector<Interfering> level_;
  std::vector<TaskLeft> begun_;  // one of these the unit may have begun before
  std::int64_t deadline_;
  std::vector<Theta> thetas_;
  std::vector<WorkOnGrid> on_grid_;  // per stream of the level
  Cells begun_cells_;
  double cell_ = 1;
  double most_begun_ = 0, impossible_from_ = RequestWork::kNone;
};

class Chances {
 public:
  Chances(const Problem& problem, const Policy& policy, const SampledTimes& times, double longer)
      : problem_(problem),
        policy_(policy),
        streams_(problem.scenario().streams),
        service_(problem, policy, longer),
        times_(times),
        longer_(longer) {}

  MissProbability Of(std::size_t stream) const {
    MissProbability of;
    of.why = WhyNot(stream);
    if (!of.why.empty()) return of;
    if (!FindSamples(stream, of)) return AsProfiled(stream, of);
    of.why = WhyNoChance(stream);
    if (!of.why.empty()) return of;
    std::vector<Interfering> level = {With(stream, true)};
    for (const std::size_t s : service_.NotAfter(stream)) level.push_back(With(s, false));
    std::vector<TaskLeft> begun;
    for (const StreamOn& behind : service_.Behind(stream)) {
      for (TaskLeft& task : TasksLeft(service_, times_, behind.stream, behind.unit, longer_))
        begun.push_back(std::move(task));
    }
    for (const Interfering& one : level) {
      if (one.work.IsTooMuch()) of.why = "the profile has more samples than can be looked at";
    }
    if (!of.why.empty()) return of;
    Windows windows(std::move(level), std::move(begun), *streams_[stream].deadline);
    of.at_most = windows.Sum();
    if (!of.at_most) of.why = "its unit may be asked for more than it can do";
    if (of.at_most) of.at_most = std::min(*of.at_most * (1 + kRoundedUp), 1.0);
    return of;
  }

 private:
  Interfering With(std::size_t stream, bool own) const {
    return {ComingByItself(streams_[stream]), RequestWork(service_, times_, stream, longer_), own};
  }

  // Of all tasks that may keep a request from its unit, its own too: have any samples, and which have none?
  bool FindSamples(std::size_t stream, MissProbability& of) const {
    std::vector<StreamOn> all = service_.Behind(stream);
    for (const StreamOn& beside : service_.Beside(stream)) all.push_back(beside);
    for (const std::size_t s : service_.NotAfter(stream)) all.push_back({s, service_.Of(stream).unit});
    all.push_back({stream, service_.Of(stream).unit});
    std::ranges::sort(all, {}, [](const StreamOn& one) { return std::pair(one.stream, one.unit); });
    bool any = false;
    for (const auto& [s, unit] : all) {
      service_.ForEachSegment(s, [&, s = s, unit = unit](SegmentId segment) {
        if (!service_.Takes(s, segment, unit)) return;
        const auto parts = times_.PartsOf(segment, unit);
        const auto sampled = [](const SampledTimes::Part& part) { return part.samples != nullptr; };
        any = any || std::ranges::any_of(parts, sampled);
        if (!parts.empty() && std::ranges::all_of(parts, sampled)) return;
        const std::string task =
            problem_.NameOf(segment) + " on unit " + Quoted(problem_.platform().unit(unit).name);
        if (std::ranges::count(of.without_samples, task) == 0) of.without_samples.push_back(task);
      });
    }
    return any;
  }

  // One time for each task: it is kept or not.
  MissProbability AsProfiled(std::size_t stream, MissProbability of) const {
    const WorstLatency worst = WorstLatencies(problem_, policy_, longer_)[stream];
    of.why = worst.why;
    of.as_profiled = worst.longest.has_value();
    if (worst.longest) of.at_most = *worst.longest <= *streams_[stream].deadline ? 0 : 1;
    return of;
  }

  // Why there is no bound of chances, where one of times may be.
  std::string WhyNoChance(std::size_t stream) const {
    if (const auto beside = service_.Beside(stream); !beside.empty()) {
      return "the critical stream " + Quoted(streams_[beside[0].stream].name) + " runs on unit " +
             Quoted(problem_.platform().unit(beside[0].unit).name) +
             ", which shares cores or a device with its own";
    }
    const std::vector<StreamOn> behind = service_.Behind(stream);
    const auto at_once = [&](const StreamOn& of) {
      return of.unit != behind.front().unit || problem_.places().slots(of.unit) > 1;
    };
    const bool several = std::ranges::any_of(behind, at_once);
    for (const auto& [s, unit] : behind) {
      const std::string begun = Quoted(streams_[s].name) + " may have begun a task, and ";
      for (const TaskLeft& task : TasksLeft(service_, times_, s, unit, longer_)) {
        if (task.mapped) return begun + "it reads through a mapping";
        if (several && !task.tails.empty())
          return begun + "others beside it, of samples so few that they have a tail";
      }
    }
    return {};
  }

  std::string WhyNot(std::size_t stream) const {
    if (!streams_[stream].deadline) return "it has no deadline";
    if (streams_[stream].keep_latest) return "its requests are dropped for newer ones";
    const Served& served = service_.Of(stream);
    if (!served.why.empty()) return served.why;
    if (const Coming coming = ComingByItself(streams_[stream]); !coming.unknown.empty())
      return coming.unknown;
    for (const std::size_t s : service_.NotAfter(stream)) {
      const std::string before = Quoted(streams_[s].name) + " may come before it, and ";
      if (!service_.Of(s).why.empty()) return before + service_.Of(s).why;
      if (const Coming coming = ComingByItself(streams_[s]); !coming.unknown.empty())
        return before + coming.unknown;
    }
    return {};
  }

  const Problem& problem_;
  const Policy& policy_;
  const std::vector<Stream>& streams_;
  FixedService service_;
  const SampledTimes& times_;
  double longer_;
};

}  // namespace

std::vector<MissProbability> MissProbabilities(const Problem& problem, const Policy& policy,
                                               const SampledTimes& times, double longer) {
  const Chances chances(problem, policy, times, longer);
  std::vector<MissProbability> all;
  for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) all.push_back(chances.Of(s));
  return all;
}

}  // namespace tandem
