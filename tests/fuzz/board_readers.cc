// What comes to a board, files in one stream behind their list, and what boards answer.
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/study/store.h"
#include "profiles/base/files.h"
#include "profiles/base/sent_files.h"
#include "profiles/base/sha256.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/exchange/run_order.h"
#include "scenarios/exchange/store_order.h"
#include "sim/board/device_client.h"
#include "sim/board/device_version.h"
#include "tests/fuzz/mutations.h"
#include "tests/fuzz/readers.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

std::string SentFile(const std::string& bytes) {
  const std::string hash = Sha256(std::as_bytes(std::span(bytes)));
  const auto size = static_cast<std::int64_t>(bytes.size());
  return StoreOrderText({{{"/n/net.onnx", {"./net.onnx"}, hash, size}}, {hash}}) + bytes;
}

// The list by its values, with the length that it has then; what follows it stays.
std::string WithListChanged(const std::string& stream, std::mt19937_64& chance) {
  const std::size_t line = stream.find('\n');
  const std::size_t end = stream.rfind('}');
  if (line == std::string::npos || end == std::string::npos || end < line) {
    return WithBytesChanged(stream, chance);
  }
  const std::string list = WithValuesChanged(stream.substr(line + 1, end - line), chance);
  return std::to_string(list.size()) + "\n" + list + stream.substr(end + 1);
}

FuzzReader StoreStreams() {
  return {"store_stream",
          {SentFile("weights"), SentFile("")},
          [](const std::string& bytes) {
            const TempFolder board;
            std::istringstream from(bytes);
            const StoreAnswer answer = FileStore(board / "kept").Take(from);
            for (const auto& file : std::filesystem::directory_iterator(board)) {
              if (file.path() != board / "kept")
                throw std::logic_error(file.path().string() + " was written");
            }
            if (answer.name.empty()) return;
            FileStore(board / "kept").Use(answer.name);
            UseSentFiles({});  // they are gone with the folder
          },
          WithListChanged};
}
const FuzzReaderRegistration kStoreStreams(StoreStreams);

FuzzReader StoreOrders() {
  const std::string hash(64, 'a');
  return {
      "store",
      {StoreOrderJson({{{"/n/net.onnx", {"/m/net.onnx"}, hash, 3}}, {hash}}), StoreAnswerJson({{hash}, ""})},
      [](const std::string& bytes) {
        const JsonDocument document = JsonDocument::Parse(bytes, "store");
        FileKind(document.root()).starts_with("store-result/") ? (void)ReadStoreAnswer(document.root())
                                                               : (void)ReadStoreOrder(document.root());
      },
      WithValuesChanged};
}
const FuzzReaderRegistration kStoreOrders(StoreOrders);

// What a program on a board says of itself before anything else of it is read.
FuzzReader DeviceAnswers() {
  return {"device_answer",
          {R"({"tandem": "run-result/1", "program": "0.1.0", "versions": {"tandem": "0.1.0"}, "host": {}})",
           R"({"tandem": "device-info/1", "versions": {"tandem": "0.2.0", "CUDA": "13.0"}})"},
          [](const std::string& bytes) {
            const JsonDocument document = JsonDocument::Parse(bytes, "board");
            DeviceVersion version;
            version.Heard(VersionIn(document.root()));
            version.Warning("ssh board");
            OtherKindThan("run-result/1", document.root());
          },
          WithValuesChanged};
}
const FuzzReaderRegistration kDeviceAnswers(DeviceAnswers);

// Of two runs, with a report of each and a trace.
std::string RecordOfRuns() {
  const std::string text = ReadTextFile(TANDEM_TEST_DIR "/good/two.run-result.json");
  const std::string report =
      R"({"tandem": "report/1", "label": "fcfs", "makespan_ns": 1000, "streams": [], "units": []})";
  return text.substr(0, text.rfind('}')) + R"(, "reports": [)" + report + ", " + report + R"(], "trace": )" +
         ReadTextFile(TANDEM_TEST_DIR "/good/run.trace.json") + "}";
}

std::vector<std::string> SeedsOfRecords() {
  const std::string record = RecordOfRuns() + kEndOfRunRecord;
  const std::string last = ReadTextFile(TANDEM_TEST_DIR "/good/two.run-result.json") + kEndOfRunRecord;
  return {record + record + last, RecordOfRuns()};
}

std::string WithRecordsChanged(const std::string& stream, std::mt19937_64& chance) {
  return WithPartsChanged(stream, kEndOfRunRecord, WithValuesChanged, chance);
}

FuzzReader RunRecordStreams() {
  return {"run_records", SeedsOfRecords(),
          [](const std::string& bytes) {
            std::vector<RunAnswer> answers;
            for (const std::string_view one : RunRecords(bytes)) {
              answers.push_back(ReadJudgedRunAnswer(JsonDocument::Parse(one, "run").root()));
            }
            RunAnswerJson(JoinRuns(std::move(answers)));
          },
          WithRecordsChanged};
}
const FuzzReaderRegistration kRunRecordStreams(RunRecordStreams);

// Of a board that answers with what stands in files beside its program: info.answer, run.answer.
DeviceClient ClientOfFiles(std::optional<std::filesystem::path> kept = std::nullopt) {
  static const std::filesystem::path board =
      FuzzFile("board.sh", R"(cat >/dev/null; exec cat "${0%/*}/$1.answer")");
  Onlooker nobody;
  nobody.go_on = [] { return true; };
  nobody.progress = [](const std::string&, std::int64_t, std::int64_t) {};
  nobody.ran = [](const RunAnswer&) {};
  nobody.warned = [](const std::string&) {};
  return {DeviceProgram("sh '" + board.string() + "'"), KeptFiles(std::move(kept)), std::move(nobody)};
}

RunOrderToWrite TwoRunsOf(const std::string& plan) {
  RunOrderToWrite order;
  order.plans = {plan};
  order.repeats = 2;
  return order;
}

FuzzReader DeviceInfo() {
  const std::string platform = ReadTextFile(ShippedDirectory() / "boards" / "zcu102.platform.json");
  FuzzReader reader = {
      "device_info",
      {R"({"versions": {"tandem": "0.0.1"}, "host": {"cpu": "none"}, "platform": )" + platform + "}",
       R"({"versions": {}, "platform": null})"},
      [](const std::string& bytes) {
        FuzzFile("info.answer", bytes);
        ClientOfFiles().AskPlatform(1);
      },
      WithValuesChanged};
  reader.damaged = 30;  // a process for each
  return reader;
}
const FuzzReaderRegistration kDeviceInfo(DeviceInfo);

void CheckFewAreKept(const std::filesystem::path& folder) {
  constexpr std::ptrdiff_t kMostFiles = 5;  // the order, two runs, one without runs, all of them
  if (std::distance(std::filesystem::directory_iterator(folder), {}) > kMostFiles) {
    throw std::logic_error("more files are kept than runs were asked for");
  }
}

FuzzReader DeviceRuns() {
  FuzzReader reader = {"device_runs", SeedsOfRecords(),
                       [](const std::string& bytes) {
                         const TempFolder folder;
                         FuzzFile("run.answer", bytes);
                         try {
                           ClientOfFiles(folder).AskRuns(TwoRunsOf("{}"));
                         } catch (const EnvironmentError&) {
                           CheckFewAreKept(folder);
                           throw;
                         }
                         CheckFewAreKept(folder);
                       },
                       WithRecordsChanged};
  reader.damaged = 30;
  return reader;
}
const FuzzReaderRegistration kDeviceRuns(DeviceRuns);

// Of a board that has been offered one file, and then runs.
FuzzReader DeviceStore() {
  const std::string weights = "weights", hash = Sha256(std::as_bytes(std::span(weights)));
  FuzzReader reader = {"device_store",
                       {StoreAnswerJson({{}, std::string(64, '0')}), StoreAnswerJson({{hash}, ""})},
                       [weights](const std::string& bytes) {
                         const bool quiet = BeQuiet(true);  // what is sent is said
                         FuzzFile("run.answer", RecordOfRuns());
                         FuzzFile("store.answer", bytes);
                         const std::string file = FuzzFile("weights.bin", weights).string();
                         try {
                           ClientOfFiles().AskRuns(TwoRunsOf(R"({"model": ")" + file + R"("})"));
                         } catch (...) {
                           BeQuiet(quiet);
                           throw;
                         }
                         BeQuiet(quiet);
                       },
                       WithValuesChanged};
  reader.damaged = 30;
  return reader;
}
const FuzzReaderRegistration kDeviceStore(DeviceStore);

}  // namespace
}  // namespace tandem
