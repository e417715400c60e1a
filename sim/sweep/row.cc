#include "sim/sweep/row.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <system_error>
#include <tuple>

#include "profiles/base/fields.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/version.h"
#include "sim/sweep/json_values.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

CodecOf<std::vector<double>> Ends() {
  return as::ListOf(as::Number(std::numeric_limits<double>::lowest()), {.least = 2, .most = 2});
}

const Fields<SweepRow>& RowFields() {
  using R = SweepRow;
  static const auto fields =
      Fields<R>("sweep_row", "what one run of a sweep came to; a line of a file of rows")
          .Kind("sweep_row/1")
          .Needed("key", &R::key, as::Words(), "Of all that the run depends on.")
          .Needed("version", &R::version, as::Words(), "Of tandem.")
          .Needed("engine", &R::engine, as::WordOf({"simgrid", "virtual", "fluid"}))
          .Needed("point", &R::point, as::MapOf(as::AnyValue()), "The axes' values, by name.")
          .Needed("policy", &R::policy, as::Text())
          .Needed("status", &R::status, as::OneOf(kRowStatusNames, "status"))
          .Needed("message", &R::message, as::TextOrNull(), "Why there are no figures.")
          .Optional("beside", &R::beside, as::Boolean(),
                    "Clairvoyant where requests are still to come: never the winner.")
          .Optional("breaks_limits", &R::breaks_limits, as::Boolean(), "Of the scenario: not the winner.")
          .Needed("figures", &R::figures, as::MapOf(as::Number(std::numeric_limits<double>::lowest())),
                  "What the run can tell.")
          .Optional("intervals", &R::intervals, as::MapOf(Ends()),
                    "Of figures that are drawn, between what they lie: [low, high].")
          .Optional("interval_why", &R::interval_why, as::Words(), "Why there are none.")
          .Optional("medians", &R::medians, as::MapOf(as::Number(std::numeric_limits<double>::lowest())),
                    "Of figures that are drawn, over the draws: what rows are compared by.")
          .Optional("drawn", &R::drawn, as::ListOf(as::Number(std::numeric_limits<double>::lowest())),
                    "What the sweep's objective came to, draw by draw.")
          .Optional("excesses", &R::excesses, as::ListOf(as::Number(0)),
                    "By how much the scenario's limits are broken, draw by draw.")
          .Optional("probability_why", &R::probability_why, as::Words(),
                    "Why nobody knows how surely it wins by its draws.")
          .Optional("unknown", &R::unknown, as::Number(0),
                    "Without draws: how far off its times may be, as a share, as far as its profiles say; "
                    "absent: nobody knows.");
  return fields;
}

const FileKindRegistration kRowKind{{"sweep_row/1", AsAnyFields<SweepRow, RowFields>}};

// Nothing: the line is no JSON, since whoever wrote it was killed over it.
std::optional<SweepRow> RowOf(std::string_view line, const std::string& place) {
  std::optional<JsonDocument> document;
  try {
    document.emplace(JsonDocument::Parse(line, place));
  } catch (const InputError&) {
    return std::nullopt;
  }
  return RowFields().Read(document->root());
}

void CheckVersion(const SweepRow& row, const std::string& place) {
  if (row.version == Version()) return;
  throw InputError(place + ": a row of tandem " + row.version + ", and this is " + std::string(Version()) +
                   "; rows of two versions are not compared: another folder for these");
}

// Ok before all others, and else the same one whatever the order of files.
bool IsBetter(const SweepRow& row, const SweepRow& than) {
  const bool ok = row.status == RowStatus::kOk, than_ok = than.status == RowStatus::kOk;
  return ok != than_ok ? ok : std::tie(row.status, row.message) < std::tie(than.status, than.message);
}

// Of one key and one version every figure is the same, whoever made the row: else one of the files is
// damaged.
void CheckSame(const SweepRow& row, const SweepRow& known, const std::string& place) {
  if (row.status != RowStatus::kOk || known.status != RowStatus::kOk) return;
  if (row.figures == known.figures && row.medians == known.medians && row.drawn == known.drawn) return;
  throw InputError(
      place + ": run " + Quoted(row.key) +
      " has other figures here than in another row of the folder, and runs are made alike: one of "
      "them is damaged; remove its line, or that file, and the run is made again");
}

void ReadRowFile(const fs::path& file, std::map<std::string, SweepRow>& rows) {
  ExpectRegularFile(file);
  const std::string text = ReadTextFile(file);
  std::string_view rest = text;
  for (std::int64_t number = 1;; ++number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return;  // a last line without an end is torn
    const std::string place = file.string() + ":" + std::to_string(number);
    auto row = RowOf(rest.substr(0, end), place);
    rest.remove_prefix(end + 1);
    if (!row) continue;
    CheckVersion(*row, place);
    const auto [known, is_new] = rows.try_emplace(row->key, *row);
    if (!is_new) CheckSame(*row, known->second, place);
    if (!is_new && IsBetter(*row, known->second)) known->second = std::move(*row);
  }
}

}  // namespace

std::string RowText(const SweepRow& row) { return RowFields().Text(row); }

std::map<std::string, SweepRow> ReadRows(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(kRowsSuffix)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, SweepRow> rows;
  for (const fs::path& file : files) ReadRowFile(file, rows);
  return rows;
}

}  // namespace tandem
