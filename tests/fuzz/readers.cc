#include "tests/fuzz/readers.h"

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <typeinfo>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "tests/bad/bad_cases.h"
#include "tests/fuzz/mutations.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<FuzzReader (*)()>& Registry() {
  static std::vector<FuzzReader (*)()> registry;
  return registry;
}

// Where names in seeds lead to: the parts beside the mistakes that tests keep. It is the current folder.
const BadFolder& Folder() {
  static const BadFolder folder;
  return folder;
}

// All files of the tests that are right, by what they say that they are.
std::map<std::string, std::vector<std::string>> SeedsByKind() {
  std::map<std::string, std::vector<std::string>> seeds;
  const auto add = [&](const std::string& text) {
    try {
      seeds[std::string(FileKind(JsonDocument::Parse(text, "seed").root()))].push_back(text);
    } catch (const InputError&) {
    }
  };
  for (const BadCase& base : BadBases()) add(base.text);
  for (const char* folder : {"/good", "/data", "/bad/parts"}) {
    std::set<fs::path> files;
    for (const auto& file : fs::directory_iterator(std::string(TANDEM_TEST_DIR) + folder)) files.insert(file);
    for (const fs::path& file : files) add(ReadTextFile(file));
  }
  return seeds;
}

void AddJsonReaders(std::vector<FuzzReader>& readers) {
  const auto seeds = SeedsByKind();
  for (const FileKindDeclaration& kind : FileKinds()) {
    if (!kind.judge) continue;
    const auto found = seeds.find(std::string(kind.kind));
    FuzzReader reader;
    reader.name = kind.Name();
    if (found != seeds.end()) reader.seeds = found->second;
    reader.read = [judge = kind.judge](const std::string& bytes) {
      judge(JsonDocument::Parse(bytes, "fuzz.json").root());
    };
    reader.change = WithValuesChanged;
    readers.push_back(std::move(reader));
  }
}

std::vector<FuzzReader> MakeReaders() {
  Folder();
  std::vector<FuzzReader> readers;
  AddJsonReaders(readers);
  for (const auto make : Registry()) readers.push_back(make());
  std::sort(readers.begin(), readers.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return readers;
}

}  // namespace

FuzzReaderRegistration::FuzzReaderRegistration(FuzzReader (*make)()) { Registry().push_back(make); }

const std::vector<FuzzReader>& FuzzReaders() {
  static const std::vector<FuzzReader> readers = MakeReaders();
  return readers;
}

const FuzzReader* FindFuzzReader(std::string_view name) {
  for (const FuzzReader& reader : FuzzReaders()) {
    if (reader.name == name) return &reader;
  }
  return nullptr;
}

fs::path FuzzFile(const std::string& name, const std::string& bytes) {
  static const TempFolder folder;
  WriteFile(folder / name, bytes);
  return folder / name;
}

std::string Misbehaviour(const FuzzReader& reader, const std::string& bytes) {
  try {
    reader.read(bytes);
  } catch (const InputError&) {
  } catch (const EnvironmentError&) {
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  } catch (...) {
    return "throws what is no exception";
  }
  return {};
}

}  // namespace tandem
