#include "profiles/program/outputs.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/program.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kHead = 4096;  // bytes by which a file that is no JSON is known

// What a file that is there says of itself.
struct Existing {
  std::string kind;  // "plan/1"; empty: it says none
  bool measured = false;
  std::string head;  // its first bytes
  std::int64_t bytes = 0;
};

// Looks for the kind, and for what says "measured" in a profile and in a trace; nothing of the file is kept,
// as traces are large.
class KindFinder : public nlohmann::json_sax<Json> {
 public:
  explicit KindFinder(Existing& found) : found_(found) {}

  bool null() override { return true; }
  bool boolean(bool value) override {
    if (value && At({"traceEvents", "args", "measured"})) found_.measured = true;
    return true;
  }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override {
    if (At({"tandem"})) found_.kind = value;
    if (At({"origin", "kind"}) && value == "measured") found_.measured = true;
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    keys_.back() = name;
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  bool At(std::initializer_list<std::string_view> keys) const {
    return std::equal(keys_.begin(), keys_.end(), keys.begin(), keys.end());
  }

  Existing& found_;
  std::vector<std::string> keys_;  // of the objects that are open
};

std::string HeadOf(const fs::path& file) {
  std::string head(kHead, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(head.data(), kHead);
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

// Nothing where there is no file, or an empty one, or none that is replaced (a device, a pipe).
std::optional<Existing> LookAt(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (error || bytes == 0) return std::nullopt;
  Existing found;
  found.bytes = static_cast<std::int64_t>(bytes);
  found.head = HeadOf(file);
  std::ifstream stream(file, std::ios::binary);
  KindFinder finder(found);
  // Text that ends or breaks somewhere is nobody's file of ours, whatever it began with.
  if (!Json::sax_parse(stream, &finder)) found.kind.clear();
  const auto holds = [&](std::string_view kind) { return found.kind.starts_with(kind); };
  if (holds("run-result/") || holds("profile-samples/")) found.measured = true;
  return found;
}

bool IsOfKind(const Existing& existing, const OutputKind& kind) {
  if (kind.bytes) return existing.kind.empty() && existing.bytes == *kind.bytes;
  return kind.begins != nullptr ? kind.begins(existing.head) : existing.kind == kind.name;
}

bool IsSameFile(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  const auto place = [&](const fs::path& file) {  // of one that is not there yet
    return fs::weakly_canonical(fs::absolute(BehindLinks(file)), error);
  };
  return place(a) == place(b);
}

void RefuseInputs(const Output& output) {
  std::error_code error;
  if (!fs::exists(output.file, error)) return;
  for (const fs::path& input : FilesRead()) {
    if (!fs::equivalent(input, output.file, error) || error) continue;
    throw InputError(output.file.string() + ": is an input of this command, which " + output.option +
                     " would overwrite; give " + output.option + " another file");
  }
}

void RefuseLoss(const Output& output) {
  const std::optional<Existing> existing = LookAt(output.file);
  if (!existing) return;
  const std::string file = output.file.string();
  std::string kind(output.kind.name);
  if (existing->measured) {
    throw InputError(file + ": holds measurements, which " + output.option +
                     " would replace; --force does it");
  }
  if (IsOfKind(*existing, output.kind)) return;
  std::string is = existing->kind.empty() ? "a file that is not tandem's" : existing->kind;
  if (output.kind.bytes) {
    if (existing->kind.empty()) is = "a file of " + std::to_string(existing->bytes) + " bytes";
    kind += " of " + std::to_string(*output.kind.bytes) + " bytes";
  }
  throw InputError(file + ": is " + is + ", which " + output.option + " would replace by " + kind +
                   "; --force does it");
}

void RefuseTwice(const Output& a, const Output& b) {
  const bool a_streams = IsStandardStream(a.file), b_streams = IsStandardStream(b.file);
  if (a_streams && b_streams) {
    throw InputError(b.option + ": standard output takes one file, and " + a.option + " writes there too");
  }
  if (a_streams || b_streams || !IsSameFile(a.file, b.file)) return;
  throw InputError(b.file.string() + ": " + a.option + " and " + b.option + " cannot both write it");
}

}  // namespace

Outputs::Outputs(std::vector<Output> outputs, bool force, bool json) : outputs_(std::move(outputs)) {
  std::erase_if(outputs_, [](const Output& output) { return output.file.empty(); });
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) RefuseTwice(outputs_[k], outputs_[i]);
  }
  for (const Output& output : outputs_) {
    if (IsStandardStream(output.file)) {
      if (!json) continue;
      throw InputError(output.option + ": standard output takes one result, and --json prints there too");
    }
    RefuseInputs(output);
    if (!force) RefuseLoss(output);
  }
}

bool Outputs::ToStandardOutput() const {
  for (const Output& output : outputs_) {
    if (IsStandardStream(output.file)) return true;
  }
  return false;
}

void Outputs::Say(std::string_view text) const { ToStandardOutput() ? WriteNote(text) : WriteOutput(text); }

}  // namespace tandem
