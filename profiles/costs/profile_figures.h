// Two questions of study 000 that a profile of any board answers: how a convolution's time goes with its
// multiply-accumulates (its figure 1), and which share of a model's time is convolutions (its table 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

// A convolution, with what is fused with it.
struct ConvolutionPoint {
  std::string unit;  // here and below with its variant, where it has one
  std::string model;
  std::string layer;
  std::string kernel;  // "3x3", or "3x3 in groups" where not every output reads every input channel
  std::int64_t macs = 0;
  Nanos time{0};
};

// Convolutions of one kernel size on one unit; nanoseconds per million multiply-accumulates.
struct KernelFigures {
  std::string unit;
  std::string kernel;
  std::size_t convolutions = 0;
  double low = 0, median = 0, high = 0;  // the 10th, 50th and 90th percentile, by nearest rank
};

// time = fixed + per_mmac x macs over all convolutions of a unit, by least squares; explained: R squared.
struct ConvolutionFit {
  std::string unit;
  std::size_t convolutions = 0;
  double fixed_ns = 0;
  double per_mmac_ns = 0;
  double explained = 0;
};

struct ConvolutionShare {
  std::string unit;
  std::size_t cores = 0;  // 0: the profile does not say
  std::string model;
  std::int64_t batch = 1;
  Nanos convolutions{0};
  Nanos all{0};  // all layers, as they were measured one by one
};

struct ProfileFigures {
  std::vector<ConvolutionPoint> points;
  std::vector<KernelFigures> kernels;
  std::vector<ConvolutionFit> fits;
  std::vector<ConvolutionShare> shares;
};

// From entries of layers and groups: of each model the largest groups that do not overlap, then what is left.
// Throws InputError where a model cannot be loaded or has no such layer.
ProfileFigures FiguresOf(const Profile& profile);

std::string ProfileFiguresText(const ProfileFigures& figures, std::size_t width);
std::string ProfileFiguresJson(const ProfileFigures& figures);

}  // namespace tandem
