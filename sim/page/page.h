// Room sim/page: results as one page of HTML that needs nothing else: no network, no other file.
//
// The page is its template (page.html), style and scripts, which are shipped as they stand in assets/, and
// the results as JSON, which the scripts draw. What the scripts show is what the JSON says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/json_reader.h"
#include "profiles/program/outputs.h"
#include "scenarios/trace/read.h"

namespace tandem {

struct Page {
  std::string title;
  std::string command;               // that made it
  std::vector<std::string> results;  // what commands print with --json: an object, or a list of them
  std::vector<std::string> files;    // that hold them, where the page is of several
  std::string predicted;             // what a calibration is held against: a list of report/1; or empty
  std::vector<std::string> taken;    // for want of knowledge, a sentence each
  std::string platform;              // platform/1; empty: no board is drawn
  std::optional<Trace> trace;        // nothing: no timeline
};

inline constexpr OutputKind kHtmlPage = {
    "a page of HTML", [](std::string_view head) { return head.starts_with("<!doctype html>"); }};

// Throws InputError where it is no result that a page shows, and no list of such.
void CheckShown(const JsonReader& results);

// The same bytes for the same page. Throws EnvironmentError where the assets are not there.
std::string PageHtml(const Page& page);

}  // namespace tandem
