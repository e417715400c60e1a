// Tables, dumps, logs and words.
#include <cstring>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "profiles/dumps/dump.h"
#include "profiles/dumps/separated_text.h"
#include "profiles/dumps/times_table.h"
#include "profiles/model/safetensors.h"
#include "profiles/program/shipped.h"
#include "profiles/program/version.h"
#include "scenarios/baseline/inputs.h"
#include "scenarios/baseline/tolerance.h"
#include "scenarios/scenario/arrival_file.h"
#include "scenarios/scenario/heat_fit.h"
#include "sim/engine/simgrid_platform.h"
#include "sim/questions/what_if.h"
#include "sim/sweep/named_files.h"
#include "sim/sweep/row.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"

namespace tandem {
namespace {

const std::string kTrtexec = R"([{"count": 4},
  {"name": "Reformatting CopyNode for Input Tensor 0 to conv1 + relu1", "timeMs": 0.04, "averageMs": 0.01, "medianMs": 0.009, "percentage": 1},
  {"name": "conv1 + relu1", "timeMs": 4, "averageMs": 1, "medianMs": 0.9, "percentage": 90}])";
const std::string kOnnxRuntime = R"([
  {"cat": "Node", "pid": 7, "tid": 7, "dur": 100, "ts": 1, "ph": "X", "name": "conv1_kernel_time", "args": {"op_name": "Conv"}},
  {"cat": "Session", "pid": 7, "tid": 7, "dur": 130, "ts": 1, "ph": "X", "name": "model_run", "args": {}}])";
const std::string kPerfExport = R"({"experiments": [{"experiment": {"mode": "concurrency", "value": 1},
  "requests": [{"timestamp": 1000, "response_timestamps": [2000, 5000]}], "window_boundaries": []}], "version": "2.40.0"})";
const std::string kCaffeTime =
    "I0101 12:00:00.000000  1234 caffe.cpp:404] Average time per layer: \n"
    "I0101 12:00:00.000000  1234 caffe.cpp:404]      conv1\tforward: 12.3 ms.\n"
    "I0101 12:00:00.000000  1234 caffe.cpp:404]      conv1\tbackward: 9.1 ms.\n"
    "I0101 12:00:00.000000  1234 caffe.cpp:404] Average Forward pass: 12.6 ms.\n";
const std::string kOpenVino =
    "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
    "conv1/WithoutBiases;EXECUTED;Convolution;jit_avx2_FP32;1.500;1.500;\n"
    "conv1_nChw8c_nchw_pool1;EXECUTED;Reorder;reorder_FP32;0.020;0.020;\nTotal;;;;1.520;1.520;\n";
const std::string kPerfTable =
    "Concurrency,Inferences/Second,Client Send,Client Recv,p50 latency,p90 latency\n"
    "2,84.2,279,1,4000,5000\n1,69.2,225,0,2500,3000\n";
const std::string kModelAnalyzer =
    "Model,Batch,Concurrency,Model Config Path,Instance Group,Preferred Batch Sizes,Satisfies Constraints,"
    "Throughput (infer/sec),p99 Latency (ms),RAM Usage (MB)\n"
    "alexnet,1,2,alexnet_i0,1/GPU,\"[4, 8]\",Yes,195.0,11.0,2897.0\n\nModel,GPU ID,GPU Memory Usage (MB)\n";

FuzzReader Dumps() {
  return {"dump",
          {kTrtexec, kOnnxRuntime, kPerfExport, kCaffeTime, kOpenVino, kPerfTable, kModelAnalyzer},
          [](const std::string& bytes) { ParseProfileDump(bytes, "fuzz"); },
          WithValuesChanged};
}
const FuzzReaderRegistration kDumps(Dumps);

FuzzReader TimesTables() {
  return {"times_table",
          {"model,cpu_ms,gpu_us\nresnet50,400.5,20000\nvgg16,1,\n",
           "Model,Device,Latency (ms),Batch size,Precision,Runtime\nresnet50,gpu,20,8,FP16,tensorrt\n",
           "model (ms);cpu;gpu\r\nresnet50;400,5;20\r\n# later\r\nvgg16;1;-\r\n"},
          [](const std::string& bytes) { ReadTimesTable(FuzzFile("times.csv", bytes), {}); }};
}
const FuzzReaderRegistration kTimesTables(TimesTables);

FuzzReader ArrivalTimes() {
  return {"arrival_times",
          {"0\n100.5\n# later\n200\n", "{\"timestamp\": 33}\n{\"timestamp\": 66}\n",
           R"({"data": [{"timestamp": 1}, {"timestamp": 2.5}]})"},
          [](const std::string& bytes) {
            const std::filesystem::path file = FuzzFile("times.txt", bytes);
            ReadTraceFile(file, false);
            ReadTraceFile(file, true);
          }};
}
const FuzzReaderRegistration kArrivalTimes(ArrivalTimes);

// Of a unit that is held back, cools down and is held back again.
std::string HeatLog() {
  std::string text = "time_s,celsius,mhz,busy\n";
  const int celsius[] = {25, 40, 52, 60, 66, 71, 69, 66, 64, 68, 71, 68, 66, 64};
  const int mhz[] = {1000, 1000, 1000, 1000, 1000, 1000, 400, 400, 400, 1000, 1000, 400, 400, 400};
  for (int row = 0; row < 14; ++row) {
    text += std::to_string(10 * row) + "," + std::to_string(celsius[row]) + "," + std::to_string(mhz[row]) +
            (row == 8 ? ",0.5\n" : ",1\n");
  }
  return text;
}

FuzzReader HeatLogs() {
  return {"heat_log", {HeatLog()}, [](const std::string& bytes) {
            FitHeat(ReadHeatLog(bytes, "burn.csv"), "burn.csv");
          }};
}
const FuzzReaderRegistration kHeatLogs(HeatLogs);

// So many numbers as the header's shapes ask for, one tensor behind the other.
void LayOut(nlohmann::ordered_json& header, std::string& numbers) {
  constexpr std::uint64_t kMost = 1 << 12;
  std::uint64_t at = 0;
  for (auto& tensor : header) {
    if (!tensor.is_object() || !tensor.contains("shape") || !tensor["shape"].is_array()) continue;
    std::uint64_t bytes = tensor.value("dtype", nlohmann::ordered_json()) == "F32" ? 4 : 2;
    for (const auto& extent : tensor["shape"]) {
      bytes =
          std::min(bytes * (extent.is_number_unsigned() ? extent.get<std::uint64_t>() % kMost : 1), kMost);
    }
    tensor["data_offsets"] = {at, at + bytes};
    at += bytes;
  }
  numbers.resize(at);
}

// The header by its values, with the length that it has then; the numbers as they were, or as it asks for.
std::string WithHeaderChanged(const std::string& file, std::mt19937_64& chance) {
  std::uint64_t length = 0;
  if (file.size() < sizeof length) return WithBytesChanged(file, chance);
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length) return WithBytesChanged(file, chance);
  std::string header = WithValuesChanged(file.substr(sizeof length, length), chance),
              numbers = file.substr(sizeof length + length);
  auto json = nlohmann::ordered_json::parse(header, nullptr, false);
  if (json.is_object() && chance() % 2 == 0) {
    LayOut(json, numbers);
    header = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + numbers;
}

FuzzReader SafeTensors() {
  const Tensor small{{2, 3}, {1, 2, 3, 4, 5, 6}}, bias{{2}, {7, 8}};
  const std::filesystem::path file = FuzzFile("seed.safetensors", "");
  WriteSafetensors(file, {{{"c", "weight"}, small}, {{"c", "bias"}, bias}});
  return {"safetensors",
          {ReadTextFile(file)},
          [](const std::string& bytes) { ReadSafetensors(FuzzFile("net.safetensors", bytes)); },
          WithHeaderChanged};
}
const FuzzReaderRegistration kSafeTensors(SafeTensors);

// What killed workers of a sweep left behind.
FuzzReader SweepRows() {
  SweepRow ok, failed;
  ok.version = failed.version = Version();
  ok.key = std::string(32, 'a');
  failed.key = std::string(32, 'b');
  ok.engine = failed.engine = "virtual";
  ok.point = failed.point = {{"n", "10"}};
  ok.policy = failed.policy = "fcfs";
  ok.figures = {{"makespan_ns", 1000}};
  failed.status = RowStatus::kFailed;
  failed.message = "no unit runs it";
  const std::string one = RowText(ok);
  return {"sweep_rows",
          {one + "\n" + RowText(failed) + "\n", one, one + "\n" + one.substr(0, 40)},
          [](const std::string& bytes) { ReadRows(FuzzFile("fuzz.rows.jsonl", bytes).parent_path()); },
          [](const std::string& bytes, std::mt19937_64& chance) {
            return WithPartsChanged(bytes, '\n', WithValuesChanged, chance);
          }};
}
const FuzzReaderRegistration kSweepRows(SweepRows);

// Of what a run depends on, for its key and for baselines: files that name files, whatever these are.
FuzzReader FilesOfFiles() {
  FuzzReader reader = {
      "files_of_files",
      {R"({"platform": "./fuzz.named.json", "profiles": ["fuzz.named.json"], "entries": [{"model": "././fuzz.named.json",
           "beside_model": "fuzz.named.json"}], "weights": "../none", "name": "./fuzz.named.json"})",
       std::string(500, '[') + std::string(500, ']')},
      [](const std::string& bytes) {
        Scenario scenario;
        scenario.file = FuzzFile("fuzz.named.json", bytes).string();
        InputsHash(scenario);
        NamedFiles().HashesOf({{"platform", "fuzz.named.json"}}, "", scenario.file);
      },
      WithValuesChanged};
  reader.damaged = 30;
  return reader;
}
const FuzzReaderRegistration kFilesOfFiles(FilesOfFiles);

const std::string kPlatformHead = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
)";
const std::string kCluster =
    kPlatformHead +
    R"(  <cluster id="rack" prefix="node-" suffix="" radical="0-2" speed="1Gf" bw="100MBps" lat="10us" core="2"/>
</platform>
)";

std::string HostAsFastAs(const std::string& speed) {
  return kPlatformHead + R"(<zone id="z" routing="Full"><host id="h" speed=")" + speed +
         R"("/></zone></platform>)";
}

// What SimGrid's reader does not survive.
std::string DeepZones() {
  constexpr int kZones = 600;
  std::string text = kPlatformHead;
  for (int zone = 0; zone < kZones; ++zone)
    text += "<zone id=\"z" + std::to_string(zone) + "\" routing=\"Full\">";
  for (int zone = 0; zone < kZones; ++zone) text += "</zone>";
  return text + "</platform>";
}

// By SimGrid itself, in a process for each.
FuzzReader SimGridPlatforms() {
  const Platform board = ReadPlatformFile(ShippedDirectory() / "boards" / "zcu102.platform.json");
  FuzzReader reader = {
      "simgrid_platform",
      {SimGridPlatformText(board), kCluster, DeepZones(), HostAsFastAs("nanf"), HostAsFastAs("inff")},
      [](const std::string& bytes) { ReadSimGridPlatform(FuzzFile("board.xml", bytes)); },
      WithMarkupChanged};
  reader.damaged = 30;
  return reader;
}
const FuzzReaderRegistration kSimGridPlatforms(SimGridPlatforms);

FuzzReader SupposedValues() {
  return {"what_if",
          {"units.gpu.speed=1.5", "streams.a.rate_hz=2x", "links.0.latency_us=+10 %", "x=1GB/s"},
          [](const std::string& bytes) {
            ReadSupposed(bytes, "--what-if");
            ParseTolerance(bytes);
          }};
}
const FuzzReaderRegistration kSupposedValues(SupposedValues);

}  // namespace
}  // namespace tandem
