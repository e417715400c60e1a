// Are figures found by their names, of all streams and of one, and taken from a report as they stand there?
#include "scenarios/baseline/figure.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tandem {
namespace {

Report TwoStreams() {
  Report report;
  report.makespan = Nanos{4'048'341'000};
  report.throughput_per_s = 74.25;
  report.missed = 3;
  report.latency = LatencySummary{Nanos{10}, Nanos{20}, Nanos{30}, Nanos{40}, Nanos{50}, Nanos{60}};
  report.streams.resize(2);
  report.streams[0].name = "camera";
  report.streams[0].latency = LatencySummary{Nanos{1}, Nanos{2}, Nanos{3}, Nanos{4}, Nanos{5}, Nanos{6}};
  report.streams[1].name = "front.left";
  report.streams[1].dropped = 7;
  return report;
}

FigureValue ValueNamed(const std::string& name, const std::string& winner = "eft") {
  const auto figure = FindFigure(name);
  EXPECT_TRUE(figure) << name;
  return figure ? ValueOf(*figure, TwoStreams(), winner) : FigureValue();
}

TEST(Figures, AreThoseOfTheReport) {
  EXPECT_EQ(ValueNamed("makespan_ns"), FigureValue(4048341000.0));
  EXPECT_EQ(ValueNamed("throughput_per_s"), FigureValue(74.25));
  EXPECT_EQ(ValueNamed("mean_latency_ns"), FigureValue(10.0));
  EXPECT_EQ(ValueNamed("p99_latency_ns"), FigureValue(50.0));
  EXPECT_EQ(ValueNamed("max_latency_ns"), FigureValue(60.0));
  EXPECT_EQ(ValueNamed("missed"), FigureValue(3.0));
  EXPECT_EQ(ValueNamed("bound_ns"), FigureValue()) << "none is known";
  EXPECT_EQ(ValueNamed("energy_j"), FigureValue()) << "the run cannot tell";
  EXPECT_EQ(ValueNamed("winner"), FigureValue("eft"));
  EXPECT_EQ(ValueNamed("winner", ""), FigureValue());
}

TEST(Figures, OfAStreamAreItsOwn) {
  EXPECT_EQ(ValueNamed("streams.camera.p99_latency_ns"), FigureValue(5.0));
  EXPECT_EQ(ValueNamed("streams.front.left.dropped"), FigureValue(7.0)) << "a stream's name may have dots";
  EXPECT_EQ(ValueNamed("streams.front.left.p99_latency_ns"), FigureValue()) << "nothing completed";
  EXPECT_EQ(ValueNamed("streams.nobody.missed"), FigureValue());
}

TEST(Figures, OfAgeAreTheOldestStreams) {
  Report report = TwoStreams();
  EXPECT_EQ(ValueOf(*FindFigure("age"), report, ""), FigureValue()) << "no stream leaves anything out";
  report.streams[0].age = LatencySummary{Nanos{1}, Nanos{2}, Nanos{3}, Nanos{4}, Nanos{9}, Nanos{10}};
  report.streams[1].age = LatencySummary{Nanos{1}, Nanos{2}, Nanos{3}, Nanos{4}, Nanos{7}, Nanos{8}};
  EXPECT_EQ(ValueOf(*FindFigure("p99_age_ns"), report, ""), FigureValue(9.0));
  EXPECT_EQ(ValueOf(*FindFigure("streams.front.left.age"), report, ""), FigureValue(7.0));
}

TEST(Figures, OfWhatIsSkippedAreTheSumOfStreamsThatLeaveRequestsOut) {
  Report report = TwoStreams();
  EXPECT_EQ(ValueOf(*FindFigure("skipped"), report, ""), FigureValue()) << "no stream has `every`";
  report.streams.resize(3);
  report.streams[1].skipped = 0;
  EXPECT_EQ(ValueOf(*FindFigure("skips"), report, ""), FigureValue(0.0));
  report.streams[0].skipped = 4;
  report.streams[1].skipped = 3;
  EXPECT_EQ(ValueOf(*FindFigure("skipped"), report, ""), FigureValue(7.0));
  EXPECT_EQ(ValueOf(*FindFigure("streams.front.left.skips"), report, ""), FigureValue(3.0));
}

TEST(Figures, HaveBriefNamesToo) {
  for (const FigureKind& kind : FigureKinds()) {
    EXPECT_EQ(FindFigure(kind.brief)->Text(), kind.name);
    EXPECT_EQ(FindFigure(kind.name)->Text(), kind.name);
  }
  EXPECT_EQ(FindFigure("streams.a.p99")->Text(), "streams.a.p99_latency_ns");
}

TEST(Figures, OtherNamesAreTold) {
  for (const char* name :
       {"", "p98", "streams.p99", "streams..p99", "streams.a.energy_j", "streams.a.winner"}) {
    EXPECT_FALSE(FindFigure(name)) << name;
  }
  EXPECT_EQ(WhyNoFigure("makespam_ns"), "unknown figure \"makespam_ns\"; did you mean \"makespan_ns\"?");
  EXPECT_EQ(WhyNoFigure("streams.a.p99"),
            "unknown figure \"streams.a.p99\"; did you mean \"streams.a.p99_latency_ns\"?");
  EXPECT_EQ(WhyNoFigure("streams.a.energy_j"), "a stream has no figure \"energy_j\" of its own");
}

TEST(Figures, OfOneStreamAloneAreThoseOfAll) {
  Report report = TwoStreams();
  std::set<std::string> names;
  for (const FigureName& figure : FiguresOf(report)) EXPECT_TRUE(names.insert(figure.Text()).second);
  EXPECT_TRUE(names.count("streams.camera.p99_latency_ns"));
  report.streams.resize(1);
  EXPECT_EQ(FiguresOf(report).size(), FigureKinds().size());
}

TEST(Figures, OfAReportWithDrawsHaveIntervals) {
  Report report = TwoStreams();
  const auto ends = [&report](const char* name) {
    const FigureKind& kind = *FindFigureKind(name);
    const auto interval = kind.drawn ? kind.drawn(report) : std::nullopt;
    return interval ? std::vector{interval->low, interval->high} : std::vector<double>();
  };
  const std::vector<double> none;
  EXPECT_EQ(ends("makespan_ns"), none) << "nothing was drawn";
  ReportDraws& draws = report.draws.emplace();
  draws.makespan = {Nanos{1}, Nanos{2}, Nanos{3}};
  draws.missed = {4, 5, 6};
  draws.energy_j = DrawnFigure<double>{0.5, 0.75, 1};
  EXPECT_EQ(ends("makespan_ns"), (std::vector<double>{1, 3}));
  EXPECT_EQ(ends("missed"), (std::vector<double>{4, 6}));
  EXPECT_EQ(ends("energy_j"), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(ends("p99_latency_ns"), none) << "some draws have no latency";
  draws.latency.emplace();
  draws.latency->low.p99 = Nanos{7};
  draws.latency->high.p99 = Nanos{9};
  EXPECT_EQ(ends("p99_latency_ns"), (std::vector<double>{7, 9}));
  EXPECT_EQ(ends("slowdown"), none) << "some draws do not tell it";
  draws.slowdown = DrawnFigure<double>{1.5, 2, 2.5};
  EXPECT_EQ(ends("slowdown"), (std::vector<double>{1.5, 2.5})) << "whatever the objective is";
  EXPECT_EQ(ends("completed"), none);
  EXPECT_EQ(ends("gap"), none);
}

TEST(Figures, ReadWell) {
  EXPECT_EQ(ValueText(4048341000.0, *FindFigure("makespan")->kind), "4048.341 ms");
  EXPECT_EQ(ValueText(0.3637143720440512, *FindFigure("gap")->kind), "0.363714");
  EXPECT_EQ(ValueText(100.0, *FindFigure("throughput")->kind), "100 1/s");
  EXPECT_EQ(ValueText(2.0, *FindFigure("missed")->kind), "2 requests");
  EXPECT_EQ(ValueText(FigureValue(), *FindFigure("energy")->kind), "-");
  EXPECT_EQ(ValueText("eft", *FindFigure("winner")->kind), "eft");
}

}  // namespace
}  // namespace tandem
