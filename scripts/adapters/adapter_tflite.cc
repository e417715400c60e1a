// TensorFlow Lite, on a CPU or by a delegate on an NPU, as a unit of tandem: a program for the backend
// "command".
//   {"name": "npu", "kind": "npu", "memory": "dram", "backend": "command",
//    "command": ["adapter_tflite", "--models", "models", "--delegate", "/usr/lib/libvx_delegate.so"]}
// Its C interface is looked for in a library when this runs (libtensorflowlite_c.so, or Debian's
// libtensorflow-lite), so this builds without it. Of a model NAME it loads NAME.tflite. Inputs and outputs
// are in the file's order of axes.
#include "scripts/adapters/unit_program.h"

namespace {
using namespace unit_program;

constexpr int kOk = 0, kFloat32 = 1, kUInt8 = 3, kInt8 = 9;  // TfLiteStatus, TfLiteType

// As <tensorflow/lite/c/c_api.h> declares them.
struct Tflite {
  explicit Tflite(const Library& library) {
    library.Find(version, "TfLiteVersion");
    library.Find(model_create, "TfLiteModelCreateFromFile");
    library.Find(model_delete, "TfLiteModelDelete");
    library.Find(options_create, "TfLiteInterpreterOptionsCreate");
    library.Find(options_delete, "TfLiteInterpreterOptionsDelete");
    library.Find(options_threads, "TfLiteInterpreterOptionsSetNumThreads");
    library.Find(options_delegate, "TfLiteInterpreterOptionsAddDelegate");
    library.Find(create, "TfLiteInterpreterCreate");
    library.Find(destroy, "TfLiteInterpreterDelete");
    library.Find(allocate, "TfLiteInterpreterAllocateTensors");
    library.Find(invoke, "TfLiteInterpreterInvoke");
    library.Find(input_count, "TfLiteInterpreterGetInputTensorCount");
    library.Find(input, "TfLiteInterpreterGetInputTensor");
    library.Find(resize, "TfLiteInterpreterResizeInputTensor");
    library.Find(output_count, "TfLiteInterpreterGetOutputTensorCount");
    library.Find(output, "TfLiteInterpreterGetOutputTensor");
    library.Find(type, "TfLiteTensorType");
    library.Find(axes, "TfLiteTensorNumDims");
    library.Find(extent, "TfLiteTensorDim");
    library.Find(size, "TfLiteTensorByteSize");
    library.Find(data, "TfLiteTensorData");
    library.Find(name, "TfLiteTensorName");
  }

  using Handle = void*;
  const char* (*version)();
  Handle (*model_create)(const char*);
  void (*model_delete)(Handle);
  Handle (*options_create)();
  void (*options_delete)(Handle);
  void (*options_threads)(Handle, std::int32_t);
  void (*options_delegate)(Handle, Handle);
  Handle (*create)(Handle, Handle);
  void (*destroy)(Handle);
  int (*allocate)(Handle);
  int (*invoke)(Handle);
  std::int32_t (*input_count)(Handle);
  Handle (*input)(Handle, std::int32_t);
  int (*resize)(Handle, std::int32_t, const int*, std::int32_t);
  std::int32_t (*output_count)(Handle);
  Handle (*output)(Handle, std::int32_t);
  int (*type)(Handle);
  std::int32_t (*axes)(Handle);
  std::int32_t (*extent)(Handle, std::int32_t);
  std::size_t (*size)(Handle);
  void* (*data)(Handle);
  const char* (*name)(Handle);
};

// A handle that is given back.
using Held = std::unique_ptr<void, void (*)(void*)>;

// What TensorFlow Lite calls an external delegate: a library with these two functions.
class Delegates {
 public:
  explicit Delegates(const Options& options) : library_("the delegate", options, "--delegate") {
    library_.Find(create_, "tflite_plugin_create_delegate");
    library_.Find(destroy_, "tflite_plugin_destroy_delegate");
  }
  Held Create() const {
    const auto say = [](const char* what) { std::cerr << what << "\n"; };
    Held made(create_(nullptr, nullptr, 0, say), destroy_);
    if (!made) throw Trouble("the delegate cannot start here; its own words are above");
    return made;
  }

 private:
  Library library_;
  void* (*create_)(char**, char**, std::size_t, void (*)(const char*));
  void (*destroy_)(void*);
};

class TfliteNet final : public Net {
 public:
  TfliteNet(const Tflite& tflite, const Delegates* delegates, const fs::path& file, std::int64_t batch,
            int threads)
      : tflite_(tflite),
        model_(tflite.model_create(file.c_str()), tflite.model_delete),
        delegate_(delegates != nullptr ? delegates->Create() : Held(nullptr, [](void*) {})),
        interpreter_(nullptr, tflite.destroy) {
    if (!model_) throw Trouble("TensorFlow Lite cannot read " + file.string());
    const Held options(tflite.options_create(), tflite.options_delete);
    tflite.options_threads(options.get(), threads);
    if (delegate_) tflite.options_delegate(options.get(), delegate_.get());
    interpreter_.reset(tflite.create(model_.get(), options.get()));
    if (!interpreter_)
      throw Trouble("TensorFlow Lite cannot run " + file.string() + "; its own words are above");
    Allocate(file, batch);
  }

  std::vector<Input> Inputs() const override {
    std::vector<Input> inputs;
    for (int i = 0; i < tflite_.input_count(interpreter_.get()); ++i) {
      void* tensor = tflite_.input(interpreter_.get(), i);
      const int type = tflite_.type(tensor);
      const std::string name = tflite_.name(tensor);
      if (type != kFloat32 && type != kUInt8 && type != kInt8)
        throw Trouble("input " + name + " is neither float32, int8 nor uint8");
      inputs.push_back({name, ShapeOf(tensor), type == kFloat32});
    }
    return inputs;
  }

  void SetInput(std::size_t index, const std::byte* values) override {
    void* tensor = tflite_.input(interpreter_.get(), static_cast<std::int32_t>(index));
    std::memcpy(tflite_.data(tensor), values, tflite_.size(tensor));
  }

  void Run() override {
    if (tflite_.invoke(interpreter_.get()) != kOk)
      throw Trouble("TensorFlow Lite could not run the model; its own words are above");
  }

  Bytes Outputs() override {
    Bytes bytes;
    for (int i = 0; i < tflite_.output_count(interpreter_.get()); ++i) {
      void* tensor = tflite_.output(interpreter_.get(), i);
      const auto* data = static_cast<const std::byte*>(tflite_.data(tensor));
      bytes.insert(bytes.end(), data, data + tflite_.size(tensor));
    }
    return bytes;
  }

 private:
  Shape ShapeOf(void* tensor) const {
    Shape shape;
    for (int axis = 0; axis < tflite_.axes(tensor); ++axis) shape.push_back(tflite_.extent(tensor, axis));
    return shape;
  }

  // The batch is the file's own, else inputs are made of that size.
  void Allocate(const fs::path& file, std::int64_t batch) {
    for (int i = 0; i < tflite_.input_count(interpreter_.get()); ++i) {
      const Shape shape = ShapeOf(tflite_.input(interpreter_.get(), i));
      std::vector<int> extents(shape.begin(), shape.end());
      if (extents.empty() || extents[0] == batch) continue;
      extents[0] = static_cast<int>(batch);
      if (tflite_.resize(interpreter_.get(), i, extents.data(), static_cast<std::int32_t>(extents.size())) !=
          kOk) {
        throw Trouble(file.string() + " has batch " + std::to_string(shape[0]) + ", asked for is " +
                      std::to_string(batch));
      }
    }
    if (tflite_.allocate(interpreter_.get()) != kOk) {
      throw Trouble("TensorFlow Lite cannot prepare " + file.string() + " for a batch of " +
                    std::to_string(batch) + "; its own words are above");
    }
  }

  const Tflite& tflite_;
  Held model_, delegate_, interpreter_;
};

class TfliteRuntime final : public Runtime {
 public:
  explicit TfliteRuntime(const Options& options)
      : threads_(options.threads),
        tflite_(
            Library("TensorFlow Lite's C interface", options, "--library",
                    {"libtensorflowlite_c.so", "libtensorflow-lite.so", "libtensorflow-lite.so.2.14.1"})) {
    const std::string delegate = options.Word("--delegate");
    if (delegate.empty()) return;
    delegates_ = std::make_unique<Delegates>(options);
    about_ = " delegate=" + fs::path(delegate).filename().string();
  }

  std::string Libraries() const override {
    return "tensorflow_lite=" + std::string(tflite_.version()) + about_;
  }

  std::unique_ptr<Net> Load(const fs::path& file, std::int64_t batch) override {
    return std::make_unique<TfliteNet>(tflite_, delegates_.get(), file, batch, threads_);
  }

 private:
  int threads_;
  Tflite tflite_;
  std::unique_ptr<Delegates> delegates_;
  std::string about_;
};

}  // namespace

int main(int argc, char** argv) {
  return Serve(argc, argv,
               {"adapter_tflite",
                ".tflite",
                "  --library FILE       libtensorflowlite_c.so, where the system does not find it\n"
                "  --delegate FILE      an external delegate; what it does not take runs on the CPU\n",
                {"--library", "--delegate"},
                "TensorFlow Lite's converter makes one",
                [](const Options& options) { return std::make_unique<TfliteRuntime>(options); }});
}
