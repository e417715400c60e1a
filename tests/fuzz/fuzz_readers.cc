// For scripts/fuzz: one reader, named by TANDEM_FUZZ_READER, under libFuzzer. `fuzz_readers --list` names
// all; `fuzz_readers --seeds FOLDER` writes the seeds of the one that is named.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <random>

#include "profiles/base/files.h"
#include "tests/fuzz/readers.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace tandem {
namespace {

const FuzzReader& Chosen() {
  static const FuzzReader* const reader = [] {
    const char* const name = std::getenv("TANDEM_FUZZ_READER");
    const FuzzReader* const found = FindFuzzReader(name != nullptr ? name : "");
    if (found == nullptr) {
      std::cerr << "fuzz_readers: TANDEM_FUZZ_READER names none of --list\n";
      std::exit(2);
    }
    return found;
  }();
  return *reader;
}

void WriteSeeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : Chosen().seeds)
    WriteFile(folder / ("seed" + std::to_string(++number)), seed);
}

std::size_t Put(const std::string& bytes, std::uint8_t* data, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  std::memcpy(data, bytes.data(), size);
  return size;
}

}  // namespace
}  // namespace tandem

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string first = *argc > 1 ? (*argv)[1] : "";
  if (first == "--list") {
    for (const tandem::FuzzReader& reader : tandem::FuzzReaders()) std::cout << reader.name << "\n";
    std::exit(0);
  }
  if (first == "--seeds" && *argc > 2) {
    tandem::WriteSeeds((*argv)[2]);
    std::exit(0);
  }
  tandem::Chosen();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string misbehaviour = tandem::Misbehaviour(tandem::Chosen(), bytes);
  if (misbehaviour.empty()) return 0;
  std::cerr << "fuzz_readers: " << tandem::Chosen().name << ": " << misbehaviour << "\n";
  std::abort();
}

// Half of them are changed by what they mean, where the reader knows how.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  const auto& change = tandem::Chosen().change;
  if (!change || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  std::mt19937_64 chance(seed);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  return tandem::Put(change(bytes, chance), data, most);
}
