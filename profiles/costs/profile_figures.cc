#include "profiles/costs/profile_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "profiles/model/model_source.h"

namespace tandem {
namespace {

constexpr double kMillion = 1e6;

// A model on a unit in one variant and batch.
using Case = std::tuple<std::string, std::string, Variant, std::int64_t>;

std::string KernelText(const ConvAttributes& conv) {
  return std::to_string(conv.kernel.h) + "x" + std::to_string(conv.kernel.w) +
         (conv.groups > 1 ? " in groups" : "");
}

// The largest first; none that has a layer of one before it.
std::vector<const CostEntry*> Cover(std::vector<const CostEntry*> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const CostEntry* a, const CostEntry* b) {
    return a->layers.size() > b->layers.size();
  });
  std::set<std::string_view> taken;
  std::erase_if(entries, [&](const CostEntry* entry) {
    const auto overlaps = [&](const std::string& layer) { return taken.contains(layer); };
    if (std::any_of(entry->layers.begin(), entry->layers.end(), overlaps)) return true;
    taken.insert(entry->layers.begin(), entry->layers.end());
    return false;
  });
  return entries;
}

// "gpu", or "gpu, cudnn/fp32" where the profile has more than the unit's name to say.
std::string UnitText(const CostEntry& entry) {
  return entry.variant == Variant() ? entry.unit : entry.unit + ", " + entry.variant.Text();
}

// The convolutions among the entry's layers; the one with the most work gives the group its kernel.
ConvolutionPoint PointOf(const CostEntry& entry, const Model& model) {
  ConvolutionPoint point{UnitText(entry), entry.model, {}, {}, 0, entry.time.median};
  std::int64_t most = -1;
  for (const std::string& name : entry.layers) {
    const LayerId id = model.Find(name);
    if (!id.valid() || model.layer(id).op != Op::kConv) continue;
    const std::int64_t macs = model.layer(id).counts.macs / model.batch() * entry.batch;
    point.macs += macs;
    if (macs <= most) continue;
    most = macs;
    point.layer = name;
    point.kernel = KernelText(model.layer(id).As<ConvAttributes>());
  }
  return point;
}

double PerMillion(const ConvolutionPoint& point) {
  return static_cast<double>(point.time.count()) * kMillion / static_cast<double>(point.macs);
}

double Percentile(const std::vector<double>& sorted, double part) {
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<KernelFigures> KernelsOf(const std::vector<ConvolutionPoint>& points) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> by_kernel;
  for (const ConvolutionPoint& point : points)
    by_kernel[{point.unit, point.kernel}].push_back(PerMillion(point));
  std::vector<KernelFigures> kernels;
  for (auto& [key, times] : by_kernel) {
    std::sort(times.begin(), times.end());
    kernels.push_back({key.first, key.second, times.size(), Percentile(times, 0.1), Percentile(times, 0.5),
                       Percentile(times, 0.9)});
  }
  return kernels;
}

ConvolutionFit FitOf(const std::string& unit, const std::vector<const ConvolutionPoint*>& points) {
  ConvolutionFit fit{unit, points.size()};
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (const ConvolutionPoint* point : points) {
    mean_x += static_cast<double>(point->macs) / kMillion / n;
    mean_y += static_cast<double>(point->time.count()) / n;
  }
  for (const ConvolutionPoint* point : points) {
    const double x = static_cast<double>(point->macs) / kMillion - mean_x;
    const double y = static_cast<double>(point->time.count()) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  fit.per_mmac_ns = xx > 0 ? xy / xx : 0;
  fit.fixed_ns = mean_y - fit.per_mmac_ns * mean_x;
  fit.explained = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
  return fit;
}

std::vector<ConvolutionFit> FitsOf(const std::vector<ConvolutionPoint>& points) {
  std::map<std::string, std::vector<const ConvolutionPoint*>> by_unit;
  for (const ConvolutionPoint& point : points) by_unit[point.unit].push_back(&point);
  std::vector<ConvolutionFit> fits;
  for (const auto& [unit, of_unit] : by_unit) fits.push_back(FitOf(unit, of_unit));
  return fits;
}

}  // namespace

ProfileFigures FiguresOf(const Profile& profile) {
  CheckModels(profile);
  std::map<Case, std::vector<const CostEntry*>> cases;
  for (const CostEntry& entry : profile.entries) {
    if (entry.layers.empty() || entry.mapped) continue;
    cases[{entry.unit, entry.model, entry.variant, entry.batch}].push_back(&entry);
  }
  ImportOptions graph_alone;
  graph_alone.want_weights = false;
  std::map<std::string, Model> models;
  ProfileFigures figures;
  for (const auto& [key, entries] : cases) {
    const auto& [unit, name, variant, batch] = key;
    auto model = models.find(name);
    if (model == models.end()) {
      model = models.emplace(name, LoadModel(name, profile.file, graph_alone).model).first;
    }
    const auto threads = profile.origin.threads.find(unit);
    ConvolutionShare share{UnitText(*entries.front()),
                           threads == profile.origin.threads.end() ? 0 : threads->second.size(), name, batch};
    for (const CostEntry* entry : Cover(entries)) {
      share.all += entry->time.median;
      ConvolutionPoint point = PointOf(*entry, model->second);
      if (point.layer.empty()) continue;
      share.convolutions += entry->time.median;
      if (point.macs > 0) figures.points.push_back(std::move(point));
    }
    figures.shares.push_back(std::move(share));
  }
  figures.kernels = KernelsOf(figures.points);
  figures.fits = FitsOf(figures.points);
  return figures;
}

}  // namespace tandem
