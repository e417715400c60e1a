#include "sim/emit/left_out.h"

#include <algorithm>

#include "profiles/base/suggest.h"
#include "profiles/model/model_source.h"
#include "sim/emit/stage.h"

namespace tandem {
namespace {

FeatureAnswer AnswerOf(const EmitterDeclaration& target, const Feature& feature) {
  for (const FeatureAnswer& answer : target.answers) {
    if (answer.feature == feature.name) return answer;
  }
  return {feature.name};
}

std::string WithTarget(std::string_view words, const std::string& target) {
  const std::size_t place = words.find('*');
  if (place == std::string_view::npos) return std::string(words);
  return std::string(words.substr(0, place)) + target + std::string(words.substr(place + 1));
}

void SayOfFeature(const Deployment& deployment, const EmitterDeclaration& target, const Feature& feature,
                  Emitted& emitted) {
  const FeatureAnswer answer = AnswerOf(target, feature);
  if (answer.expressed == Expressed::kYes) return;
  if (answer.expressed == Expressed::kPartly && answer.words.empty()) return;
  const std::string lost = WithTarget(answer.words.empty() ? feature.lost : answer.words, target.called);
  for (const FeatureUse& use : feature.uses(deployment)) {
    if (!emitted.IsExpressed(feature.name, use.stream)) emitted.Lacks(use.what + ": " + lost);
  }
}

// Whose requests were all dropped, say: no unit is known for them.
void SayWhatDidNotRun(const Deployment& deployment, Emitted& emitted) {
  const std::vector<Stream>& streams = deployment.scenario().streams;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    const auto is_of = [&](const DeployedShare& share) { return share.stream == StreamId(s); };
    if (deployment.RanAlong(StreamId(s)) > 0 ||
        std::any_of(deployment.shares().begin(), deployment.shares().end(), is_of)) {
      continue;
    }
    emitted.Lacks("stream " + Quoted(streams[s].name) +
                  ": none of its requests ran in the simulation, so nothing says where they are to run");
  }
}

std::string_view InTable(Expressed expressed) {
  if (expressed == Expressed::kYes) return "yes";
  return expressed == Expressed::kPartly ? "partly" : "-";
}

}  // namespace

void SayOfWeights(const Deployment& deployment, ModelId id, Emitted& emitted) {
  const ScenarioModel& model = deployment.scenario().model(id);
  if (IsStageOnly(*model.model)) return;  // no file of it is written
  if (!LoadModel(model.name, deployment.scenario().file).weights.empty()) return;
  emitted.Lacks("model " + Quoted(model.model->name()) +
                ": tandem knows no weights of it: its files have random ones, which take as long");
}

void SayOfWeights(const Deployment& deployment, Emitted& emitted) {
  for (std::size_t m = 0; m < deployment.scenario().models.size(); ++m) {
    SayOfWeights(deployment, ModelId(m), emitted);
  }
}

Emitted EmittedBy(const EmitterDeclaration& target, const Deployment& deployment) {
  Emitted emitted = target.emit(deployment);
  if (target.answers.empty()) return emitted;
  SayWhatDidNotRun(deployment, emitted);
  for (const Feature& feature : Features()) SayOfFeature(deployment, target, feature, emitted);
  return emitted;
}

std::string FeatureTable() {
  std::string head = "| what a plan says | where |", line = "|---|---|";
  for (const EmitterDeclaration& target : Emitters()) {
    if (target.answers.empty()) continue;
    head += " " + target.name + " |";
    line += "---|";
  }
  std::string table = head + "\n" + line + "\n";
  for (const Feature& feature : Features()) {
    table += "| " + std::string(feature.summary) + " | " +
             (feature.fields.empty() ? "" : "`" + std::string(feature.fields.front()) + "`") + " |";
    for (const EmitterDeclaration& target : Emitters()) {
      if (!target.answers.empty())
        table += " " + std::string(InTable(AnswerOf(target, feature).expressed)) + " |";
    }
    table += "\n";
  }
  return table;
}

}  // namespace tandem
