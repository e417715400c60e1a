#include "profiles/costs/cost_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/as_one.h"
#include "profiles/costs/cost_index.h"
#include "profiles/model/op.h"

namespace tandem {

struct CostTable::Data : CostIndex {};

CostTable::CostTable(const Platform& platform, const std::vector<const Profile*>& profiles,
                     std::vector<ModelRef> models, CompiledTogether together) {
  const auto data = std::make_shared<Data>();
  CheckTogether(profiles);
  data->unit_names = platform.UnitNames();
  data->models = std::move(models);
  std::vector<const Model*> graphs;
  for (const ModelRef& model : data->models) graphs.push_back(model.model);
  data->on_chip = OnChip(platform, graphs, std::move(together));
  for (const Unit& unit : platform.units) data->dispatch.push_back({unit.dispatch, std::nullopt});
  for (const Profile* profile : profiles) {
    CheckUnits(*profile, platform);
    data->Add(*profile, platform);
  }
  std::vector<std::set<Variant>> variants(platform.units.size());
  for (const auto& [key, known] : data->entries) variants[key.unit].insert(key.variant);
  for (const auto& of_unit : variants) data->variants.emplace_back(of_unit.begin(), of_unit.end());
  data_ = data;
}

const std::vector<Variant>& CostTable::Variants(UnitId unit) const { return data_->variants[unit.index()]; }

// The precision only where it is needed.
std::string CostTable::TextOf(UnitId unit, const Variant& variant) const {
  const auto same_name = [&](const Variant& other) { return other.name == variant.name; };
  const bool alone = std::ranges::count_if(Variants(unit), same_name) == 1;
  return alone && !variant.name.empty() ? variant.name : variant.Text();
}

Variant CostTable::FindVariant(UnitId unit, std::string_view text) const {
  const std::string unit_text = "the unit " + Quoted(data_->unit_names[unit.index()]);
  std::vector<std::string> known;
  for (const Variant& variant : Variants(unit)) {
    known.push_back(TextOf(unit, variant));
    if (variant.Text() == text || known.back() == text) return variant;
    if (variant.name == text) {
      throw InputError(unit_text + " has the variant " + Quoted(text) +
                       " in several precisions; say which, such as " + Quoted(variant.Text()));
    }
  }
  throw InputError(unit_text + " has no variant " + Quoted(text) + Suggestion(text, known));
}

Variant CostTable::DefaultVariant(UnitId unit, std::span<const Wanted> wanted) const {
  Variant best;
  auto best_rank = std::tuple(wanted.size() + 1, Nanos{0});  // models without a time, total of the others
  for (const Variant& variant : Variants(unit)) {
    auto rank = std::tuple(std::size_t{0}, Nanos{0});
    for (const Wanted& want : wanted) {
      const auto cost = Time({want.model, unit, variant, want.batch});
      if (cost) std::get<1>(rank) = std::min(std::get<1>(rank) + cost->time, kLongestTime);
      if (!cost) ++std::get<0>(rank);
    }
    if (rank < best_rank) {
      best = variant;
      best_rank = rank;
    }
  }
  return best;
}

Nanos CostTable::Dispatch(UnitId unit) const { return data_->dispatch[unit.index()].task; }

Nanos CostTable::PartDispatch(UnitId unit) const {
  const auto& dispatch = data_->dispatch[unit.index()];
  return dispatch.part.value_or(dispatch.task);
}

std::optional<Nanos> CostTable::LoadTime(ModelId model, UnitId unit, const Variant& variant) const {
  if (const auto found = data_->loads.find({model.index(), unit.index()}); found != data_->loads.end()) {
    const auto time = found->second.find(variant);
    if (time != found->second.end()) return time->second;
  }
  if (!on_chip().Has(unit)) return std::nullopt;
  return on_chip().LoadTime(model, unit, variant);
}

bool CostTable::Loads(ModelId model, UnitId unit) const {
  return data_->loads.contains({model.index(), unit.index()}) || on_chip().Has(unit);
}

const OnChip& CostTable::on_chip() const { return data_->on_chip; }

Nanos CostTable::Streamed(const CostQuery& query) const {
  return on_chip().MoreTime(query.model, query.unit, query.variant, query.layers);
}

namespace {

std::vector<LayerId> LayersOf(const CostQuery& query, const Model& model) {
  std::vector<LayerId> layers(query.layers.begin(), query.layers.end());
  for (std::size_t i = 0; query.layers.empty() && i < model.size(); ++i) layers.emplace_back(i);
  return layers;
}

CostIndexKey KeyOf(const CostQuery& query) {
  return {query.model.index(), query.unit.index(), query.variant, query.batch};
}

// Free layers without an entry of their own, in positions of the segment.
std::vector<std::int32_t> Costless(const SegmentLayers& segment, const std::vector<CoverGroup>& usable) {
  std::set<std::int32_t> own;
  for (const CoverGroup& group : usable) {
    if (group.members.size() == 1) own.insert(group.members[0]);
  }
  std::vector<std::int32_t> costless;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const auto position = static_cast<std::int32_t>(i);
    if (IsFree(segment.model.layer(segment.layers[i]).op) && !own.contains(position)) {
      costless.push_back(position);
    }
  }
  return costless;
}

// The entry of just these layers, costless ones in or out of it.
const CoverGroup* OwnEntry(std::size_t size, const std::vector<CoverGroup>& usable,
                           const std::vector<std::int32_t>& costless) {
  for (const CoverGroup& group : usable) {
    const auto outside = std::count_if(costless.begin(), costless.end(), [&](std::int32_t layer) {
      return !std::binary_search(group.members.begin(), group.members.end(), layer);
    });
    if (group.members.size() + static_cast<std::size_t>(outside) == size) return &group;
  }
  return nullptr;
}

bool IsWholeModel(const SegmentLayers& segment) {
  const auto layers = segment.model.layers();
  for (std::size_t l = 0; l < layers.size(); ++l) {  // ends at the first that is missing
    if (!IsFree(layers[l].op) && !segment.Has(static_cast<std::int32_t>(l))) return false;
  }
  return true;
}

}  // namespace

// A time and the entries that it is made of.
struct CostTable::Choice {
  struct Part {
    Nanos median{0};
    SampleList samples;
    std::size_t place = 0;
    Nanos time = median;  // what it adds
  };
  SegmentCost cost;
  std::vector<Part> parts;
};

std::optional<CostTable::Choice> CostTable::Choose(const CostQuery& query) const {
  const Entries* known = data_->Find(KeyOf(query));
  if (known == nullptr) return std::nullopt;
  const Model& model = *data_->models[query.model.index()].model;
  const std::vector<LayerId> layers = LayersOf(query, model);
  const auto& whole = known->whole[query.mapped ? 1 : 0];
  if (whole && IsWholeModel(SegmentLayers(model, layers, query.mapped))) {
    return Choice{whole->cost, {{whole->cost.time, whole->samples, whole->place}}};
  }
  return ChooseOfLayers(query);
}

// Of the entries that name layers.
std::optional<CostTable::Choice> CostTable::ChooseOfLayers(const CostQuery& query) const {
  const Entries* known = data_->Find(KeyOf(query));
  if (known == nullptr) return std::nullopt;
  const Model& model = *data_->models[query.model.index()].model;
  const std::vector<LayerId> layers = LayersOf(query, model);
  const SegmentLayers segment(model, layers, query.mapped);
  auto [usable, samples, places, inside] = data_->Usable(*known, segment);
  const auto costless = Costless(segment, usable);
  if (const CoverGroup* own = OwnEntry(layers.size(), usable, costless)) {
    const auto at = static_cast<std::size_t>(own - usable.data());
    return Choice{own->cost, {{own->cost.time, samples[at], places[at]}}};
  }
  for (const std::int32_t layer : costless) usable.push_back({{layer}, SegmentCost{}});
  const std::size_t costly = samples.size();
  try {
    std::vector<std::size_t> chosen;
    const auto cost = CheapestCover(layers.size(), usable, &chosen);
    if (!cost) return std::nullopt;
    std::erase_if(chosen, [&](std::size_t group) { return group >= costly; });
    Choice choice{*cost, {}};
    for (const std::size_t group : chosen) {
      choice.parts.push_back({usable[group].cost.time, samples[group], places[group]});
    }
    const std::vector<Nanos> as_one = TimesAsOne(segment, usable, inside, chosen);
    for (std::size_t i = 0; i < as_one.size(); ++i) {
      choice.cost.time += as_one[i] - std::exchange(choice.parts[i].time, as_one[i]);
    }
    return choice;
  } catch (const InputError& error) {
    throw InputError("model " + Quoted(segment.model.name()) + " on unit " +
                     Quoted(data_->unit_names[query.unit.index()]) + ": " + error.what());
  }
}

std::vector<CostTable::Measured> CostTable::EntriesOf(const CostQuery& of) const {
  std::vector<Measured> found;
  const auto* known = data_->Find(KeyOf(of));
  if (known == nullptr) return found;
  for (const bool mapped : {false, true}) {
    const auto& whole = known->whole[mapped ? 1 : 0];
    if (whole) found.push_back({whole->place, of.unit, {}, whole->cost.time, mapped});
  }
  for (const auto& group : known->groups) {
    found.push_back({group.place, of.unit, group.layers, group.cost.time, group.mapped});
    if (group.inside && *group.inside < group.cost.time) found.back().inside = group.inside;
  }
  for (const auto& parts : known->parts) {
    for (const auto& [size, time] : parts.times) {
      found.push_back({parts.places.at(size), of.unit, parts.layers, time, false, parts.axis, size});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Measured& a, const Measured& b) { return a.place < b.place; });
  return found;
}

std::optional<std::int64_t> CostTable::BatchBeyond(CostQuery query) const {
  for (auto next = data_->entries.upper_bound(KeyOf(query)); next != data_->entries.end(); ++next) {
    query.batch = next->first.batch;
    if (KeyOf(query) != next->first) break;  // of another model, unit or variant
    if (Time(query)) return query.batch;
  }
  return std::nullopt;
}

std::optional<SegmentCost> CostTable::Time(const CostQuery& query) const {
  auto choice = Choose(query);
  if (!choice) return std::nullopt;
  choice->cost.time = std::min(choice->cost.time + Streamed(query), kLongestTime);
  return choice->cost;
}

namespace {

// a * b / c, rounded up, of a below 2^53 and b <= c below 2^20 or so.
std::int64_t Share(std::int64_t a, std::int64_t b, std::int64_t c) {
  return a / c * b + (a % c * b + c - 1) / c;
}

// On the straight line through the sizes that stand around it.
Nanos OnTheLine(const std::map<std::int64_t, Nanos>& times, std::int64_t size) {
  const auto above = times.lower_bound(size);
  if (above == times.begin() || above->first == size) return above->second;
  const auto below = std::prev(above);
  const std::int64_t wide = above->first - below->first, far = size - below->first;
  const Nanos rise = above->second - below->second;
  if (rise < Nanos{0}) return below->second - Nanos{Share(-rise.count(), far, wide)};
  return below->second + Nanos{Share(rise.count(), far, wide)};
}

// What was measured of parts of just these layers; null: nothing.
const std::map<std::int64_t, Nanos>* TimesOfParts(const Entries& known, std::span<const LayerId> layers,
                                                  SplitAxis axis) {
  const std::size_t at = known.FindParts(layers, axis);
  return at == known.parts.size() ? nullptr : &known.parts[at].times;
}

}  // namespace

std::optional<CostTable::PartCost> CostTable::Part(const CostQuery& query, const LayerPart& part,
                                                   std::int64_t extent) const {
  auto whole = Time(query);
  const Nanos streamed = Streamed(query);  // of a part as of the whole: it needs all the weights
  if (whole) whole->time -= std::min(streamed, whole->time);
  const Entries* known = data_->Find(KeyOf(query));
  const auto* measured = known ? TimesOfParts(*known, query.layers, part.axis) : nullptr;
  if (!whole && !(measured && measured->contains(part.size()))) return std::nullopt;
  if (!measured && KnownAsWholeAlone(query)) return std::nullopt;
  PartCost cost;
  if (whole && whole->energy_j) {
    cost.energy_j = *whole->energy_j * static_cast<double>(part.size()) / static_cast<double>(extent);
  }
  cost.estimated = measured == nullptr;
  const Nanos more = std::max(PartDispatch(query.unit) - Dispatch(query.unit), Nanos{0}) + streamed;
  if (!measured) {
    cost.time = Nanos{Share(whole->time.count(), part.size(), extent)} + more;
    return cost;
  }
  auto times = *measured;
  if (whole) times.emplace(extent, whole->time);
  cost.time = OnTheLine(times, part.size()) + more;
  return cost;
}

bool CostTable::KnownAsWholeAlone(const CostQuery& query) const {
  const Entries* known = data_->Find(KeyOf(query));
  if (known == nullptr || !known->whole[query.mapped ? 1 : 0]) return false;
  const Model& model = *data_->models[query.model.index()].model;
  const std::vector<LayerId> layers = LayersOf(query, model);
  return IsWholeModel(SegmentLayers(model, layers, query.mapped)) && !ChooseOfLayers(query);
}

std::optional<SegmentSamples> CostTable::Samples(const CostQuery& query) const {
  const auto choice = Choose(query);
  if (!choice) return std::nullopt;
  SegmentSamples samples;
  samples.fixed = Streamed(query);
  for (const Choice::Part& part : choice->parts) {
    samples.sources.push_back(
        {part.time, part.median, part.samples, part.place, data_->ProfileOf(part.place)});
  }
  return samples;
}

std::optional<SegmentSamples> CostTable::PartSamples(const CostQuery& query, const LayerPart& part,
                                                     std::int64_t extent) const {
  const auto cost = Part(query, part, extent);
  if (!cost) return std::nullopt;
  SegmentSamples samples;
  samples.fixed = std::max(PartDispatch(query.unit) - Dispatch(query.unit), Nanos{0}) + Streamed(query);
  samples.estimated = cost->estimated;
  const Nanos work = cost->time - samples.fixed;
  if (cost->estimated) {  // every entry of the whole gives its share, what rounding leaves stays fixed
    samples.sources = Samples(query)->sources;
    Nanos rest = work;
    for (SegmentSamples::Source& source : samples.sources) {
      source.time = std::min(Nanos{Share(source.median.count(), part.size(), extent)}, rest);
      rest -= source.time;
    }
    samples.fixed += rest;
    return samples;
  }
  const Entries* known = data_->Find(KeyOf(query));
  const auto& measured = known->parts[known->FindParts(query.layers, part.axis)];
  const auto far = [&](std::int64_t size) { return std::abs(size - part.size()); };
  std::int64_t nearest = measured.times.begin()->first;
  for (const auto& [size, time] : measured.times) nearest = far(size) < far(nearest) ? size : nearest;
  const std::size_t place = measured.places.at(nearest);
  samples.sources.push_back(
      {work, measured.times.at(nearest), measured.samples.at(nearest), place, data_->ProfileOf(place)});
  return samples;
}

namespace {

constexpr std::size_t kNamed = 3;  // so many layers are named in a message

std::string LayersText(const Model& model, const std::vector<LayerId>& layers) {
  const std::span<const LayerId> named(layers.data(), std::min(layers.size(), kNamed));
  const std::string text = (layers.size() == 1 ? "layer " : "layers ") +
                           Joined(named, ", ", [&](LayerId id) { return Quoted(model.layer(id).name); });
  return layers.size() > kNamed ? text + " and " + std::to_string(layers.size() - kNamed) + " more" : text;
}

}  // namespace

std::string CostTable::WhyNot(const CostQuery& query) const {
  const Model& model = *data_->models[query.model.index()].model;
  const std::vector<LayerId> layers = LayersOf(query, model);
  const std::string unit_text = "unit " + Quoted(data_->unit_names[query.unit.index()]);
  const std::string of_model = "model " + Quoted(model.name());
  const CostIndexKey key = KeyOf(query);
  const Entries* known = data_->Find(key);
  if (known == nullptr || known->Empty()) {
    const std::string others = data_->OtherEntries(key);
    const std::string wanted =
        others.empty() ? "" : " in " + query.variant.Text() + " at batch " + std::to_string(query.batch);
    return unit_text + " has no time for " + of_model + wanted + others;
  }
  if (known->groups.empty()) return unit_text + " has a time for the whole of " + of_model + " alone";
  const SegmentLayers segment(model, layers, query.mapped);
  std::set<std::int32_t> covered;
  for (const CoverGroup& group : data_->Usable(*known, segment).groups) {
    covered.insert(group.members.begin(), group.members.end());
  }
  std::vector<LayerId> missing;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool there = covered.contains(static_cast<std::int32_t>(i)) || IsFree(model.layer(layers[i]).op);
    if (!there) missing.push_back(layers[i]);
  }
  if (missing.empty())
    return unit_text + " has times for groups of layers of " + of_model +
           " that do not add up to this segment";
  return unit_text + " has no time for " + LayersText(model, missing) + " of " + of_model +
         (query.mapped ? " that reads through a mapping" : "");
}

}  // namespace tandem
