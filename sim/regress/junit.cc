#include <map>

#include "profiles/base/markup.h"
#include "sim/regress/reports.h"

namespace tandem {
namespace {

std::string Attribute(std::string_view name, std::string_view text) {
  return " " + std::string(name) + "=\"" + ShownXmlText(text) + "\"";
}

std::string CaseXml(const Regression& regression, const FigureChange& change) {
  std::string text = "    <testcase" + Attribute("classname", change.scenario + "." + change.PolicyText()) +
                     Attribute("name", change.figure.Text()) + Attribute("time", "0");
  const std::string said = ChangeText(change);
  const std::string verdict(NameOf(kVerdictNames, change.verdict));
  if (regression.Fails(change)) {
    const std::string tag = change.verdict == Verdict::kMissing ? "error" : "failure";
    return text + ">\n      <" + tag + Attribute("message", said) + Attribute("type", verdict) + ">" +
           ShownXmlText(change.why) + "</" + tag + ">\n    </testcase>\n";
  }
  if (change.verdict == Verdict::kSame) return text + "/>\n";
  return text + ">\n      <system-out>" + ShownXmlText(verdict + ": " + said) +
         "</system-out>\n    </testcase>\n";
}

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0;

  std::string Counts() const {
    return Attribute("tests", std::to_string(tests)) + Attribute("failures", std::to_string(failures)) +
           Attribute("errors", std::to_string(errors));
  }
};

void AddCase(const Regression& regression, const FigureChange& change, Suite& suite) {
  ++suite.tests;
  const bool missing = change.verdict == Verdict::kMissing;
  suite.errors += missing ? 1 : 0;
  suite.failures += !missing && regression.Fails(change) ? 1 : 0;
}

}  // namespace

std::string JunitXml(const Regression& regression) {
  std::map<std::string, Suite> suites;  // by baseline
  Suite all;
  for (const FigureChange& change : regression.figures) {
    Suite& suite = suites[change.baseline];
    suite.cases += CaseXml(regression, change);
    AddCase(regression, change, suite);
    AddCase(regression, change, all);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                     Attribute("name", "tandem regress") + all.Counts() + ">\n";
  for (const auto& [name, suite] : suites) {
    text +=
        "  <testsuite" + Attribute("name", name) + suite.Counts() + ">\n" + suite.cases + "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace tandem
