// Is a trace what Chrome's format and formats.md say, byte for byte, and does a table of requests tell what
// became of each?
#include "scenarios/trace/trace.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiles/base/files.h"
#include "profiles/base/json_text.h"
#include "scenarios/trace/fields.h"
#include "scenarios/trace/request_csv.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class TraceFiles : public testing::Test {
 protected:
  TraceFiles() {
    scenario_.name = "two \"streams\"";
    Platform platform;
    platform.name = "board";
    platform.memories = {{"dram", {}, {}}, {"vram", {}, {}}};
    platform.links = {{MemoryId(0), MemoryId(1), Nanos{10}, 1e9, true}};
    platform.units.resize(2);
    platform.units[0].name = "cpu";
    platform.units[0].slots = 2;
    platform.units[1].name = "gpu";
    platform.units[1].memory = MemoryId(1);
    scenario_.platform = platform;
    scenario_.models = {{"net", "net", nullptr}};
    scenario_.streams.resize(1);
    scenario_.streams[0].name = "a, b";
    scenario_.streams[0].model = ModelId(0);
    scenario_.streams[0].deadline = Nanos{5000};
    scenario_.units.resize(2);
    fs::remove(path_);
  }
  ~TraceFiles() override { fs::remove(path_); }

  static TraceRun Run() {
    TraceRun run;
    run.name = "predicted: fcfs";
    run.policy = "fcfs";
    run.engine = "virtual";
    run.residents = {{"net"}, {}};
    run.segments = {{"net", {}, {}}, {"net", {"conv1", "relu1"}, {}}};
    run.tensors = {{"data", "relu1"}};
    return run;
  }
  static Span MakeSpan(std::size_t unit, SpanKind kind, std::int64_t start, std::int64_t end) {
    Span span;
    span.unit = UnitId(unit);
    span.kind = kind;
    span.stream = StreamId(0);
    span.release = Nanos{1};
    span.ready = Nanos{7};
    span.start = Nanos{start};
    span.end = Nanos{end};
    return span;
  }

  Scenario scenario_;
  fs::path path_ = fs::path(testing::TempDir()) / ("trace_test." + std::to_string(::getpid()));
};

TEST_F(TraceFiles, AnEmptyRunNamesItsTracks) {
  TraceWriter writer(path_, scenario_);
  writer.BeginRun(1, Run());
  writer.EndRun(Nanos{0});
  writer.Close();
  EXPECT_EQ(ReadTextFile(path_), R"({"tandem": "trace/1", "displayTimeUnit": "ns",
 "otherData": {"scenario": "two \"streams\"", "platform": "board"},
 "traceEvents": [
{"ph": "M", "pid": 1, "tid": 0, "ts": 0.000, "name": "process_name", "args": {"name": "predicted: fcfs"}},
{"ph": "M", "pid": 1, "tid": 0, "ts": 0.000, "name": "tandem_run", "args": {"policy": "fcfs", "granularity": "model", "engine": "virtual", "measured": false, "sampled": false, "seed": 1, "residents": {"cpu": ["net"], "gpu": []}}},
{"ph": "M", "pid": 1, "tid": 1, "ts": 0.000, "name": "thread_name", "args": {"name": "cpu slot 1", "unit": "cpu", "slot": 0}},
{"ph": "M", "pid": 1, "tid": 2, "ts": 0.000, "name": "thread_name", "args": {"name": "cpu slot 2", "unit": "cpu", "slot": 1}},
{"ph": "M", "pid": 1, "tid": 3, "ts": 0.000, "name": "thread_name", "args": {"name": "gpu", "unit": "gpu", "slot": 0}},
{"ph": "M", "pid": 1, "tid": 4, "ts": 0.000, "name": "thread_name", "args": {"name": "dram-vram copy", "from": "dram", "to": "vram"}},
{"ph": "M", "pid": 1, "tid": 0, "ts": 0.000, "name": "tandem_end", "args": {"end_ns": 0, "complete": true}}
]}
)");
}

// The events alone: what stands after the metadata, without the end.
std::string EventsOf(const fs::path& path) {
  const std::string text = ReadTextFile(path);
  const auto first = text.find("\"vram\"}},\n") + 10;
  return text.substr(first, text.find(",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": 0", first) - first);
}

TEST_F(TraceFiles, ATaskOfAWholeModelIsCalledByItsRequest) {
  TraceWriter writer(path_, scenario_);
  SpanSink& sink = writer.BeginRun(1, Run());
  Span span = MakeSpan(0, SpanKind::kCompute, 1234567, 1235000);
  span.slot = 1;
  span.index = 12;
  sink.Add(span);
  writer.EndRun(Nanos{1235000});
  writer.Close();
  EXPECT_EQ(
      EventsOf(path_),
      R"({"ph": "X", "pid": 1, "tid": 2, "ts": 1234.567, "dur": 0.433, "name": "a, b #12", "cat": "compute", "args": {"request": "a, b #12", "stream": "a, b", "index": 12, "model": "net", "layers": "*", "kind": "compute", "release_ns": 1, "ready_ns": 7, "taken_ns": 0, "start_ns": 1234567, "end_ns": 1235000}})");
}

TEST_F(TraceFiles, CopiesLoadsPartsAndDropsSayWhatTheyAre) {
  TraceWriter writer(path_, scenario_);
  SpanSink& sink = writer.BeginRun(1, Run());
  Span copy = MakeSpan(2, SpanKind::kTransfer, 10, 20);
  copy.segment = 1;
  copy.tensor = 0;
  copy.from_memory = 0;
  copy.to_memory = 1;
  sink.Add(copy);
  sink.Add(MakeSpan(1, SpanKind::kLoad, 20, 30));
  Span part = MakeSpan(1, SpanKind::kCompute, 30, 30);
  part.segment = 1;
  sink.Add(part);
  sink.Ended({StreamId(0), 3, Nanos{5}, Nanos{5005}, true});
  writer.EndRun(Nanos{5005});
  writer.Close();
  EXPECT_EQ(
      EventsOf(path_),
      R"({"ph": "X", "pid": 1, "tid": 4, "ts": 0.010, "dur": 0.010, "name": "copy data for net conv1..relu1", "cat": "transfer", "args": {"request": "a, b #0", "stream": "a, b", "index": 0, "model": "net", "layers": ["conv1", "relu1"], "kind": "transfer", "tensor": "data", "from": "dram", "to": "vram", "release_ns": 1, "ready_ns": 7, "taken_ns": 0, "start_ns": 10, "end_ns": 20}},
{"ph": "X", "pid": 1, "tid": 3, "ts": 0.020, "dur": 0.010, "name": "load net", "cat": "load", "args": {"request": "a, b #0", "stream": "a, b", "index": 0, "model": "net", "layers": "*", "kind": "load", "release_ns": 1, "ready_ns": 7, "taken_ns": 0, "start_ns": 20, "end_ns": 30}},
{"ph": "X", "pid": 1, "tid": 3, "ts": 0.030, "dur": 0.000, "name": "net conv1..relu1", "cat": "compute", "args": {"request": "a, b #0", "stream": "a, b", "index": 0, "model": "net", "layers": ["conv1", "relu1"], "kind": "compute", "release_ns": 1, "ready_ns": 7, "taken_ns": 0, "start_ns": 30, "end_ns": 30}},
{"ph": "i", "pid": 1, "tid": 0, "ts": 5.005, "name": "a, b #3 dropped", "cat": "dropped", "s": "p", "args": {"request": "a, b #3", "stream": "a, b", "index": 3, "model": "net", "kind": "dropped", "release_ns": 5, "at_ns": 5005}})");
}

TEST_F(TraceFiles, NameTheWinnerOfTheirRunsAfterThem) {
  TraceWriter writer(path_, scenario_);
  writer.BeginRun(1, Run());
  writer.EndRun(Nanos{0});
  writer.SetWinner({"a, b", Objective::kMakespan});
  writer.Close();
  EXPECT_TRUE(ReadTextFile(path_).ends_with(
      "\n],\n \"winner\": {\"policy\": \"a, b\", \"objective\": \"makespan\"}}\n"))
      << ReadTextFile(path_);
}

// `compare` takes them for what is predicted.
TEST(DrawsOfATrace, AreTimesThatAscend) {
  const auto error_of = [](const std::string& makespan, const std::string& p99) {
    const std::string usual = R"({"low": 1, "median": 2, "high": 3})";
    const JsonDocument document = JsonDocument::Parse(
        R"({"objective": "makespan", "interval": 0.9, "policies": [{"policy": "p", "makespan_ns": )" +
            makespan + R"(, "latency_ns": {"mean": )" + usual + R"(, "p50": )" + usual + R"(, "p90": )" +
            usual + R"(, "p95": )" + usual + R"(, "p99": )" + p99 + "}}]}",
        "t");
    return ErrorOf([&] { (void)DrawsOfRunsFields().Read(document.root()); });
  };
  const std::string good = R"({"low": 0, "median": 5.5, "high": 9007199254740992})";
  EXPECT_EQ(error_of(good, good), "no error");
  EXPECT_EQ(error_of(R"({"low": 6, "median": 5, "high": 7})", good),
            "t:/policies/0/makespan_ns/median: is below \"low\"");
  EXPECT_EQ(error_of(R"({"low": 6, "median": 7, "high": 0})", good),
            "t:/policies/0/makespan_ns/high: is below \"median\"");
  EXPECT_EQ(error_of(R"({"low": -1, "median": 7, "high": 8})", good),
            "t:/policies/0/makespan_ns/low: a time is not below 0");
  EXPECT_EQ(error_of(good, R"({"low": 1, "median": 1e300, "high": 1e300})"),
            "t:/policies/0/latency_ns/p99/high: times stay below 2^53 ns");
}

TEST_F(TraceFiles, IsThereOnlyOnceItIsClosed) {
  {
    TraceWriter abandoned(path_, scenario_);
    abandoned.BeginRun(1, Run());
    abandoned.EndRun(Nanos{0});
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_.string() + ".part" + std::to_string(::getpid())));
}

TEST_F(TraceFiles, ForkedChildrenMayWriteTheRuns) {
  TraceWriter writer(path_, scenario_);
  for (int process = 1; process <= 3; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      writer.BeginRun(process, Run()).Add(MakeSpan(0, SpanKind::kCompute, 0, process));
      writer.EndRun(Nanos{process});
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  writer.Close();
  const JsonDocument document = JsonDocument::ReadFile(path_);
  std::vector<std::int64_t> processes;
  for (const JsonReader event : document.root().Get("traceEvents").Elements()) {
    if (event.Get("ph").String() == "X") processes.push_back(event.Get("pid").Integer(1));
  }
  EXPECT_EQ(processes, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(TraceFiles, ATableHasALinePerRequestInOrderOfItsEnd) {
  RequestCsv csv(path_, scenario_);
  SpanSink& sink = csv.BeginRun(
      "fcfs", [](const Span& span) { return span.index == 0 ? std::optional<double>(0.25) : std::nullopt; });
  Span copy = MakeSpan(2, SpanKind::kTransfer, 3, 4);
  sink.Add(copy);
  sink.Add(MakeSpan(1, SpanKind::kCompute, 10, 20));
  Span second = MakeSpan(0, SpanKind::kCompute, 20, 6001);
  sink.Add(second);
  second.index = 1;
  sink.Add(second);
  sink.Ended({StreamId(0), 1, Nanos{1}, Nanos{5001}, false, -1, {}, Nanos{5001}});
  sink.Ended({StreamId(0), 2, Nanos{100}, Nanos{5100}, true, -1, {}, Nanos{5100}});
  sink.Ended({StreamId(0), 0, Nanos{1}, Nanos{6001}, false, -1, {}, Nanos{5001}});
  csv.EndRun();
  csv.Close();
  EXPECT_EQ(ReadTextFile(path_),
            "policy,stream,index,model,release_ns,deadline_ns,start_ns,end_ns,latency_ns,wait_ns,missed,"
            "dropped,units,energy_j\n"
            "fcfs,\"a, b\",1,net,1,5001,20,5001,5000,19,0,0,cpu,\n"
            "fcfs,\"a, b\",2,net,100,5100,,5100,,,1,1,,\n"
            "fcfs,\"a, b\",0,net,1,5001,3,6001,6000,2,1,0,gpu+cpu,0.75\n");
}

}  // namespace
}  // namespace tandem
