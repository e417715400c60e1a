// What became of a baseline, for people and for the tools of a pipeline. All texts are whole: whoever writes
// them to files does so at once.
#pragma once

#include <string>

#include "sim/regress/regress.h"

namespace tandem {

// For a terminal. `updated`: the baselines are rewritten, and what changed is shown.
std::string RegressionText(const RegressResult& result, bool updated, std::size_t width);
std::string RegressionJson(const RegressResult& result);  // file kind "regression/1"

// "4 worse, 1 better, 20 as they were".
std::string VerdictCounts(const Regression& regression);
// "makespan_ns 4048.3 ms -> 4100 ms (+1.3 %, allowed 0)".
std::string ChangeText(const FigureChange& change);

// JUnit's XML: a test case per scenario, policy and figure.
std::string JunitXml(const Regression& regression);

// GitHub's workflow commands: annotations for the ten worst, then how many more there are.
std::string GithubAnnotations(const Regression& regression);
// A table in Markdown, of at most `most` bytes.
std::string GithubSummary(const Regression& regression, std::size_t most);
// Appends it to the file that GITHUB_STEP_SUMMARY names, which stays below 1 MiB. Throws EnvironmentError.
void AppendGithubSummary(const Regression& regression);

// OpenMetrics' text format, ending in "# EOF".
std::string OpenMetrics(const Regression& regression);

// [{"name", "unit", "value", "range"}]: what github-action-benchmark (customSmallerIsBetter) and Bencher
// read. Figures of which more is better, and those that are no numbers, are left out.
std::string BenchmarkJson(const Regression& regression);

// A line per number that CTest takes for a measurement of the test that prints it.
std::string CtestMeasurements(const Regression& regression);

}  // namespace tandem
