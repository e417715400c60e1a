// A Caffe network on its way to a Model. Caffe names blobs, and a blob has as many writers as layers work on
// it in place; a Model names layers. The graph knows who wrote each blob last, and with what shape.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// A layer that is there already, and what it makes.
struct CaffeNode {
  std::string layer;
  Shape shape;
};

struct CaffeBlob {
  CaffeNode node;
  // Where the blob is of no use to inference (labels, what is computed from them, losses): what it is, as a
  // message says it. There is no node then.
  std::string training;
};

// Where one tensor of the Model stands in a .caffemodel.
enum class BlobUse { kAsIs, kTransposed, kDividedByThird };
struct TrainedBlob {
  WeightKey key;
  Shape shape;  // of the tensor
  std::string caffe_layer;
  std::size_t occurrence = 0;  // among the layers of that name
  int blob = 0;
  Shape blob_shape;  // as Caffe makes it
  BlobUse use = BlobUse::kAsIs;
};

class CaffeGraph {
 public:
  // `wanted`, or that with a number after it where a layer has the name already or there is none.
  std::string UniqueName(const std::string& wanted);

  // Adds a layer under a unique name and infers its shape. Throws InputError with a plain sentence.
  CaffeNode Add(const std::string& unique_name, Op op, Attributes attributes,
                const std::vector<CaffeNode>& inputs);

  void Write(const std::string& blob, CaffeBlob what) { blobs_[blob] = std::move(what); }
  // The newest state. Throws InputError ("reads ..., which no layer before it makes; did you mean").
  const CaffeBlob& Read(const std::string& blob) const;

  // A layer that is left out read this: if it is an input that nobody else reads, it goes too.
  void ReadInTrainingAlone(const CaffeNode& node) { read_in_training_.insert(node.layer); }
  std::vector<LayerSpec> Finish() const;

  std::int64_t batch = 1;       // that the network is read at
  std::int64_t file_batch = 1;  // that the file says, and that layers of it may repeat
  std::vector<TrainedBlob> trained;
  std::map<WeightKey, float> constants;  // numbers that the text itself gives
  std::vector<std::string> notes;

 private:
  std::vector<LayerSpec> layers_;
  std::map<std::string, CaffeBlob> blobs_;
  std::set<std::string> names_;
  std::map<std::string, int> next_number_;
  std::set<std::string> read_in_training_;
  Counts totals_;
};

}  // namespace tandem
