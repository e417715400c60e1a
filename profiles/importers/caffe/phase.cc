#include "profiles/importers/caffe/phase.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

bool Meets(const caffe::NetStateRule& rule, const caffe::NetState& state) {
  if (rule.has_phase() && rule.phase() != caffe::TEST) return false;
  if (rule.has_min_level() && state.level() < rule.min_level()) return false;
  if (rule.has_max_level() && state.level() > rule.max_level()) return false;
  const auto has = [&](const std::string& stage) {
    return std::find(state.stage().begin(), state.stage().end(), stage) != state.stage().end();
  };
  return std::all_of(rule.stage().begin(), rule.stage().end(), has) &&
         std::none_of(rule.not_stage().begin(), rule.not_stage().end(), has);
}

bool IsIncluded(const CaffeLayer& layer, const caffe::NetState& state) {
  const auto meets = [&](const caffe::NetStateRule& rule) { return Meets(rule, state); };
  const auto& include = layer.param.include();
  const auto& exclude = layer.param.exclude();
  if (!include.empty() && !exclude.empty()) {
    throw InputError(layer.place + ": layer " + Quoted(layer.param.name()) +
                     " has both include and exclude rules; Caffe takes one kind");
  }
  if (!include.empty()) return std::any_of(include.begin(), include.end(), meets);
  return std::none_of(exclude.begin(), exclude.end(), meets);
}

}  // namespace

void KeepTestPhase(CaffeText& text) {
  const auto left_out = [&](const CaffeLayer& layer) { return !IsIncluded(layer, text.net.state()); };
  text.layers.erase(std::remove_if(text.layers.begin(), text.layers.end(), left_out), text.layers.end());
}

}  // namespace tandem
