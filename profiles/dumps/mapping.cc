#include "profiles/dumps/mapping.h"

#include <algorithm>

#include "profiles/base/check.h"
#include "profiles/base/graph.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/model/model.h"
#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

constexpr std::size_t kMostListed = 12;

// What takes no time where its inputs are written to, and read from, the right places.
bool TakesNoTime(Op op) { return IsView(op) || IsFree(op); }

class Mapper {
 public:
  Mapper(const ProfileDump& dump, const Model& model, const std::string& file, const LayerMap& map)
      : dump_(dump),
        model_(model),
        file_(file),
        map_(map),
        owner_(model.size(), kNone),
        together_(dump.rows.size()) {
    for (std::size_t i = 0; i < dump.rows.size(); ++i) rows_by_name_[dump.rows[i].name].push_back(i);
  }

  DumpMapping Run() {
    CheckMap();
    for (std::size_t i = 0; i < dump_.rows.size(); ++i) {
      if (dump_.rows[i].executed && !IsMapped(i)) PlaceByName(i);
    }
    for (std::size_t i = 0; i < dump_.rows.size(); ++i) {
      if (IsMapped(i)) PlaceByMap(i);
    }
    TakeInLayersWithoutRows();
    for (std::size_t i = 0; i < dump_.rows.size(); ++i) {
      if (dump_.rows[i].executed && !IsMapped(i) && Serves(i)) PlaceServing(i);
    }
    RefuseWhatIsLeft();
    return Result();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool IsMapped(std::size_t row) const { return map_.rows.contains(dump_.rows[row].name); }
  bool Serves(std::size_t row) const {
    return !dump_.rows[row].serves_row.empty() || !dump_.rows[row].serves_tensor.empty();
  }

  void CheckMap() const {
    for (const auto& [name, layers] : map_.rows) {
      const std::string place = map_.file + ":/map/" + name + ": ";
      if (!rows_by_name_.contains(name)) {
        std::vector<std::string> known;
        for (const auto& [row, indices] : rows_by_name_) known.push_back(row);
        throw InputError(map_.file + ":/map: the dump has no row " + Quoted(name) + Suggestion(name, known));
      }
      for (const std::string& layer : layers) {
        if (model_.Find(layer).valid()) continue;
        throw InputError(map_.file + ":/map: model " + Quoted(model_.name()) + " has no layer " +
                         Quoted(layer) + Suggestion(layer, LayerNames()));
      }
    }
  }

  std::vector<std::string> LayerNames() const {
    std::vector<std::string> names;
    for (const Layer& layer : model_.layers()) names.push_back(layer.name);
    return names;
  }

  bool HasOwner(LayerId id) const { return owner_[id.index()] != kNone; }
  std::size_t OwnerOf(LayerId id) { return together_.Of(owner_[id.index()]); }

  void Problem(std::size_t row, const std::string& why) {
    problems_.push_back(dump_.rows[row].place + ": " + Quoted(dump_.rows[row].name) + " " + why);
  }

  void PlaceByName(std::size_t row) {
    if (Serves(row)) return;
    std::vector<LayerId> layers;
    for (const std::string& part : dump_.rows[row].parts) {
      if (!LayersOfPart(part, layers)) return Problem(row, NoLayer(row, part));
    }
    if (layers.empty()) return Problem(row, "names no layer of the model");
    std::sort(layers.begin(), layers.end());
    layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
    for (const LayerId id : layers) {
      if (!HasOwner(id)) continue;
      return Problem(row, "runs layer " + Quoted(model_.layer(id).name) + ", which " +
                              Quoted(dump_.rows[owner_[id.index()]].name) + " runs too");
    }
    for (const LayerId id : layers) owner_[id.index()] = row;
  }

  std::string NoLayer(std::size_t row, const std::string& part) const {
    // The whole list of layers would be of no help, nor a suggestion for what is not listed.
    const bool listed = problems_.size() < kMostListed;
    const std::string hint = listed ? Suggestion(part, LayerNames()) : "";
    const std::string text =
        part == dump_.rows[row].name ? "is no layer" : "names " + Quoted(part) + ", which is no layer";
    return text + (hint.starts_with("; did you mean") ? hint : "");
  }

  bool LayersOfPart(const std::string& part, std::vector<LayerId>& layers) const {
    if (const LayerId id = FindLayer(part); id.valid()) {
      layers.push_back(id);
      return true;
    }
    const auto dots = part.find("...");
    if (dots == std::string::npos) return false;
    const auto between =
        LayersBetween(model_, FindLayer(part.substr(0, dots)), FindLayer(part.substr(dots + 3)));
    layers.insert(layers.end(), between.begin(), between.end());
    return !between.empty();
  }

  // By name; an input by the name that Caffe gives it, too.
  LayerId FindLayer(const std::string& name) const {
    const LayerId id = model_.Find(name);
    if (id.valid() || name != "input") return id;
    const std::vector<LayerId> inputs = model_.Inputs();
    return inputs.size() == 1 ? inputs.front() : id;
  }

  void PlaceByMap(std::size_t row) {
    for (const std::string& name : map_.rows.at(dump_.rows[row].name)) {
      const LayerId id = model_.Find(name);
      if (HasOwner(id)) {
        together_.Join(row, owner_[id.index()]);
      } else {
        owner_[id.index()] = row;
      }
    }
  }

  // The nearest layer in front of `id` that computes, through layers without a row that compute nothing; an
  // invalid id where another layer reads anything on the way.
  LayerId ComputingInFront(LayerId input) const {
    while (true) {
      if (model_.users(input).size() != 1) return {};
      if (HasOwner(input)) return input;
      const Layer& layer = model_.layer(input);
      if (!IsFree(layer.op) || layer.inputs.size() != 1) return {};
      input = layer.inputs.front();
    }
  }

  void TakeInLayersWithoutRows() {
    for (std::size_t i = 0; i < model_.size(); ++i) {
      const LayerId id(i);
      const Layer& layer = model_.layer(id);
      if (HasOwner(id) || IsFree(layer.op)) continue;
      const std::vector<LayerId> takers =
          Declaration(layer.op).taken_in ? Takers(layer) : std::vector<LayerId>{};
      if (takers.size() == 1) {
        owner_[i] = owner_[takers.front().index()];
      } else if (TakesNoTime(layer.op) && AllPlaced(layer)) {
        views_.push_back(id);
      } else {
        homeless_.push_back(id);
      }
    }
  }

  std::vector<LayerId> Takers(const Layer& layer) {
    std::vector<LayerId> takers;
    for (const LayerId input : layer.inputs) {
      const LayerId front = ComputingInFront(input);
      if (front.valid() && RowTakesIn(OwnerOf(front))) takers.push_back(front);
    }
    return takers;
  }

  bool RowTakesIn(std::size_t group) {
    for (std::size_t i = 0; i < model_.size(); ++i) {
      if (owner_[i] != kNone && together_.Of(owner_[i]) == group &&
          Declaration(model_.layer(LayerId(i)).op).takes_in)
        return true;
    }
    return false;
  }

  bool AllPlaced(const Layer& layer) const {
    return std::all_of(layer.inputs.begin(), layer.inputs.end(),
                       [&](LayerId input) { return HasOwner(input) || TakesNoTime(model_.layer(input).op); });
  }

  void PlaceServing(std::size_t row) {
    const std::string& name = dump_.rows[row].serves_row;
    const auto found = rows_by_name_.find(name);
    if (found != rows_by_name_.end() && found->second.size() == 1 && !Serves(found->second.front())) {
      return together_.Join(row, found->second.front());
    }
    if (const LayerId layer = FindLayer(name); layer.valid() && HasOwner(layer))
      return together_.Join(row, owner_[layer.index()]);
    const std::string& tensor = dump_.rows[row].serves_tensor;
    const LayerId id = FindLayer(TensorsLayer(tensor.empty() ? name : tensor));
    if (!id.valid())
      return Problem(row,
                     "serves " + Quoted(tensor.empty() ? name : tensor) + ", which is no row and no layer");
    if (!ServeLayer(row, id))
      Problem(row, "may serve several layers behind " + Quoted(model_.layer(id).name));
  }

  // ONNX names a tensor "<node>_output_0".
  std::string TensorsLayer(const std::string& tensor) const {
    constexpr std::string_view kOutput = "_output_0";
    const bool output = tensor.ends_with(kOutput) && !FindLayer(tensor).valid();
    return output ? tensor.substr(0, tensor.size() - kOutput.size()) : tensor;
  }

  // A copy of an input belongs to the layer that reads it, a copy of an inner tensor to the concat that it is
  // part of, a copy of an output to what made it.
  bool ServeLayer(std::size_t row, LayerId id) {
    while (true) {
      const auto users = model_.users(id);
      if (users.empty() && HasOwner(id)) {
        together_.Join(row, owner_[id.index()]);
        return true;
      }
      if (users.size() != 1) return false;
      const LayerId user = users.front();
      const bool concat = model_.layer(user).op == Op::kConcat;
      if (model_.layer(id).op == Op::kInput || concat) return ServeUser(row, user);
      // Within one row the tensor has one name and several layers.
      const bool same_row = HasOwner(id) && HasOwner(user) && OwnerOf(id) == OwnerOf(user);
      if (!same_row && !IsFree(model_.layer(user).op)) return false;
      id = user;
    }
  }

  bool ServeUser(std::size_t row, LayerId user) {
    if (HasOwner(user)) {
      together_.Join(row, owner_[user.index()]);
    } else if (model_.layer(user).op == Op::kConcat) {
      owner_[user.index()] = row;
      views_.erase(std::remove(views_.begin(), views_.end(), user), views_.end());
    } else {
      return false;
    }
    return true;
  }

  void RefuseWhatIsLeft() const {
    if (problems_.empty() && homeless_.empty()) return;
    std::string message =
        file_ + ": it is not certain which layers of model " + Quoted(model_.name()) + " ran:";
    for (std::size_t i = 0; i < problems_.size() && i < kMostListed; ++i) message += "\n  " + problems_[i];
    if (problems_.size() > kMostListed) {
      message += "\n  and " + std::to_string(problems_.size() - kMostListed) + " rows more";
    }
    if (!homeless_.empty()) message += "\n  no row for " + Homeless();
    throw InputError(message +
                     "\n  Is it this model? If so, say what the names mean in a file for --map: "
                     "{\"tandem\": \"layer-map/1\", \"map\": {\"name in the dump\": [\"layer\", ...]}}");
  }

  std::string Homeless() const {
    std::string list;
    for (std::size_t i = 0; i < homeless_.size() && i < kMostListed; ++i) {
      const Layer& layer = model_.layer(homeless_[i]);
      list += (list.empty() ? "" : ", ") + Quoted(layer.name) + " (" + std::string(OpName(layer.op)) + ")";
    }
    if (homeless_.size() > kMostListed)
      list += " and " + std::to_string(homeless_.size() - kMostListed) + " layers more";
    return list;
  }

  DumpMapping Result() {
    DumpMapping result;
    std::map<std::size_t, MappedGroup> groups;
    for (std::size_t i = 0; i < model_.size(); ++i) {
      if (owner_[i] != kNone) groups[together_.Of(owner_[i])].layers.push_back(LayerId(i));
    }
    for (std::size_t row = 0; row < dump_.rows.size(); ++row) AddTime(row, groups, result);
    for (const LayerId id : views_) result.groups.push_back({{id}, {}});
    for (auto& [row, group] : groups) result.groups.push_back(std::move(group));
    for (const MappedGroup& group : result.groups) result.mapped_total += TotalOf(group.time);
    std::sort(result.groups.begin(), result.groups.end(),
              [](const MappedGroup& a, const MappedGroup& b) { return a.layers < b.layers; });
    TANDEM_CHECK(result.dump_total == result.mapped_total + result.left_out_total,
                 "an imported profile holds all the time of its dump");
    return result;
  }

  void AddTime(std::size_t row, std::map<std::size_t, MappedGroup>& groups, DumpMapping& result) {
    const DumpRow& source = dump_.rows[row];
    result.dump_total += TotalOf(source.time);
    result.runs = std::max(result.runs, source.time.samples.size());
    const auto found = groups.find(together_.Of(row));
    if (found != groups.end()) {
      Add(source.time, found->second.time);
    } else if (source.executed || TotalOf(source.time) > Nanos{0}) {
      result.left_out.push_back(source.name);
      result.left_out_total += TotalOf(source.time);
    }
  }

  // Rows of one dump all have samples, equally many, or none has.
  static void Add(const Timing& time, Timing& sum) {
    if (time.samples.empty()) {
      sum.median += time.median;
      return;
    }
    std::vector<Nanos> samples = time.samples;
    for (std::size_t i = 0; i < sum.samples.size(); ++i) samples[i] += sum.samples[i];
    sum = Timing::OfSamples(std::move(samples));
  }

  const ProfileDump& dump_;
  const Model& model_;
  const std::string& file_;
  const LayerMap& map_;
  std::vector<std::size_t> owner_;  // per layer: the row that runs it
  DisjointSets together_;           // rows that are counted as one
  std::map<std::string, std::vector<std::size_t>> rows_by_name_;
  std::vector<LayerId> views_;     // took no time of their own
  std::vector<LayerId> homeless_;  // nobody knows where they ran
  std::vector<std::string> problems_;
};

}  // namespace

DumpMapping MapDump(const ProfileDump& dump, const Model& model, const std::string& file,
                    const LayerMap& map) {
  return Mapper(dump, model, file, map).Run();
}

}  // namespace tandem
