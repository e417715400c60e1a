// ncnn, on a CPU or a GPU by Vulkan, as a unit of tandem: a program for the backend "command".
//   {"name": "ncnn", "kind": "cpu", "memory": "dram", "backend": "command", "cores": [0, 1],
//    "command": ["adapter_ncnn", "--models", "models", "--cores", "0,1"]}
// ncnn's C interface is looked for in its library when this runs (a build of ncnn as a shared library,
// -DNCNN_SHARED_LIB=ON, of May 2021 or newer), so this builds without ncnn. Of a model NAME it loads
// NAME.param and NAME.bin.
#include "scripts/adapters/unit_program.h"

namespace {
using namespace unit_program;

// As <ncnn/c_api.h> declares them; what an allocator would be is null.
struct Ncnn {
  explicit Ncnn(const Library& library) {
    library.Find(version, "ncnn_version");
    library.Find(option_create, "ncnn_option_create");
    library.Find(option_destroy, "ncnn_option_destroy");
    library.Find(option_threads, "ncnn_option_set_num_threads");
    library.Find(option_vulkan, "ncnn_option_set_use_vulkan_compute");
    library.Find(mat_create_1d, "ncnn_mat_create_1d");
    library.Find(mat_create_2d, "ncnn_mat_create_2d");
    library.Find(mat_create_3d, "ncnn_mat_create_3d");
    library.Find(mat_destroy, "ncnn_mat_destroy");
    library.Find(mat_w, "ncnn_mat_get_w");
    library.Find(mat_h, "ncnn_mat_get_h");
    library.Find(mat_c, "ncnn_mat_get_c");
    library.Find(mat_dims, "ncnn_mat_get_dims");
    library.Find(mat_elemsize, "ncnn_mat_get_elemsize");
    library.Find(mat_step, "ncnn_mat_get_cstep");
    library.Find(mat_data, "ncnn_mat_get_data");
    library.Find(net_create, "ncnn_net_create");
    library.Find(net_destroy, "ncnn_net_destroy");
    library.Find(net_option, "ncnn_net_set_option");
    library.Find(net_param, "ncnn_net_load_param");
    library.Find(net_model, "ncnn_net_load_model");
    library.Find(input_count, "ncnn_net_get_input_count");
    library.Find(input_name, "ncnn_net_get_input_name");
    library.Find(output_count, "ncnn_net_get_output_count");
    library.Find(output_name, "ncnn_net_get_output_name");
    library.Find(extractor_create, "ncnn_extractor_create");
    library.Find(extractor_destroy, "ncnn_extractor_destroy");
    library.Find(extractor_input, "ncnn_extractor_input");
    library.Find(extractor_extract, "ncnn_extractor_extract");
  }

  using Handle = void*;
  const char* (*version)();
  Handle (*option_create)();
  void (*option_destroy)(Handle);
  void (*option_threads)(Handle, int);
  void (*option_vulkan)(Handle, int);
  Handle (*mat_create_1d)(int, Handle);
  Handle (*mat_create_2d)(int, int, Handle);
  Handle (*mat_create_3d)(int, int, int, Handle);
  void (*mat_destroy)(Handle);
  int (*mat_w)(Handle);
  int (*mat_h)(Handle);
  int (*mat_c)(Handle);
  int (*mat_dims)(Handle);
  std::size_t (*mat_elemsize)(Handle);
  std::size_t (*mat_step)(Handle);
  void* (*mat_data)(Handle);
  Handle (*net_create)();
  void (*net_destroy)(Handle);
  void (*net_option)(Handle, Handle);
  int (*net_param)(Handle, const char*);
  int (*net_model)(Handle, const char*);
  int (*input_count)(Handle);
  const char* (*input_name)(Handle, int);
  int (*output_count)(Handle);
  const char* (*output_name)(Handle, int);
  Handle (*extractor_create)(Handle);
  void (*extractor_destroy)(Handle);
  int (*extractor_input)(Handle, const char*, Handle);
  int (*extractor_extract)(Handle, const char*, Handle*);
};

// A handle that is given back.
using Held = std::unique_ptr<void, void (*)(void*)>;

// The shapes that layers of type Input say, as "0=width 1=height 2=channels"; not all tools write them.
std::map<std::string, Shape> ShapesIn(const fs::path& param) {
  std::map<std::string, Shape> shapes;
  std::ifstream file(param);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string type, name, inputs, outputs, blob, word;
    words >> type >> name >> inputs >> outputs >> blob;
    if (type != "Input") continue;
    Shape& shape = shapes[blob];
    while (words >> word) {
      const bool extent = word.size() > 2 && word[0] >= '0' && word[0] <= '2' && word[1] == '=';
      const std::int64_t value = extent ? WholeNumber(param.string(), word.substr(2)) : 0;
      if (value > 0) shape.insert(shape.begin(), value);
    }
  }
  return shapes;
}

class NcnnNet final : public Net {
 public:
  NcnnNet(const Ncnn& ncnn, const fs::path& param, const Options& options, bool vulkan)
      : ncnn_(ncnn), net_(ncnn.net_create(), ncnn.net_destroy) {
    const Held option(ncnn.option_create(), ncnn.option_destroy);
    ncnn.option_threads(option.get(), options.threads);
    ncnn.option_vulkan(option.get(), vulkan ? 1 : 0);
    ncnn.net_option(net_.get(), option.get());
    const fs::path bin = fs::path(param).replace_extension(".bin");
    if (!fs::exists(bin))
      throw Trouble(bin.string() + ": no such file; ncnn's weights lie beside " + param.filename().string());
    if (ncnn.net_param(net_.get(), param.c_str()) != 0) throw Trouble("ncnn cannot read " + param.string());
    if (ncnn.net_model(net_.get(), bin.c_str()) != 0) throw Trouble("ncnn cannot read " + bin.string());
    FindInputs(param, options);
  }

  std::vector<Input> Inputs() const override { return inputs_; }

  void SetInput(std::size_t index, const std::byte* values) override {
    const Shape& shape = inputs_[index].shape;
    const std::size_t plane =
        inputs_[index].Size() / static_cast<std::size_t>(shape.size() == 3 ? shape[0] : 1);
    const std::size_t step = ncnn_.mat_step(mats_[index].get()) * sizeof(float);
    auto* data = static_cast<std::byte*>(ncnn_.mat_data(mats_[index].get()));
    // Channels begin at multiples of 16 bytes.
    for (std::size_t at = 0; at * plane < inputs_[index].Size(); ++at)
      std::memcpy(data + at * step, values + at * plane, plane);
  }

  void Run() override {
    outputs_.clear();
    const Held extractor(ncnn_.extractor_create(net_.get()), ncnn_.extractor_destroy);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (ncnn_.extractor_input(extractor.get(), inputs_[i].name.c_str(), mats_[i].get()) != 0)
        Fail("takes no input " + inputs_[i].name);
    }
    for (int i = 0; i < ncnn_.output_count(net_.get()); ++i) {
      const char* name = ncnn_.output_name(net_.get(), i);
      void* mat = nullptr;
      if (ncnn_.extractor_extract(extractor.get(), name, &mat) != 0 || mat == nullptr)
        Fail(std::string("does not give ") + name);
      outputs_.emplace_back(mat, ncnn_.mat_destroy);
    }
  }

  Bytes Outputs() override {
    Bytes bytes;
    for (const Held& mat : outputs_) {
      if (ncnn_.mat_dims(mat.get()) > 3)
        Fail("gives an output of more than three axes, which this adapter does not know");
      const auto plane = static_cast<std::size_t>(ncnn_.mat_w(mat.get())) *
                         static_cast<std::size_t>(ncnn_.mat_h(mat.get())) * ncnn_.mat_elemsize(mat.get());
      const std::size_t step = ncnn_.mat_step(mat.get()) * ncnn_.mat_elemsize(mat.get());
      const auto* data = static_cast<const std::byte*>(ncnn_.mat_data(mat.get()));
      for (int channel = 0; channel < ncnn_.mat_c(mat.get()); ++channel, data += step)
        bytes.insert(bytes.end(), data, data + plane);
    }
    return bytes;
  }

 private:
  [[noreturn]] static void Fail(const std::string& what) { throw Trouble("ncnn " + what); }

  void FindInputs(const fs::path& param, const Options& options) {
    const std::map<std::string, Shape> shapes = ShapesIn(param);
    for (int i = 0; i < ncnn_.input_count(net_.get()); ++i) {
      const std::string name = ncnn_.input_name(net_.get(), i);
      Shape shape = options.ShapeOf(name);
      if (shape.empty() && shapes.count(name) > 0) shape = shapes.at(name);
      if (shape.empty()) {
        Fail("does not find a shape of input " + name + " in " + param.string() + ": --shape " + name +
             "=CHANNELS,HEIGHT,WIDTH says it");
      }
      if (shape.size() > 3)
        Fail("takes inputs of at most three axes, without the batch; --shape of " + name + " has more");
      inputs_.push_back({name, shape});
      mats_.emplace_back(Create(shape), ncnn_.mat_destroy);
    }
    if (inputs_.empty()) Fail("finds no inputs in " + param.string());
  }

  void* Create(const Shape& shape) const {
    std::vector<int> extents(shape.begin(), shape.end());
    if (extents.size() == 1) return ncnn_.mat_create_1d(extents[0], nullptr);
    if (extents.size() == 2) return ncnn_.mat_create_2d(extents[1], extents[0], nullptr);
    return ncnn_.mat_create_3d(extents[2], extents[1], extents[0], nullptr);
  }

  const Ncnn& ncnn_;
  Held net_;
  std::vector<Input> inputs_;
  std::vector<Held> mats_, outputs_;
};

class NcnnRuntime final : public Runtime {
 public:
  explicit NcnnRuntime(const Options& options)
      : options_(options),
        vulkan_(options.Word("--vulkan") == "yes"),
        ncnn_(Library("ncnn", options, "--library", {"libncnn.so.1", "libncnn.so"})) {}

  std::string Libraries() const override {
    return "ncnn=" + std::string(ncnn_.version()) + (vulkan_ ? " by=vulkan" : "");
  }

  std::unique_ptr<Net> Load(const fs::path& file, std::int64_t batch) override {
    if (batch != 1)
      throw Trouble("ncnn runs one inference at a time, asked for is a batch of " + std::to_string(batch));
    return std::make_unique<NcnnNet>(ncnn_, file, options_, vulkan_);
  }

 private:
  const Options& options_;
  bool vulkan_;
  Ncnn ncnn_;
};

}  // namespace

int main(int argc, char** argv) {
  return Serve(argc, argv,
               {"adapter_ncnn",
                ".param",
                "  --shape [INPUT=]C,H,W  of inputs whose .param file does not say it\n"
                "  --library FILE       libncnn.so, where the system does not find it\n"
                "  --vulkan yes         the GPU\n",
                {"--library", "--vulkan"},
                "pnnx or onnx2ncnn makes one, and its .bin, of an ONNX file",
                [](const Options& options) { return std::make_unique<NcnnRuntime>(options); }});
}
