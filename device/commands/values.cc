// What the values of tandem-device's options are, for completion.
#include "profiles/program/values.h"

#include "profiles/costs/profile.h"
#include "profiles/model/zoo.h"
#include "profiles/program/shipped.h"

namespace tandem::values {
namespace {

using Words = std::vector<std::string>;

Words Models() {
  Words names;
  for (const ZooEntry& model : Zoo()) names.push_back(model.name);
  return names;
}
Words Boards() { return ShippedNames("boards", ".platform.json"); }
Words Precisions() {
  Words names;
  for (const auto& known : kPrecisions) names.emplace_back(known.name);
  return names;
}

const ValuesRegistration kModels{
    {.called = {"MODEL", "--model"}, .words = Models, .files = {".json", ".onnx", ".prototxt", ".tflite"}}};
const ValuesRegistration kBoards{{.called = {"--platform"}, .words = Boards, .files = {".platform.json"}}};
const ValuesRegistration kPrecisionWords{{.called = {"--precision"}, .words = Precisions}};
const ValuesRegistration kWeights{{.called = {"--weights"}, .files = {".safetensors", ".caffemodel"}}};
const ValuesRegistration kPlans{{.called = {"PLAN", "REQUEST"}, .files = {".json"}}};
const ValuesRegistration kFolders{{.called = {"--all", "--root"}, .files = {"/"}}};
const ValuesRegistration kOwn{{.called = {"--unit", "--state", "--expect", "--read", "--sent", "--before"}}};

}  // namespace
}  // namespace tandem::values
