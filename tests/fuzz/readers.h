// Everything that reads bytes which may come from anybody, each with a few small files that are right: what
// tests/fuzz/readers_test.cc damages a little in every build, and scripts/fuzz without end.
#pragma once

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct FuzzReader {
  std::string name;
  std::vector<std::string> seeds;
  // May throw InputError or EnvironmentError, and nothing else.
  std::function<void(const std::string& bytes)> read;
  // Changes what the bytes mean, so that what comes of it is still read deeply; without it bytes alone
  // change.
  std::function<std::string(const std::string& bytes, std::mt19937_64& chance)> change = nullptr;
  int damaged = 150;  // of each seed, in readers_test.cc
};

// At namespace scope of the file that has the reader's seeds.
struct FuzzReaderRegistration {
  explicit FuzzReaderRegistration(FuzzReader (*make)());
};

// In order of name; those of JSON files for every kind that is declared.
const std::vector<FuzzReader>& FuzzReaders();
// Null where none has that name.
const FuzzReader* FindFuzzReader(std::string_view name);

// Of what is read from a path alone: a file of that name with these bytes, until the next one.
std::filesystem::path FuzzFile(const std::string& name, const std::string& bytes);

// Empty where it was read, or refused as files are; else what it did instead.
std::string Misbehaviour(const FuzzReader& reader, const std::string& bytes);

}  // namespace tandem
