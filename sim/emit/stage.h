// Stages: what only a program of its own can look into (operation "opaque"), and no file format has. A target
// is given a place for that program, which whoever deploys the plan fills in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/emit/parts.h"

namespace tandem {

bool HasStage(const Model& model);
bool IsStage(const Model& model, const std::vector<LayerId>& layers);  // is one of them opaque?
bool IsStage(const Deployment& deployment, SegmentId segment);
bool IsStageOnly(const Model& model);  // nothing else is in it, so it has no weights that tandem could write

// What the places of all targets begin with, each line behind `mark` ("# "): which model it is, what goes in
// and comes out, and who fills it in. Safe in any language that comments to the end of the line.
std::string StageComment(const Model& model, const std::vector<PartTensor>& reads,
                         const std::vector<PartTensor>& makes, std::string_view mark);

// The file of such a place: one that is there already stays, with whatever was written into it.
EmittedFile StageFile(std::string path, std::string text);

// "model \"x\": only its own program can look into it: stages/x.mjs is its place, ..."
void SayOfStage(const Model& model, const std::string& place, Emitted& emitted);

// Has each of them a program of its own in the platform?
bool HavePrograms(const Platform& platform, const std::vector<UnitId>& units);

// A stage for run.mjs, on `units`. Where these have programs they are started, though they neither take nor
// give tensors.
std::string StageModule(const Deployment& deployment, const Cut& cut, const std::vector<PartTensor>& reads,
                        const std::vector<PartTensor>& makes, const std::vector<UnitId>& units);

}  // namespace tandem
