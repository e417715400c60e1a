// Makes an inference library a unit of tandem's backend "command": the protocol of docs/command_protocol.md,
// options, inputs and outputs, for adapters in C++. An adapter is one more file like adapter_ncnn.cc: it says
// how its library loads and runs a model (Runtime, Net) and calls Serve(). It needs this file and
// profiles/base/sha256.{h,cc}, nothing else of tandem:
//   g++ -std=c++20 -O2 -I. scripts/adapters/adapter_ncnn.cc profiles/base/sha256.cc -o adapter_ncnn -ldl
#pragma once

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/sha256.h"

namespace unit_program {
namespace fs = std::filesystem;

// What went wrong, in a sentence for whoever reads tandem's message.
class Trouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Shape = std::vector<std::int64_t>;
using Bytes = std::vector<std::byte>;

struct Input {
  std::string name;
  Shape shape;
  bool floats = true;  // float32; else bytes of quantized values
  std::size_t Count() const {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
  }
  std::size_t Size() const { return Count() * (floats ? sizeof(float) : 1); }
};

// A model that is ready. Values are dense, in the library's own order of axes; outputs stand one behind the
// other.
class Net {
 public:
  virtual ~Net() = default;
  virtual std::vector<Input> Inputs() const = 0;
  virtual void SetInput(std::size_t index,
                        const std::byte* values) = 0;  // it has Inputs()[index].Size() bytes
  virtual void Run() = 0;  // an inference, and what is timed; its outputs stay until the next
  virtual Bytes Outputs() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::string Libraries() const = 0;  // "ncnn=1.0.20240820 ..."
  virtual std::unique_ptr<Net> Load(const fs::path& file, std::int64_t batch) = 0;
};

struct Options {
  fs::path models, input, output;
  std::vector<int> cores;
  int threads = 1;
  std::uint64_t seed = 1;
  std::map<std::string, Shape> shapes;       // of inputs whose file has none; "" is any
  std::map<std::string, std::string> words;  // the adapter's own, as given

  std::string Word(const std::string& name) const { return words.count(name) ? words.at(name) : ""; }
  Shape ShapeOf(const std::string& name) const {
    const auto named = shapes.find(name), any = shapes.find("");
    return named != shapes.end() ? named->second : any != shapes.end() ? any->second : Shape{};
  }
};

struct About {
  std::string name;    // "adapter_ncnn"
  std::string suffix;  // of the files that it loads
  std::string help;    // of its own options, a line each
  std::vector<std::string> words;
  std::string remedy;  // how such a file is made
  std::function<std::unique_ptr<Runtime>(const Options&)> open;
};

// A library that is looked for when the program runs, so that it need not be there when it is built.
class Library {
 public:
  // The first of `names` that is there, or what is given with the option alone.
  Library(const std::string& what, const Options& options, const std::string& option,
          std::vector<std::string> names = {})
      : what_(what) {
    if (!options.Word(option).empty()) names = {options.Word(option)};
    std::string reasons;
    for (const std::string& name : names) {
      handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
      reasons += (reasons.empty() ? "" : "; ") + std::string(::dlerror());
    }
    throw Trouble("cannot load " + what_ + " (" + reasons + "): " + option + " FILE says where it is");
  }

  template <class Function>
  void Find(Function*& function, const char* name) const {
    void* symbol = ::dlsym(handle_, name);
    if (symbol == nullptr)
      throw Trouble("the library has no " + std::string(name) + "; is it " + what_ + "?");
    function = reinterpret_cast<Function*>(symbol);
  }

 private:
  std::string what_;
  void* handle_ = nullptr;  // stays: libraries of this kind start threads of their own
};

inline std::string TextOf(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

// What a program is told may be anything: a whole number of at most 18 digits, or a sentence about `what`.
inline std::int64_t WholeNumber(const std::string& what, const std::string& word) {
  const bool digits =
      !word.empty() && word.size() <= 18 && word.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw Trouble(what + ": expected a whole number, found \"" + word + "\"");
  return std::stoll(word);
}

inline Shape NumbersOf(const std::string& what, const std::string& text) {
  Shape numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) numbers.push_back(WholeNumber(what, word));
  return numbers;
}

namespace inside {

inline Options ReadOptions(const std::vector<std::string>& words, const About& about) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& name = words[i];
    if (i + 1 == words.size()) throw Trouble(name + ": takes a value; --help says which");
    const std::string& value = words[i + 1];
    if (name == "--models")
      options.models = value;
    else if (name == "--input")
      options.input = value;
    else if (name == "--output")
      options.output = value;
    else if (name == "--seed")
      options.seed = static_cast<std::uint64_t>(WholeNumber(name, value));
    else if (name == "--threads")
      options.threads = static_cast<int>(WholeNumber(name, value));
    else if (name == "--cores") {
      for (const std::int64_t core : NumbersOf(name, value)) options.cores.push_back(static_cast<int>(core));
    } else if (name == "--shape") {
      const std::size_t equals = value.find('=');
      const bool named = equals != std::string::npos;
      Shape& shape = options.shapes[named ? value.substr(0, equals) : ""];
      shape = NumbersOf(name, value.substr(named ? equals + 1 : 0));
      if (shape.empty() || std::count(shape.begin(), shape.end(), 0) > 0)
        throw Trouble(name + ": \"" + value + "\" has no extents");
    } else if (std::find(about.words.begin(), about.words.end(), name) != about.words.end())
      options.words[name] = value;
    else
      throw Trouble("unknown option " + name + "; --help says which there are");
  }
  if (std::find(words.begin(), words.end(), "--threads") == words.end() && !options.cores.empty()) {
    options.threads = static_cast<int>(options.cores.size());
  }
  if (options.threads < 1) throw Trouble("--threads: at least 1");
  return options;
}

inline void KeepTo(const std::vector<int>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (core >= CPU_SETSIZE) throw Trouble("--cores: there is no core " + std::to_string(core));
    CPU_SET(core, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    throw Trouble(std::string("--cores: ") + std::strerror(errno));
}

// The file of a model: of a name of the zoo in --models (NAME_bN for a batch of N, where that is there), of
// another kind of file the one beside it.
inline fs::path FileOf(const std::string& model, std::int64_t batch, const Options& options,
                       const About& about) {
  const auto ends = [&](const std::string& end) {
    return model.size() > end.size() && model.compare(model.size() - end.size(), end.size(), end) == 0;
  };
  fs::path file = model;
  if (model.find('/') == std::string::npos && !ends(about.suffix)) {
    if (options.models.empty()) throw Trouble("where is " + model + about.suffix + "? --models DIR says it");
    file = options.models / (model + "_b" + std::to_string(batch) + about.suffix);
    if (batch == 1 || !fs::exists(file)) file = options.models / (model + about.suffix);
  } else if (!ends(about.suffix)) {
    if (ends(".model.json")) file.replace_extension();
    file.replace_extension(about.suffix);
    if (!fs::is_regular_file(file)) {
      throw Trouble(model + " is no " + about.suffix + " file, and there is no " + file.string() +
                    " beside it; " + about.remedy);
    }
  }
  if (!fs::is_regular_file(file)) throw Trouble(file.string() + ": no such file; " + about.remedy);
  return file;
}

inline Bytes Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> read{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw Trouble(path.string() + ": cannot be read");
  const auto bytes = std::as_bytes(std::span(read));
  return {bytes.begin(), bytes.end()};
}

// The same for the same seed, on every machine: floats in [-1, 1), bytes of any value (SplitMix64).
inline Bytes RandomValues(const Input& input, std::uint64_t& state) {
  const auto next = [&state] {
    std::uint64_t mixed = state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  };
  Bytes values(input.Size());
  for (std::size_t i = 0; i < input.Count(); ++i) {
    const std::uint64_t bits = next();
    const float number = static_cast<float>(bits >> 40) / static_cast<float>(1 << 23) - 1;
    if (input.floats)
      std::memcpy(&values[i * sizeof number], &number, sizeof number);
    else
      values[i] = static_cast<std::byte>(bits >> 56);
  }
  return values;
}

inline void FillInputs(Net& net, const Options& options, const fs::path& model) {
  const std::vector<Input> inputs = net.Inputs();
  std::size_t size = 0, at = 0;
  std::string shapes;
  for (const Input& input : inputs) {
    size += input.Size();
    shapes += (shapes.empty() ? "" : ", ") + input.name + " " + TextOf(input.shape);
  }
  const Bytes given = options.input.empty() ? Bytes{} : Contents(options.input);
  if (!options.input.empty() && given.size() != size) {
    throw Trouble(options.input.string() + ": has " + std::to_string(given.size()) +
                  " bytes, the inputs of " + model.filename().string() + " (" + shapes + ") take " +
                  std::to_string(size));
  }
  std::uint64_t state = options.seed;
  for (std::size_t i = 0; i < inputs.size(); at += inputs[i++].Size()) {
    net.SetInput(i, options.input.empty() ? RandomValues(inputs[i], state).data() : given.data() + at);
  }
}

class Program {
 public:
  Program(const About& about, const Options& options)
      : about_(about), options_(options), runtime_(about.open(options)) {}

  std::string Greeting() const { return "tandem-unit/1 " + about_.name + " 1 " + runtime_->Libraries(); }

  std::string Answer(const std::string& line) {
    std::istringstream words(line);
    std::string request, handle, count, rest;
    words >> request >> handle >> count;
    std::getline(words >> std::ws, rest);
    const auto begin = std::chrono::steady_clock::now();
    const auto spent = [begin] {
      return "ok " +
             std::to_string(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
    };
    if (request == "load") {
      Load(handle, count, rest);
      return spent();
    }
    if (request == "unload") {
      Find(handle);
      nets_.erase(handle);
      return spent();
    }
    if (request != "run") throw Trouble("unknown request " + request);
    Net& net = Find(handle);
    for (std::int64_t left = WholeNumber("run", count); left > 0; --left) net.Run();
    const std::string time = spent();
    const Bytes outputs = net.Outputs();
    if (!options_.output.empty()) Write(outputs);
    return time + " " + tandem::Sha256(outputs);
  }

 private:
  Net& Find(const std::string& handle) {
    const auto found = nets_.find(handle);
    if (found == nets_.end()) throw Trouble("no model is loaded as " + handle);
    return *found->second;
  }

  void Load(const std::string& handle, const std::string& batch, const std::string& model) {
    WholeNumber("the handle", handle);
    if (nets_.count(handle) > 0) throw Trouble("a model is loaded as " + handle + " already");
    const std::int64_t of = WholeNumber("the batch", batch);
    const fs::path file = FileOf(model, of, options_, about_);
    std::unique_ptr<Net> net = runtime_->Load(file, of);
    FillInputs(*net, options_, file);
    net->Run();  // the first run makes what later ones find ready
    nets_[handle] = std::move(net);
  }

  void Write(const Bytes& outputs) const {
    std::ofstream file(options_.output, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(outputs.data()), static_cast<std::streamsize>(outputs.size()));
    if (!file.flush()) throw Trouble(options_.output.string() + ": cannot be written");
  }

  const About& about_;
  const Options& options_;
  std::unique_ptr<Runtime> runtime_;
  std::map<std::string, std::unique_ptr<Net>> nets_;
};

inline std::string Sentence(const std::string& text) {
  std::istringstream words(text);
  std::string sentence;
  for (std::string word; words >> word;) sentence += " " + word;
  return "error" + (sentence.empty() ? " of no known kind" : sentence);
}

inline std::string AnswerOrWhyNot(Program& program, const std::string& line) {
  try {
    return program.Answer(line);
  } catch (const std::exception& error) {  // whatever a library throws, tandem is told
    return Sentence(error.what());
  }
}

inline void Help(const About& about) {
  std::cout << "usage: " << about.name
            << " [OPTION VALUE]...   a unit of tandem's backend \"command\" (docs/command_protocol.md)\n"
            << "  --models DIR         where NAME" << about.suffix << " is\n"
            << "  --cores 0,1          keep to these cores\n"
            << "  --threads N          of the library; else one for each of --cores, or 1\n"
            << "  --seed N             of the inputs (1)\n"
            << "  --input RAW          the inputs, one behind the other, instead of random ones\n"
            << "  --output RAW         where to write the outputs of the last run\n"
            << about.help;
}

}  // namespace inside

// What main() of an adapter returns.
inline int Serve(int argc, char** argv, const About& about) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "--help") {
    inside::Help(about);
    return 0;
  }
  // Libraries may print what they like: it goes to standard error, and only answers to standard output.
  std::FILE* answers = ::fdopen(::dup(STDOUT_FILENO), "w");
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const auto say = [answers](const std::string& line) {
    std::fputs((line + "\n").c_str(), answers);
    std::fflush(answers);
  };
  try {
    const Options options = inside::ReadOptions(words, about);
    inside::KeepTo(options.cores);
    inside::Program program(about, options);
    say(program.Greeting());
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
      say(inside::AnswerOrWhyNot(program, line));
    }
    return 0;
  } catch (const std::exception& error) {
    say(inside::Sentence(error.what()));
    return 1;
  }
}

}  // namespace unit_program
