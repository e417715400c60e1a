// Room profiles/dumps: from the rows of other tools to a profile, a reader a file.
//
// Timing dumps of other tools (trtexec, ONNX Runtime, caffe, OpenVINO), row by row, before it is known which
// layers of a model their names mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

struct DumpRow {
  std::string name;   // as in the dump
  std::string place;  // "dump.json:/3", "log.txt:12"
  Timing time;
  // What the name says that the row runs: names of layers, in order. "a...b" is all layers from a to b.
  std::vector<std::string> parts;
  // A row that only copies: the row, or the tensor, that it does so for. It then has no parts.
  std::string serves_row;
  std::string serves_tensor;
  // False: the tool says that it left this one out; the time is then 0.
  bool executed = true;
};

// A whole model's time, from a tool that knows no layers.
struct WholeModelRow {
  std::string model;             // as the tool calls it; empty: it does not say
  std::int64_t batch = 0;        // 0: it does not say
  std::int64_t in_flight = 0;    // requests at a time; 0: it does not say
  bool with_waiting = false;     // is the time what a client saw, with all that waited beside it?
  std::string statistic, place;  // "p50 latency", "perf.csv:2"
  Timing time;
};

struct ProfileDump {
  std::string tool;       // "trtexec --exportProfile"
  std::string statistic;  // of the rows: "medians of 250 runs"
  std::vector<DumpRow> rows;
  std::optional<Timing> end_to_end;       // of one run, where the tool timed it apart from the rows
  std::vector<WholeModelRow> whole = {};  // instead of rows
};

using RowNames = std::set<std::string, std::less<>>;

// What is asked of a tool that records all that a program did, among it a model's layers under names.
struct DumpQuestion {
  std::string model = {};  // its name
  RowNames names = {};     // of its layers, and what the map explains
  RowNames left_out = {};  // of these, what the map leaves out
  std::string range = {};  // what is around one inference; empty: the tool's reader finds out
  std::optional<std::int64_t> device = {};  // of several that did such work
};

// Of all runs: the samples' sum where there are samples.
Nanos TotalOf(const Timing& timing);

// One format. Each registers itself from its own file, profiles/dumps/<format>.cc.
struct DumpFormat {
  std::string name;                                                // "trtexec"
  bool (*recognises)(std::string_view text);                       // by the first bytes; never throws
  ProfileDump (*read)(std::string text, const std::string& file);  // throws InputError
  // In place of `read` where the tool records more than a model's layers.
  ProfileDump (*read_asked)(std::string text, const std::string& file, const DumpQuestion& asked) = nullptr;
};
struct DumpFormatRegistration {
  explicit DumpFormatRegistration(DumpFormat format);
};

std::vector<std::string> DumpFormatNames();

// `format` may be empty: guessed from the content. Throws InputError that lists the formats where none fits.
ProfileDump ReadProfileDump(const std::filesystem::path& file, std::string_view format = {},
                            const DumpQuestion& asked = {});
ProfileDump ParseProfileDump(std::string text, const std::string& name, std::string_view format = {},
                             const DumpQuestion& asked = {});

// For the readers. Milliseconds as a tool prints them, rounded to the nanosecond; throws InputError at
// `place` where it is no number, negative or beyond all reason.
Nanos DumpMillis(std::string_view text, const std::string& place);
Nanos DumpNanos(double nanoseconds, const std::string& place);
std::string_view Trimmed(std::string_view text);
RowNames NamesOf(const std::vector<DumpRow>& rows);
// The longest of `names` that `text` ends with, after a '_'; empty where there is none.
std::string_view NameAtEnd(std::string_view text, const RowNames& names);

}  // namespace tandem
