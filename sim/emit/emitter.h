// What `tandem plan --emit TARGET` writes. A target is one file of sim/emit that registers itself; its name
// is a word of the option then.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"
#include "sim/emit/deployment.h"
#include "sim/emit/features.h"

namespace tandem {

struct EmittedFile {
  std::string path;  // below the folder, parts with '/': "models/resnet50.onnx"
  std::string text;
  bool executable = false;
  // Instead of `text`, for what is large: writes the file there.
  std::function<void(const std::filesystem::path&)> write = {};
  bool stays =
      false;  // its owner writes into it: one that is there already is not replaced, not even by --force
};

class Emitted {
 public:
  std::vector<EmittedFile> files;
  // What the plan says and the target cannot, a sentence each: "stream \"camera\": jitter of 500 us: ...".
  std::vector<std::string> not_expressed;

  void Add(std::string path, std::string text) { files.push_back({std::move(path), std::move(text)}); }
  void Lacks(std::string sentence);  // once, however often it is said

  // What the target's answer says it leaves out, and here it does not; of one stream or, without one, of all.
  void Expresses(std::string_view feature, StreamId stream = {}) { expressed_.emplace(feature, stream); }
  bool IsExpressed(std::string_view feature, StreamId stream) const {
    return expressed_.contains({std::string(feature), stream}) ||
           expressed_.contains({std::string(feature), StreamId()});
  }

 private:
  std::set<std::pair<std::string, StreamId>> expressed_ = {};
};

struct EmitterDeclaration {
  std::string name;     // as --emit takes it
  std::string summary;  // its line in the help
  // Throws InputError where nothing of the plan can be said there.
  Emitted (*emit)(const Deployment& deployment) = nullptr;
  std::string called = {};      // in sentences: "Triton"
  FeatureAnswers answers = {};  // to each of Features()
};

// At namespace scope of the target's file.
struct EmitterRegistration {
  explicit EmitterRegistration(EmitterDeclaration declaration);
};

const std::vector<EmitterDeclaration>& Emitters();  // in order of name
const EmitterDeclaration* FindEmitter(std::string_view name);

// Names of files and of things in files: letters, digits, '.', '-' and '_', and of two that come out alike
// the second with a number behind it.
class PlainNames {
 public:
  std::string Of(std::string_view name);

 private:
  std::set<std::string> taken_;
};

// A file of share/tandem/emit, which stands in sim/emit/assets.
std::string EmitAsset(std::string_view name);

// The model in that batch with its weights, random ones of seed 1 where it has none, which `random` says: as
// `tandem-device infer` has them. Throws InputError.
struct DeployedModel {
  Model model;
  Weights weights;
  bool random = false;
};
DeployedModel LoadDeployed(const Scenario& scenario, ModelId model, std::int64_t batch);

// "models/NAME.onnx" written with its weights when the folder is. Throws InputError where this build writes
// no ONNX.
EmittedFile OnnxFile(const Scenario& scenario, ModelId model, std::int64_t batch, std::string path);
// The same for any batch; the model passes CheckAnyBatch.
EmittedFile OnnxFileOfAnyBatch(const Scenario& scenario, ModelId model, std::string path);

}  // namespace tandem
