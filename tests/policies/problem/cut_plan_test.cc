// Does a plan that cuts models itself mean what the semantics page says: parts of layers, modes per edge, and
// what is refused?
#include <gtest/gtest.h>

#include "policies/engine/virtual_runner.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// in -> conv -> relu -> drop -> fc; 256 elements a layer: a microsecond over the link. u1 has a memory of its
// own.
JsonScenario Chain(const std::string& scenario = "", const std::string& profile = "") {
  std::string entries;
  for (const auto& [unit, us] : {std::pair("u0", "8"), std::pair("u1", "4")}) {
    for (const char* layer : {"conv", "relu", "fc"}) {
      entries += std::string(entries.empty() ? "" : ", ") + R"({"model": "m0.json", "unit": ")" + unit +
                 R"(", "layers": [")" + layer + R"("], "median_us": )" + us + "}";
    }
  }
  return {R"("memories": [{"name": "dram"}, {"name": "vram"}],
             "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
             "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                       {"name": "u1", "kind": "gpu", "memory": "vram"}])",
          R"("entries": [)" + entries + "]" + profile,
          {R"([{"name": "in", "op": "input", "shape": [1, 4, 8, 8]},
               {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 4, "kernel": [1, 1]},
               {"name": "relu", "op": "relu", "inputs": ["conv"]},
               {"name": "drop", "op": "dropout", "inputs": ["relu"]},
               {"name": "fc", "op": "fc", "inputs": ["drop"], "out_features": 256}])"},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])" +
              scenario};
}

class ChosenCut : public testing::Test {
 protected:
  explicit ChosenCut(const JsonScenario& json = Chain()) : scenario_(json.Read()) {}

  LayerId Layer(const std::string& name) const { return scenario_.models[0].model->Find(name); }
  CutPiece Piece(const std::vector<std::string>& names, std::optional<LayerPart> part = {}) const {
    CutPiece piece{{}, part};
    for (const std::string& name : names) piece.layers.push_back(Layer(name));
    return piece;
  }
  static LayerPart Channels(std::int64_t first, std::int64_t end) {
    return {SplitAxis::kChannels, first, end};
  }
  static LayerPart Rows(std::int64_t first, std::int64_t end) { return {SplitAxis::kRows, first, end}; }
  EdgeMode Edge(const std::string& from, const std::string& to, TransferMode mode) const {
    return {ModelId(0), 1, Layer(from), to.empty() ? LayerId() : Layer(to), mode};
  }

  Problem Make(std::vector<CutPiece> pieces, std::vector<EdgeMode> edges = {}) const {
    CutPlan cuts;
    if (!pieces.empty()) cuts.cuts.push_back({ModelId(0), 1, std::move(pieces)});
    cuts.edges = std::move(edges);
    return Problem(scenario_, Granularity::kLayer, std::make_shared<CutPlan>(std::move(cuts)));
  }
  // Without the file's name before it.
  std::string Error(std::vector<CutPiece> pieces, std::vector<EdgeMode> edges = {}) const {
    const std::string error = ErrorOf([&] { Make(std::move(pieces), std::move(edges)); });
    const std::string file = scenario_.file + ": ";
    return error.starts_with(file) ? error.substr(file.size()) : error;
  }

  // `units`: per unit the segments that it runs, in order.
  Lines Run(Problem problem, const std::vector<std::vector<std::int32_t>>& units) const {
    FixedSchedule schedule;
    for (const auto& segments : units) {
      schedule.units.emplace_back();
      for (const std::int32_t s : segments) schedule.units.back().push_back({StreamId(0), s, 1, 0, 1});
    }
    const Decisions decisions{problem.granularity(),
                              problem.cut_plan(),
                              {},
                              nullptr,
                              std::make_shared<FixedSchedule>(std::move(schedule))};
    const Prepared made = MakeDecided(decisions, problem);
    SpanLines seen;
    RunOptions options;
    options.spans = &seen;
    RunVirtual(*made.problem, *made.policy, options);
    return seen.lines();
  }

  Scenario scenario_;
};

TEST_F(ChosenCut, GroupsLayersAsThePlanSaysAndFreeOnesGoWithWhatTheyRead) {
  const Problem problem = Make({Piece({"fc"}), Piece({"conv", "relu"})});
  ASSERT_EQ(problem.segments().size(), 2U);
  EXPECT_EQ(problem.segment(SegmentId(0)).layers, Piece({"conv", "relu", "drop"}).layers);
  EXPECT_EQ(problem.segment(SegmentId(1)).layers, Piece({"fc"}).layers);
  EXPECT_EQ(problem.Time(SegmentId(0), UnitId(0)), Nanos{16000})
      << "as the layers apart, without a fused entry";
}

TEST_F(ChosenCut, AFreeLayerBehindASplitGoesWithWhatReadsIt) {
  const Problem problem = Make(
      {Piece({"conv"}), Piece({"relu"}, Channels(0, 1)), Piece({"relu"}, Channels(1, 4)), Piece({"fc"})});
  ASSERT_EQ(problem.segments().size(), 4U);
  EXPECT_EQ(problem.segment(SegmentId(3)).layers, Piece({"drop", "fc"}).layers);
}

TEST_F(ChosenCut, OfAllLayersInOnePieceIsTheWholeModel) {
  EXPECT_TRUE(Make({Piece({"conv", "relu", "drop", "fc"})}).segment(SegmentId(0)).layers.empty());
}

TEST_F(ChosenCut, PartsReadAllThatTheLayerReadsAndTheNextReadsAllParts) {
  const Problem problem =
      Make({Piece({"conv"}), Piece({"relu"}, Rows(0, 3)), Piece({"relu"}, Rows(3, 8)), Piece({"fc"})});
  const Cut& cut = problem.cut(StreamId(0));
  ASSERT_EQ(cut.segments, 4);
  for (const std::size_t part : {1U, 2U}) {
    const Segment& segment = problem.segment(SegmentId(part));
    ASSERT_EQ(segment.reads.size(), 1U);
    EXPECT_EQ(cut.tensors[static_cast<std::size_t>(segment.reads[0])].elements, 256);
    ASSERT_EQ(segment.makes.size(), 1U);
    EXPECT_EQ(cut.tensors[static_cast<std::size_t>(segment.makes[0])].elements, part == 1 ? 96 : 160);
  }
  EXPECT_EQ(problem.segment(SegmentId(3)).reads.size(), 2U);
  EXPECT_EQ(problem.segment(SegmentId(3)).waits_for, 2);
  EXPECT_EQ(problem.Time(SegmentId(1), UnitId(0)), Nanos{3000}) << "its share";
  EXPECT_TRUE(problem.Estimated(SegmentId(1), UnitId(0)));
  EXPECT_FALSE(problem.Estimated(SegmentId(0), UnitId(0)));
  EXPECT_EQ(problem.NameOf(SegmentId(2)), "rows 3-7 of layer \"relu\" of model \"m0.json\"");
}

TEST_F(ChosenCut, PartsRunAtOnceAndTheirOutputsAreBroughtTogether) {
  const Problem problem = Make(
      {Piece({"conv"}), Piece({"relu"}, Channels(0, 2)), Piece({"relu"}, Channels(2, 4)), Piece({"fc"})});
  EXPECT_EQ(Run(problem, {{0, 1, 3}, {2}}),
            (Lines{"u0 compute #0 0-8000", "u1 transfer #0 8000-9000", "u1 compute #0 9000-11000",
                   "u0 compute #0 8000-12000", "u0 transfer #0 12000-12500", "u0 compute #0 12500-20500"}));
}

TEST_F(ChosenCut, ThatDoesNotMakeUpTheModelIsRefused) {
  EXPECT_EQ(Error({Piece({"conv", "relu"})}), R"(layer "fc" of model "m0" is in no task)");
  EXPECT_EQ(Error({Piece({"conv", "relu"}), Piece({"relu", "fc"})}),
            R"(layer "relu" of model "m0" is in two tasks)");
  EXPECT_EQ(Error({Piece({"conv"}), Piece({"conv"}), Piece({"relu", "fc"})}),
            R"(layer "conv" of model "m0" is in two tasks)");
  EXPECT_EQ(Error({Piece({"in", "conv"}), Piece({"relu", "fc"})}),
            R"(layer "in" of model "m0" is an input, it is not run)");
  EXPECT_EQ(Error({Piece({}), Piece({"conv", "relu", "fc"})}), R"(a task of model "m0" has no layers)");
  EXPECT_EQ(Error({Piece({"conv", "fc"}), Piece({"relu"})}),
            R"(tasks of model "m0" need each other's outputs)");
}

TEST_F(ChosenCut, PartsThatDoNotMakeUpTheirLayerAreRefused) {
  const auto error = [&](std::vector<CutPiece> parts) {
    parts.push_back(Piece({"relu", "fc"}));
    return Error(std::move(parts));
  };
  EXPECT_EQ(
      error({Piece({"conv"}, Channels(0, 2)), Piece({"conv"}, Channels(3, 4))}),
      R"(the parts of layer "conv" of model "m0" do not follow each other: the next one has to begin at 2 along channels)");
  EXPECT_EQ(
      error({Piece({"conv"}, Channels(0, 2)), Piece({"conv"}, Channels(1, 4))}),
      R"(the parts of layer "conv" of model "m0" do not follow each other: the next one has to begin at 2 along channels)");
  EXPECT_EQ(error({Piece({"conv"}, Rows(0, 2)), Piece({"conv"}, Rows(2, 7))}),
            R"(the parts of layer "conv" of model "m0" make up 7 of 8 along rows)");
  EXPECT_EQ(error({Piece({"conv"}, Rows(0, 2)), Piece({"conv"}, Rows(2, 9))}),
            R"(the parts of layer "conv" of model "m0" make up 9 of 8 along rows)");
  EXPECT_EQ(
      error({Piece({"conv"}, Rows(0, 2)), Piece({"conv"}, Channels(2, 4))}),
      R"(the parts of layer "conv" of model "m0" do not follow each other: the next one has to begin at 2 along rows)");
  EXPECT_EQ(
      error({Piece({"conv"}, Rows(0, 2)), Piece({"conv"})}),
      R"(the parts of layer "conv" of model "m0" do not follow each other: the next one has to begin at 2 along rows)");
  EXPECT_EQ(Error({Piece({"conv", "relu"}), Piece({"fc"}, Rows(0, 1)), Piece({"fc"}, Rows(1, 2))}),
            R"(layer "fc" of model "m0" cannot be split along rows)");
}

TEST_F(ChosenCut, EdgesThatAreNotThereAreRefused) {
  EXPECT_EQ(Error({}, {Edge("conv", "fc", TransferMode::kNone)}),
            R"(layer "fc" does not read layer "conv" of model "m0.json")");
  EXPECT_EQ(Error({}, {Edge("conv", "", TransferMode::kNone)}),
            R"(layer "conv" of model "m0.json" is no output of the model: name the layer that reads it)");
  EdgeMode edge = Edge("conv", "relu", TransferMode::kNone);
  edge.batch = 2;
  EXPECT_EQ(Error({}, {edge}), R"(no stream runs model "m0.json" in batches of 2)");
}

TEST_F(ChosenCut, AnEdgeHasAModeOfItsOwn) {
  const std::vector<std::vector<std::int32_t>> units = {{0, 2}, {1}};
  EXPECT_EQ(Run(Make({}), units),
            (Lines{"u0 compute #0 0-8000", "u1 transfer #0 8000-9000", "u1 compute #0 9000-13000",
                   "u0 transfer #0 13000-14000", "u0 compute #0 14000-22000"}));
  const auto free_in = Edge("conv", "relu", TransferMode::kNone);
  EXPECT_EQ(Run(Make({}, {free_in}), units),
            (Lines{"u0 compute #0 0-8000", "u1 compute #0 8000-12000", "u0 transfer #0 12000-13000",
                   "u0 compute #0 13000-21000"}));
  const auto free_out = Edge("drop", "fc", TransferMode::kNone);
  EXPECT_EQ(Run(Make({}, {free_in, free_out}), units),
            (Lines{"u0 compute #0 0-8000", "u1 compute #0 8000-12000", "u0 compute #0 12000-20000"}));
  const auto back = Edge("fc", "", TransferMode::kNone);
  EXPECT_EQ(Run(Make({}, {back}), {{}, {0, 1, 2}}).size(), 4U) << "the input comes in, nothing goes back";
}

// Part of a layer's time is what starting it takes more than starting a task.
class SplitDispatch : public ChosenCut {
 protected:
  SplitDispatch()
      : ChosenCut(Chain(R"(, "transfer": "none")", R"(, "parts": [
          {"model": "m0.json", "unit": "u0", "layers": ["relu"], "size": 2, "median_us": 5}],
          "dispatch": [{"unit": "u0", "median_us": 1}, {"unit": "u0", "split": true, "median_us": 3},
                       {"unit": "u1", "median_us": 2}, {"unit": "u1", "split": true, "median_us": 1}])")) {}
};

TEST_F(SplitDispatch, IsPaidByPartsInPlaceOfATasks) {
  const Problem problem = Make(
      {Piece({"conv"}), Piece({"relu"}, Channels(0, 2)), Piece({"relu"}, Channels(2, 4)), Piece({"fc"})});
  EXPECT_EQ(problem.Dispatch(UnitId(0)), Nanos{1000});
  EXPECT_EQ(problem.Time(SegmentId(1), UnitId(0)), Nanos{7000}) << "5 measured, 3 instead of 1 to start it";
  EXPECT_FALSE(problem.Estimated(SegmentId(1), UnitId(0)));
  EXPECT_EQ(problem.Time(SegmentId(2), UnitId(1)), Nanos{2000}) << "never less than a task's";
  EXPECT_EQ(problem.Time(SegmentId(0), UnitId(0)), Nanos{8000});
}

// in -> a, b, c on a memory of their own: how each of them gets the same input.
class SharedInput : public ChosenCut {
 protected:
  SharedInput() : ChosenCut(Fork()) {}
  static JsonScenario Fork() {
    const auto time = [](const char* unit, const char* layer, bool mapped, int us) {
      return std::string(R"({"model": "m0.json", "unit": ")") + unit + R"(", "layers": [")" + layer +
             R"("], "mapped": )" + (mapped ? "true" : "false") + R"(, "median_us": )" + std::to_string(us) +
             "}";
    };
    return {R"("memories": [{"name": "dram"}, {"name": "vram"}],
               "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 256000000}],
               "units": [{"name": "u0", "kind": "cpu", "memory": "vram"},
                         {"name": "u1", "kind": "gpu", "memory": "vram"}])",
            R"("entries": [)" + time("u0", "a", false, 10) + "," + time("u1", "b", false, 5) + "," +
                time("u1", "b", true, 6) + "," + time("u1", "c", false, 5) + "," + time("u1", "c", true, 7) +
                "]",
            {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]},
                 {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "relu", "inputs": ["in"]},
                 {"name": "c", "op": "relu", "inputs": ["in"]}])"},
            R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"};
  }
  std::vector<EdgeMode> FreeOutputs() const {
    return {Edge("a", "", TransferMode::kNone), Edge("b", "", TransferMode::kNone),
            Edge("c", "", TransferMode::kNone)};
  }
};

TEST_F(SharedInput, IsBroughtInOnceAndASecondReaderWaits) {
  EXPECT_EQ(Run(Make({}, FreeOutputs()), {{0}, {1, 2}}),
            (Lines{"u0 transfer #0 0-4000", "u1 compute #0 4000-9000", "u0 compute #0 4000-14000",
                   "u1 compute #0 9000-14000"}));
}

TEST_F(SharedInput, IsReadThroughTheMappingUntilACopyIsThere) {
  std::vector<EdgeMode> edges = FreeOutputs();
  edges.push_back(Edge("in", "b", TransferMode::kZeroCopy));
  edges.push_back(Edge("in", "c", TransferMode::kZeroCopy));
  EXPECT_EQ(Run(Make({}, edges), {{0}, {1, 2}}),
            (Lines{"u0 transfer #0 0-4000", "u1 compute #0 0-6000", "u1 compute #0 6000-11000",
                   "u0 compute #0 4000-14000"}))
      << "b does not wait for a's copy; by then c finds it there";
}

TEST_F(SharedInput, ThatCostsNothingForOneIsStillCopiedForAnother) {
  std::vector<EdgeMode> edges = FreeOutputs();
  edges.push_back(Edge("in", "a", TransferMode::kNone));
  edges.push_back(Edge("in", "b", TransferMode::kNone));
  EXPECT_EQ(Run(Make({}, edges), {{0}, {1, 2}}),
            (Lines{"u1 compute #0 0-5000", "u1 transfer #0 5000-9000", "u0 compute #0 0-10000",
                   "u1 compute #0 9000-14000"}));
}

TEST_F(SharedInput, OfSeveralEdgesAboutOneTheLastCounts) {
  std::vector<EdgeMode> edges = FreeOutputs();
  edges.push_back(Edge("in", "a", TransferMode::kZeroCopy));
  edges.push_back(Edge("in", "a", TransferMode::kNone));
  EXPECT_EQ(Make({}, edges).segment(SegmentId(0)).modes, std::vector{TransferMode::kNone});
}

// A memory that no link reaches is of use as long as nothing has to be copied.
class NoLink : public ChosenCut {
 protected:
  NoLink() : ChosenCut(Unlinked()) {}
  static JsonScenario Unlinked() {
    JsonScenario json = Chain(R"(, "transfer": "none")");
    json.platform = R"("memories": [{"name": "dram"}, {"name": "vram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "vram"}])";
    return json;
  }
};

TEST_F(NoLink, ToAMemoryTakesAwayWhatACopyComesTo) {
  const Problem problem = Make({}, {Edge("conv", "relu", TransferMode::kCopy)});
  EXPECT_FALSE(problem.Runs(SegmentId(0), UnitId(1))) << "what it makes could not be fetched";
  EXPECT_FALSE(problem.Runs(SegmentId(1), UnitId(1)));
  EXPECT_TRUE(problem.Runs(SegmentId(2), UnitId(1)));
}

}  // namespace
}  // namespace tandem
