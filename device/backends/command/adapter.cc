#include "device/backends/command/adapter.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

constexpr std::string_view kGreeting = "tandem-unit/1";
constexpr std::string_view kGreetingForm = "tandem-unit/1 NAME VERSION [LIBRARY=VERSION]...";
constexpr std::size_t kLongestHash = 128;

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool IsHash(const std::string& word) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return word.size() <= kLongestHash && std::all_of(word.begin(), word.end(), plain);
}

}  // namespace

Adapter::Adapter(const std::string& who, const std::vector<std::string>& command, const AdapterLimits& limits)
    : who_(who), limits_(limits), program_(who, command) {
  ReadGreeting();
}

void Adapter::ReadGreeting() {
  const std::string line = program_.ReadLine(limits_.greeting, "its greeting");
  ThrowIfError(line);
  const std::vector<std::string> words = Words(line);
  if (words.size() < 3 || words[0] != kGreeting) FailForm(line, "its greeting", kGreetingForm);
  about_ = words[1] + " " + words[2];
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (equals == std::string::npos) FailForm(line, "its greeting", kGreetingForm);
    about_ += (i == 3 ? " (" : ", ") + words[i].substr(0, equals) + " " + words[i].substr(equals + 1);
  }
  if (words.size() > 3) about_ += ")";
}

void Adapter::ThrowIfError(const std::string& answer) const {
  constexpr std::string_view kError = "error";
  if (answer != kError && answer.rfind("error ", 0) != 0) return;
  const auto text = answer.find_first_not_of(' ', kError.size());
  throw EnvironmentError(who_ + ": the program says " +
                         Quoted(text < answer.size() ? answer.substr(text) : answer));
}

void Adapter::FailForm(std::string_view answer, std::string_view request, std::string_view form) {
  program_.Fail("the program breaks the protocol: " + std::string(request) + " is " + Quoted(answer) +
                ", not \"" + std::string(form) + "\"");
}

std::vector<std::string> Adapter::Ask(const std::string& line, Nanos limit, std::string_view request,
                                      std::string_view form) {
  const std::string answer = program_.Ask(line, limit, request);
  std::vector<std::string> words = Words(answer);
  ThrowIfError(answer);
  const auto expected = std::count(form.begin(), form.end(), ' ') + 1;
  if (words.size() != static_cast<std::size_t>(expected) || words[0] != "ok") FailForm(answer, request, form);
  words.erase(words.begin());
  return words;
}

Nanos Adapter::TimeOf(const std::string& word, std::string_view request, std::string_view form) {
  std::int64_t count = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  const bool whole = error == std::errc() && end == word.data() + word.size();
  if (!whole || count < 0 || Nanos{count} > kLongestTime) FailForm("ok " + word, request, form);
  return Nanos{count};
}

Nanos Adapter::Load(std::int64_t handle, std::int64_t batch, const std::string& model) {
  constexpr std::string_view kRequest = "the answer to load", kForm = "ok NANOSECONDS";
  if (model.find_first_of("\r\n") != std::string::npos) {
    throw InputError(who_ + ": the name of model " + Quoted(model) + " does not fit a line");
  }
  const std::string line = "load " + std::to_string(handle) + " " + std::to_string(batch) + " " + model;
  return TimeOf(Ask(line, limits_.load, kRequest, kForm)[0], kRequest, kForm);
}

AdapterRun Adapter::Run(std::int64_t handle, std::int64_t count) {
  constexpr std::string_view kRequest = "the answer to run", kForm = "ok NANOSECONDS HASH";
  const auto words =
      Ask("run " + std::to_string(handle) + " " + std::to_string(count), limits_.run, kRequest, kForm);
  if (!IsHash(words[1])) FailForm("ok " + words[0] + " " + words[1], kRequest, kForm);
  return {TimeOf(words[0], kRequest, kForm), words[1]};
}

void Adapter::Unload(std::int64_t handle) {
  constexpr std::string_view kRequest = "the answer to unload", kForm = "ok NANOSECONDS";
  TimeOf(Ask("unload " + std::to_string(handle), limits_.run, kRequest, kForm)[0], kRequest, kForm);
}

}  // namespace tandem
