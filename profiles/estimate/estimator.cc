#include "profiles/estimate/estimator.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/statistics.h"
#include "profiles/base/suggest.h"
#include "profiles/estimate/evaluation.h"

namespace tandem {
namespace {

constexpr std::int64_t kResolution = 10;  // ns: an estimate that says more would be a lie

// Half of the layers are estimated at less than this many times too long or too short.
double MedianFactor(const EfficiencyModel& model, const std::vector<KnownTime>& known) {
  std::vector<double> factors;
  for (const KnownTime& time : known) {
    const double ratio = model.Seconds(time.work, time.peak) / time.seconds;
    factors.push_back(ratio >= 1 ? ratio : 1 / std::max(ratio, 1e-9));
  }
  return factors.empty() ? 1 : LowerMedian(std::move(factors));
}

struct LayerEstimate {
  std::string layer;
  LayerWork work;
  std::int64_t nanos = 0;
};

struct ModelEstimate {
  std::string model;
  std::vector<LayerEstimate> layers;
  double seconds = 0;  // before any fitting
};

double Sum(const EfficiencyModel& efficiency, const std::vector<LayerWork>& layers, const Rates& peak) {
  double seconds = 0;
  for (const LayerWork& work : layers) seconds += efficiency.Seconds(work, peak);
  return seconds;
}

std::vector<LayerWork> WorkOfAll(const ModelEstimate& model) {
  std::vector<LayerWork> work;
  for (const LayerEstimate& layer : model.layers) work.push_back(layer.work);
  return work;
}

// Scales the layers and rounds them; a known sum is met exactly, the longest layer takes what rounding left.
void Scale(ModelEstimate& model, double factor, const EfficiencyModel& efficiency, const Rates& peak,
           std::optional<Nanos> sum) {
  std::int64_t total = 0;
  for (LayerEstimate& layer : model.layers) {
    const double nanos = efficiency.Seconds(layer.work, peak) * factor * kNanosPerSecond;
    const bool sane =
        nanos >= 0 && nanos + static_cast<double>(total) <= static_cast<double>(kLongestTime.count());
    if (!sane) {
      throw InputError("model " + Quoted(model.model) +
                       " would take more than 104 days, or no known layer is like its " +
                       Quoted(layer.layer) + "; are the rates and times in the spec right?");
    }
    layer.nanos = std::max<std::int64_t>(std::llround(nanos / kResolution), 1) * kResolution;
    total += layer.nanos;
  }
  if (!sum || model.layers.empty()) return;
  const auto longest = std::max_element(model.layers.begin(), model.layers.end(),
                                        [](const auto& a, const auto& b) { return a.nanos < b.nanos; });
  longest->nanos += sum->count() - total;
  if (longest->nanos <= 0) {
    throw InputError("the whole-model time of " + Quoted(model.model) + " is too short for its " +
                     std::to_string(model.layers.size()) + " layers");
  }
}

class Estimation {
 public:
  explicit Estimation(const EstimateSpec& spec) : spec_(spec), platform_(PlatformOf(spec)) {
    CheckEstimateSpec(spec);
    if (spec.models.empty()) {
      throw InputError(spec.file +
                       ": lists no models to estimate; such a file gives the peak rates of a board "
                       "whose layers are known");
    }
  }

  Profile Run() {
    Profile profile;
    profile.platform = spec_.platform;
    profile.note = spec_.note;
    profile.origin.kind = OriginKind::kEstimated;
    std::string method;
    for (std::size_t i = 0; i < spec_.units.size(); ++i) {
      try {
        method += EstimateUnit(spec_.units[i], profile.entries);
      } catch (const InputError& error) {
        throw InputError(spec_.file + ":/units/" + std::to_string(i) + ": " + error.what());
      }
    }
    profile.origin.error = Error();
    profile.origin.method =
        "roofline with the efficiencies of known layers per class of operation (docs/estimator.md)." + method;
    return profile;
  }

 private:
  // Adds the entries; returns a sentence on how.
  std::string EstimateUnit(const UnitEstimate& unit, std::vector<CostEntry>& entries) {
    std::string sentence = " " + Listed(unit.units) + ":";
    std::vector<ModelEstimate> models;
    std::vector<CostEntry> taken;
    for (const std::string& name : spec_.models) {
      if (!unit.layers_of || !TakeKnown(unit, name, taken)) models.push_back(WorkOfModel(name));
    }
    if (unit.layers_of && taken.empty()) {
      throw InputError("layers_of: " + unit.layers_of->Text() +
                       " has no known times of these models at batch " + std::to_string(spec_.batch));
    }
    if (!taken.empty())
      sentence += " the known times of " + unit.layers_of->Text() + " for " + ModelsOf(taken) + ";";
    if (!models.empty()) sentence += FitAndScale(unit, models);
    Append(unit, taken, models, entries);
    sentence.back() = '.';
    return sentence;
  }

  ModelEstimate WorkOfModel(const std::string& name) {
    ModelEstimate estimate{name, {}, 0};
    const Model& model = shelf_.Get(name, spec_.file, spec_.batch);
    for (std::size_t i = 0; i < model.size(); ++i) {
      const LayerId id(i);
      if (Declaration(model.layer(id).op).kind == OpKind::kOpaque) {
        throw InputError("model " + Quoted(name) + ": what layer " + Quoted(model.layer(id).name) +
                         " does is its program's own: its times can be measured or given, not estimated");
      }
      if (!IsFree(model.layer(id).op))
        estimate.layers.push_back({model.layer(id).name, WorkOf(model, id), 0});
    }
    return estimate;
  }

  std::string FitAndScale(const UnitEstimate& unit, std::vector<ModelEstimate>& models) {
    const std::vector<const KnownUnit*> like = UnitsLike(unit);
    const EfficiencyModel efficiency = FitTo(like);
    Rates peak = PeakOf(spec_, static_cast<std::size_t>(&unit - spec_.units.data()), platform_);
    std::string sentence = " efficiencies of " + Names(like) + ";";
    if (const auto error = ErrorOfEstimates(Known(), like, !unit.whole_models.empty()))
      errors_.push_back(*error);
    if (peak.operations_per_s == 0) {
      peak.operations_per_s = FindPeak(unit, models, efficiency, peak);
      sentence += " peak rate found from the whole-model times;";
    }
    std::vector<double> factors;
    for (ModelEstimate& model : models) {
      model.seconds = Sum(efficiency, WorkOfAll(model), peak);
      const auto known = unit.whole_models.find(model.model);
      if (known == unit.whole_models.end()) continue;
      factors.push_back(static_cast<double>(known->second.count()) / kNanosPerSecond / model.seconds);
      sentence += " fitted to " + model.model + " in " + ExactMillis(known->second) + " ms;";
    }
    const double factor = factors.empty() ? 1 : LowerMedian(factors);
    for (ModelEstimate& model : models) {
      const auto known = unit.whole_models.find(model.model);
      if (known == unit.whole_models.end()) {
        Scale(model, factor, efficiency, peak, {});
      } else {
        const double own = static_cast<double>(known->second.count()) / kNanosPerSecond / model.seconds;
        Scale(model, own, efficiency, peak, known->second);
      }
    }
    return sentence;
  }

  // Of the units that were estimated together, to a hundredth; nothing where none can be checked.
  std::optional<double> Error() const {
    if (errors_.empty()) return std::nullopt;
    double squares = 0;
    for (const double error : errors_) squares += error * error;
    return std::round(std::sqrt(squares / static_cast<double>(errors_.size())) * 100) / 100;
  }

  static double FindPeak(const UnitEstimate& unit, const std::vector<ModelEstimate>& models,
                         const EfficiencyModel& efficiency, const Rates& peak) {
    std::vector<double> peaks;
    for (const ModelEstimate& model : models) {
      const auto known = unit.whole_models.find(model.model);
      if (known == unit.whole_models.end()) continue;
      peaks.push_back(PeakFor(efficiency, WorkOfAll(model), peak,
                              static_cast<double>(known->second.count()) / kNanosPerSecond));
    }
    if (peaks.empty()) {
      throw InputError(
          "needs peak_macs_per_s, or whole_model_ms of a model that is to be estimated, for unit " +
          Quoted(unit.units.front()));
    }
    return LowerMedian(std::move(peaks));
  }

  // The units whose layers the spec says this one is like, in the order in which they are known.
  std::vector<const KnownUnit*> UnitsLike(const UnitEstimate& unit) {
    std::vector<const KnownUnit*> list;
    const UnitKind kind = platform_.unit(platform_.FindUnit(unit.units.front())).kind;
    for (const KnownUnit& known : Known()) {
      const bool wanted =
          unit.like.empty()
              ? known.kind == kind
              : std::any_of(unit.like.begin(), unit.like.end(), [&](const KnownUnitRef& ref) {
                  return ref.board == known.board && ref.unit == known.unit && Matches(ref, known.variant);
                });
      if (wanted) list.push_back(&known);
    }
    if (list.empty()) {
      throw InputError("no known layers for unit " + Quoted(unit.units.front()) +
                       "; \"like\" names units of boards that have them, such as {\"board\": \"jetson-tx1\", "
                       "\"unit\": \"gpu\"}");
    }
    return list;
  }

  static EfficiencyModel FitTo(const std::vector<const KnownUnit*>& units) {
    std::vector<KnownTime> known;
    for (const KnownUnit* unit : units) {
      for (const KnownModel& model : unit->models) {
        known.insert(known.end(), model.layers.begin(), model.layers.end());
      }
    }
    return FitBestForm(known);
  }

  const std::vector<KnownUnit>& Known() {
    if (known_.empty()) {
      for (const EstimateSpec& board : ShippedKnownBoards()) {
        for (KnownUnit& unit : KnownUnitsOf(board, shelf_)) known_.push_back(std::move(unit));
      }
    }
    return known_;
  }

  // Entries of the unit that this one is a stand-in for; false where it has none for the model.
  bool TakeKnown(const UnitEstimate& unit, const std::string& model, std::vector<CostEntry>& taken) {
    const std::size_t before = taken.size();
    for (const Profile& profile : KnownProfiles(*unit.layers_of)) {
      for (const CostEntry& entry : profile.entries) {
        if (entry.unit != unit.layers_of->unit || entry.model != model || entry.batch != spec_.batch)
          continue;
        if (!Matches(*unit.layers_of, entry.variant)) continue;
        taken.push_back(entry);
      }
    }
    return taken.size() > before;
  }

  const std::vector<Profile>& KnownProfiles(const KnownUnitRef& ref) {
    const auto found = profiles_.find(ref.board);
    if (found != profiles_.end()) return found->second;
    for (const EstimateSpec& board : ShippedKnownBoards()) {
      if (board.platform == ref.board) return profiles_.emplace(ref.board, ProfilesOf(board)).first->second;
    }
    throw InputError("layers_of names " + Quoted(ref.board) + ", which is no board whose layers are known");
  }

  void Append(const UnitEstimate& unit, const std::vector<CostEntry>& taken,
              const std::vector<ModelEstimate>& models, std::vector<CostEntry>& entries) const {
    for (const std::string& name : unit.units) {
      for (CostEntry entry : taken) {
        entry.unit = name;
        entry.variant = unit.variant.value_or(Variant{});
        entries.push_back(std::move(entry));
      }
      for (const ModelEstimate& model : models) {
        for (const LayerEstimate& layer : model.layers) {
          CostEntry entry;
          entry.model = model.model;
          entry.unit = name;
          entry.layers = {layer.layer};
          entry.batch = spec_.batch;
          entry.variant = unit.variant.value_or(Variant{});
          entry.time.median = Nanos(layer.nanos);
          entries.push_back(std::move(entry));
        }
      }
    }
  }

  static std::string Listed(const std::vector<std::string>& names) { return Joined(names); }

  static std::string Names(const std::vector<const KnownUnit*>& units) {
    std::vector<std::string> names;
    for (const KnownUnit* unit : units) names.push_back(unit->Text());
    return Listed(names);
  }

  static std::string ModelsOf(const std::vector<CostEntry>& entries) {
    std::vector<std::string> names;
    for (const CostEntry& entry : entries) {
      if (names.empty() || names.back() != entry.model) names.push_back(entry.model);
    }
    return Listed(names);
  }

  const EstimateSpec& spec_;
  Platform platform_;
  ModelShelf shelf_;
  std::vector<KnownUnit> known_;
  std::vector<double> errors_;
  std::map<std::string, std::vector<Profile>> profiles_;
};

}  // namespace

EfficiencyModel FitBestForm(const std::vector<KnownTime>& known) {
  const EfficiencyModel sum = FitEfficiency(known, RooflineForm::kSum);
  const EfficiencyModel larger = FitEfficiency(known, RooflineForm::kLarger);
  return MedianFactor(larger, known) < MedianFactor(sum, known) ? larger : sum;
}

double PeakFor(const EfficiencyModel& efficiency, const std::vector<LayerWork>& layers,
               const Rates& bandwidth, double seconds) {
  double slow = 1e3, fast = 1e18;
  for (int step = 0; step < 100; ++step) {
    const double middle = std::sqrt(slow) * std::sqrt(fast);
    (Sum(efficiency, layers, {middle, bandwidth.bytes_per_s, bandwidth.gemm_threads}) > seconds ? slow
                                                                                                : fast) =
        middle;
  }
  return fast;
}

Profile EstimateProfile(const EstimateSpec& spec) { return Estimation(spec).Run(); }

}  // namespace tandem
