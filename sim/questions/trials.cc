#include "sim/questions/trials.h"

#include <algorithm>

#include "policies/engine/draws/sampled_times.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_write.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "scenarios/arrivals/arrivals.h"

namespace tandem {
namespace {

constexpr std::size_t kMostKept = 24;
constexpr std::int64_t kMostRequestsOfTrial = 2'000'000;  // a second or so

Supposed Asked(const std::string& path, double value, const std::string& unit) {
  return {path, {JsonNumber(value) + unit, value, unit}};
}

void CheckSize(const Scenario& scenario) {
  std::int64_t total = 0;
  for (const RequestCount& requests : CountRequests(scenario.streams, scenario.seed)) total += requests.count;
  if (total <= kMostRequestsOfTrial) return;
  throw InputError("there are " + Grouped(total) + " requests in one run, and at most " +
                   Grouped(kMostRequestsOfTrial) + " are tried");
}

}  // namespace

VariedScenarios::VariedScenarios(const ScenarioFile& file, std::vector<Supposed> supposed, std::string vary,
                                 std::string unit, std::optional<std::uint64_t> seed)
    : file_(&file),
      supposed_(std::move(supposed)),
      vary_(std::move(vary)),
      unit_(std::move(unit)),
      seed_(seed) {}

Scenario& VariedScenarios::At(double value) {
  const auto known = kept_.find(value);
  if (known != kept_.end()) return *known->second;
  std::vector<Supposed> all = supposed_;
  all.push_back(Asked(vary_, value, unit_));
  for (Supposed& count : file_->KeepingDuration(vary_, value)) all.push_back(std::move(count));
  auto scenario = std::make_unique<Scenario>(file_->With(all, "--vary"));
  if (seed_) scenario->seed = *seed_;
  CheckSize(*scenario);
  if (order_.size() == kMostKept) {
    kept_.erase(order_.front());
    order_.erase(order_.begin());
  }
  order_.push_back(value);
  return *kept_.emplace(value, std::move(scenario)).first->second;
}

Trials::Trials(VariedScenarios& scenarios, std::string label, const std::vector<ConditionTerm>& condition,
               TrialOptions options, LongRun& watch)
    : scenarios_(scenarios),
      label_(std::move(label)),
      condition_(condition),
      options_(options),
      watch_(watch) {}

std::optional<std::vector<Report>> Trials::RunsAt(Scenario& scenario) {
  const PolicySpec policy = ChoosePolicies(scenario, {label_}).front();
  std::vector<Report> runs;
  for (std::int64_t r = 0; r < options_.seeds; ++r) {
    scenario.seed = options_.first_seed + static_cast<std::uint64_t>(r);
    const PreparedRun run = Prepare(scenario, policy);
    RunOptions how;
    how.progress = [&](std::int64_t) {
      return watch_.Progress(label_, static_cast<std::int64_t>(figures_.size()), 0);
    };
    std::optional<SampledTimes> times;
    if (options_.draw) {
      times.emplace(*run.problem, *options_.draw);
      times->SetIn(how);
    }
    runs.push_back(ReportOf(run, options_.engine, {std::nullopt, std::nullopt, "it is not asked for"},
                            RunOn(options_.engine, run, how)));
    if (!runs.back().complete) return std::nullopt;
  }
  return runs;
}

Holds Trials::At(double value) {
  if (interrupted_ || !watch_.Progress(label_, static_cast<std::int64_t>(figures_.size()), 0)) {
    interrupted_ = true;
    return Holds::kNo;
  }
  std::optional<std::vector<Report>> runs;
  try {
    Scenario& scenario = scenarios_.At(value);
    AskForAges(condition_, scenario);
    runs = RunsAt(scenario);
  } catch (const InputError& error) {
    const std::string why = error.what();
    why_ = why.substr(0, why.find('\n'));
    return Holds::kBeyond;
  }
  if (!runs) {
    interrupted_ = true;
    return Holds::kNo;
  }
  bool holds = true;
  std::vector<double> figures;
  for (const ConditionTerm& term : condition_) {
    figures.push_back(FarthestOf(term, *runs));
    holds = holds && term.Keeps(figures.back());
  }
  figures_[value] = std::move(figures);
  estimated_[value] = EstimatedOf(*runs);
  return holds ? Holds::kYes : Holds::kNo;
}

std::vector<double> Trials::FiguresAt(double value) const {
  const auto known = figures_.find(value);
  return known == figures_.end() ? std::vector<double>{} : known->second;
}

std::vector<std::string> Trials::EstimatedAt(double value) const {
  const auto known = estimated_.find(value);
  return known == estimated_.end() ? std::vector<std::string>{} : known->second;
}

std::string Trials::UnknownAt(double value) {
  Scenario& scenario = scenarios_.At(value);
  scenario.seed = options_.first_seed;
  const PolicySpec policy = ChoosePolicies(scenario, {label_}).front();
  const PreparedRun run = Prepare(scenario, policy);
  const Report report = ReportOf(run, options_.engine, {std::nullopt, std::nullopt, "it is not asked for"},
                                 RunOn(options_.engine, run));
  std::vector<char> used;
  for (const UnitReport& unit : report.units) used.push_back(unit.tasks > 0 ? 1 : 0);
  return SampledTimes(*run.problem).Unknown(used);
}

}  // namespace tandem
