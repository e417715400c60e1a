// Stands for ncnn's library in the tests: its C interface over nets that give 2x + 1 of every input. What a
// .param file of the tests says of its inputs is all that is read of it; the .bin has to begin with
// "weights". Matrices lie as ncnn's do, every channel at a multiple of 16 bytes, with NaN in between.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Matrix {
  int dims, w, h, c;
  std::size_t step;
  std::vector<float> values;
  Matrix(int axes, int width, int height, int channels)
      : dims(axes),
        w(width),
        h(height),
        c(channels),
        step(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    if (axes == 3) step = (step + 3) / 4 * 4;
    values.assign(step * static_cast<std::size_t>(channels), std::nanf(""));
  }
};

struct Net {
  std::vector<std::string> inputs, outputs;
  bool weights = false;
};

struct Extractor {
  const Net* net;
  std::map<std::string, const Matrix*> inputs;
};

Matrix* Copy(const Matrix& from) {
  auto* made = new Matrix(from);
  for (float& value : made->values) value = 2 * value + 1;
  return made;
}

}  // namespace

extern "C" {

const char* ncnn_version() { return "1.0.20240820-stand-in"; }
void* ncnn_option_create() { return new int(0); }
void ncnn_option_destroy(void* option) { delete static_cast<int*>(option); }
void ncnn_option_set_num_threads(void*, int) {}
void ncnn_option_set_use_vulkan_compute(void*, int) {}

void* ncnn_mat_create_1d(int w, void*) { return new Matrix(1, w, 1, 1); }
void* ncnn_mat_create_2d(int w, int h, void*) { return new Matrix(2, w, h, 1); }
void* ncnn_mat_create_3d(int w, int h, int c, void*) { return new Matrix(3, w, h, c); }
void ncnn_mat_destroy(void* mat) { delete static_cast<Matrix*>(mat); }
int ncnn_mat_get_dims(void* mat) { return static_cast<Matrix*>(mat)->dims; }
int ncnn_mat_get_w(void* mat) { return static_cast<Matrix*>(mat)->w; }
int ncnn_mat_get_h(void* mat) { return static_cast<Matrix*>(mat)->h; }
int ncnn_mat_get_c(void* mat) { return static_cast<Matrix*>(mat)->c; }
std::size_t ncnn_mat_get_elemsize(void*) { return sizeof(float); }
std::size_t ncnn_mat_get_cstep(void* mat) { return static_cast<Matrix*>(mat)->step; }
void* ncnn_mat_get_data(void* mat) { return static_cast<Matrix*>(mat)->values.data(); }

void* ncnn_net_create() { return new Net; }
void ncnn_net_destroy(void* net) { delete static_cast<Net*>(net); }
void ncnn_net_set_option(void*, void*) {}
int ncnn_net_load_param(void* net, const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "7767517") return -1;  // how every .param file begins
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string type, name, inputs, outputs, blob;
    words >> type >> name >> inputs >> outputs >> blob;
    if (type != "Input") continue;
    static_cast<Net*>(net)->inputs.push_back(blob);
    static_cast<Net*>(net)->outputs.push_back("of_" + blob);
  }
  return 0;
}
int ncnn_net_load_model(void* net, const char* path) {
  std::string word;
  std::ifstream(path) >> word;
  static_cast<Net*>(net)->weights = word == "weights";
  return word == "weights" ? 0 : -1;
}
int ncnn_net_get_input_count(void* net) { return static_cast<int>(static_cast<Net*>(net)->inputs.size()); }
int ncnn_net_get_output_count(void* net) { return static_cast<int>(static_cast<Net*>(net)->outputs.size()); }
const char* ncnn_net_get_input_name(void* net, int i) {
  return static_cast<Net*>(net)->inputs[static_cast<std::size_t>(i)].c_str();
}
const char* ncnn_net_get_output_name(void* net, int i) {
  return static_cast<Net*>(net)->outputs[static_cast<std::size_t>(i)].c_str();
}

void* ncnn_extractor_create(void* net) { return new Extractor{static_cast<Net*>(net), {}}; }
void ncnn_extractor_destroy(void* extractor) { delete static_cast<Extractor*>(extractor); }
int ncnn_extractor_input(void* extractor, const char* name, void* mat) {
  static_cast<Extractor*>(extractor)->inputs[std::string("of_") + name] = static_cast<Matrix*>(mat);
  return 0;
}
int ncnn_extractor_extract(void* extractor, const char* name, void** mat) {
  const auto& inputs = static_cast<Extractor*>(extractor)->inputs;
  const auto found = inputs.find(name);
  if (found == inputs.end() || !static_cast<Extractor*>(extractor)->net->weights) return -1;
  *mat = Copy(*found->second);
  return 0;
}

}  // extern "C"
