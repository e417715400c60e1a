#include <cmath>
#include <nlohmann/json.hpp>

#include "profiles/base/decimal.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/costs/profile_figures.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

std::string Tenths(double value) { return DecimalText(std::llround(value * 10), 1); }
std::string Micros(double nanos) { return DecimalText(std::llround(nanos), 3); }

double ShareOf(const ConvolutionShare& share) {
  if (share.all.count() <= 0) return 0;
  return static_cast<double>(share.convolutions.count()) / static_cast<double>(share.all.count());
}

std::string KernelsText(const ProfileFigures& figures, std::size_t width) {
  Table kernels({{"unit"}, {"kernel"}, {"convs", true}, {"median", true}, {"10th", true}, {"90th", true}});
  for (const KernelFigures& kernel : figures.kernels) {
    kernels.Add({kernel.unit, kernel.kernel, std::to_string(kernel.convolutions), Tenths(kernel.median),
                 Tenths(kernel.low), Tenths(kernel.high)});
  }
  std::string text = "Time of convolutions, ns per million multiply-accumulates\n" + kernels.Text(width);
  for (const ConvolutionFit& fit : figures.fits) {
    text += Wrapped(fit.unit + ": " + std::to_string(fit.convolutions) +
                        " convolutions, time = " + Micros(fit.fixed_ns) + " us + " + Tenths(fit.per_mmac_ns) +
                        " ns per million, which explains " + Tenths(fit.explained * 100) + " % of the spread",
                    width);
  }
  return text;
}

}  // namespace

std::string ProfileFiguresText(const ProfileFigures& figures, std::size_t width) {
  Table shares({{"unit"},
                {"cores", true},
                {"model", false, true},
                {"batch", true},
                {"convolutions, %", true},
                {"all, ms", true}});
  for (const ConvolutionShare& share : figures.shares) {
    shares.Add({share.unit, share.cores > 0 ? std::to_string(share.cores) : "-", share.model,
                std::to_string(share.batch), Tenths(ShareOf(share) * 100),
                DecimalText((share.all.count() + 500) / 1000, 3)});
  }
  if (figures.shares.empty()) {
    return "The profile has no times of layers or groups, only of whole models.\n";
  }
  return KernelsText(figures, width) + "\nShare of convolutions in a model's time\n" + shares.Text(width);
}

std::string ProfileFiguresJson(const ProfileFigures& figures) {
  Json points = Json::array(), kernels = Json::array(), fits = Json::array(), shares = Json::array();
  for (const ConvolutionPoint& point : figures.points) {
    points.push_back({{"unit", point.unit},
                      {"model", point.model},
                      {"layer", point.layer},
                      {"kernel", point.kernel},
                      {"macs", point.macs},
                      {"time_ns", point.time.count()}});
  }
  for (const KernelFigures& kernel : figures.kernels) {
    kernels.push_back({{"unit", kernel.unit},
                       {"kernel", kernel.kernel},
                       {"convolutions", kernel.convolutions},
                       {"ns_per_mmac", {{"p10", kernel.low}, {"p50", kernel.median}, {"p90", kernel.high}}}});
  }
  for (const ConvolutionFit& fit : figures.fits) {
    fits.push_back({{"unit", fit.unit},
                    {"convolutions", fit.convolutions},
                    {"fixed_ns", fit.fixed_ns},
                    {"ns_per_mmac", fit.per_mmac_ns},
                    {"explained", fit.explained}});
  }
  for (const ConvolutionShare& share : figures.shares) {
    shares.push_back({{"unit", share.unit},
                      {"cores", share.cores},
                      {"model", share.model},
                      {"batch", share.batch},
                      {"convolutions_ns", share.convolutions.count()},
                      {"all_ns", share.all.count()},
                      {"share", ShareOf(share)}});
  }
  return JsonOutput({{"kernels", std::move(kernels)},
                     {"fits", std::move(fits)},
                     {"shares", std::move(shares)},
                     {"points", std::move(points)}});
}

}  // namespace tandem
